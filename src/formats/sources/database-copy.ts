/** Copies SQLite files that cannot be read in place to a temporary folder. */
import { constants, copyFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { sizeOf } from "./database-files.ts";
import { fileProblem, problem } from "./problem.ts";
import {
  isOfTemporary,
  type TemporaryDatabase,
  temporaryDatabase,
  temporaryProblem,
} from "./temporary-database.ts";
import type { SourceFile } from "./types.ts";

export const COPY_BYTES_MAX: number = 2 * 1024 ** 3;

/** With its log or journal. `undefined` when it is too large. Fails when it changes during the copy. */
export function copyOfDatabase(path: string, suffix: "-wal" | "-journal"): TemporaryDatabase | undefined {
  if ((sizeOf(path) ?? 0) + (sizeOf(path + suffix) ?? 0) > COPY_BYTES_MAX) return undefined;
  const copy = temporaryDatabase(path);
  try {
    const before = versionOf(path, suffix);
    for (const end of ["", suffix]) {
      copyFileSync(path + end, copy.path + end, constants.COPYFILE_FICLONE);
    }
    if (versionOf(path, suffix) !== before) {
      throw problem("changed", `${path} changed while it was copied. Try again later`);
    }
    return copy;
  } catch (error) {
    copy.remove();
    throw copyProblem(error, path);
  }
}

function copyProblem(error: unknown, path: string): Error {
  return isOfTemporary(error) ? temporaryProblem(error, path) : fileProblem(error, path);
}

function versionOf(path: string, suffix: string): string {
  const stats = [path, path + suffix].map((name) => statSync(name, { bigint: true }));
  return stats.map(({ ino, size, mtimeNs }) => `${ino}:${size}:${mtimeNs}`).join(" ");
}

/** The unpacked bytes of a file. */
export async function copyOfMember(file: SourceFile): Promise<TemporaryDatabase> {
  const copy = temporaryDatabase(file.path);
  try {
    await copyBytes(file, copy.path);
    return copy;
  } catch (error) {
    copy.remove();
    throw copyProblem(error, file.path);
  }
}

async function copyBytes(file: SourceFile, to: string): Promise<void> {
  const source = await file.open();
  try {
    await using target = await open(to, "wx", 0o600);
    let bytes = 0;
    for await (const chunk of source.chunks()) {
      bytes += chunk.length;
      if (bytes > COPY_BYTES_MAX) throw problem("too-large", `${file.path} is larger than 2 GiB`);
      await target.writeFile(chunk);
    }
  } finally {
    await source.close();
  }
}
