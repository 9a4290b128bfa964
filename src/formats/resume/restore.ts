/** Puts a source back at its place, unless something is there. */
import { createReadStream, lstatSync, statSync } from "node:fs";
import { sha256 } from "../../util/sha256.ts";
import { makeFolderOf, writeExport } from "../export/export-file.ts";
import type { OriginalSource } from "../export/original/original.ts";

export interface RestoredFile {
  readonly path: string;
  /** `same` and `differs`: something is there, and it was left as it is. */
  readonly state: "restored" | "same" | "differs";
  /** What a restored file lacks, or what is there instead of a file. */
  readonly notes: readonly string[];
}

export async function restore(source: OriginalSource, path: string): Promise<RestoredFile> {
  if (isThere(path)) return { path, ...(await compared(source, path)) };
  await makeFolderOf(path);
  let notes: readonly string[] = [];
  const pieces = async function* (): AsyncGenerator<Buffer> {
    ({ notes } = yield* source.bytes());
  };
  await writeExport(path, pieces());
  return { path, state: "restored", notes };
}

/** Also a link that leads nowhere. Where nobody may look, or a file is in place of a folder, writing tells why. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

type Compared = Pick<RestoredFile, "state" | "notes">;

/** Only a plain file is opened: a pipe never ends, and neither do some devices. */
async function compared(source: OriginalSource, path: string): Promise<Compared> {
  const oddity = oddityOf(path);
  if (oddity !== undefined) return { state: "differs", notes: [`What is there ${oddity}`] };
  const ours = sha256();
  for await (const piece of source.bytes()) ours.update(piece);
  const theirs = await digestOf(path);
  if (theirs === undefined) return { state: "differs", notes: ["What is there cannot be read"] };
  return { state: ours.digest("hex") === theirs ? "same" : "differs", notes: [] };
}

function oddityOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "is a link that leads nowhere";
    return found.isFile() ? undefined : "is not a plain file";
  } catch {
    return "cannot be read";
  }
}

/** `undefined` if the file cannot be read. */
async function digestOf(path: string): Promise<string | undefined> {
  const hash = sha256();
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}
