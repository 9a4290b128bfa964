/** Puts a source back at its place, unless something is there. */
import { makeFolderOf, writeExport } from "../export/export-file.ts";
import type { OriginalSource } from "../export/original/original.ts";
import { comparedWith, isThere } from "../export/original/what-is-there.ts";

export interface RestoredFile {
  readonly path: string;
  /** `same` and `differs`: something is there, and it was left as it is. */
  readonly state: "restored" | "same" | "differs";
  /** What a restored file lacks, or what is there instead of a file. */
  readonly notes: readonly string[];
}

export async function restore(source: OriginalSource, path: string): Promise<RestoredFile> {
  if (isThere(path)) return { path, ...(await comparedWith(source.bytes(), path)) };
  await makeFolderOf(path);
  let notes: readonly string[] = [];
  const pieces = async function* (): AsyncGenerator<Buffer> {
    ({ notes } = yield* source.bytes());
  };
  await writeExport(path, pieces());
  return { path, state: "restored", notes };
}
