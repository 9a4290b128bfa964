/** Compares a source with what is in its place. */
import { createReadStream, lstatSync, statSync } from "node:fs";
import { sha256 } from "../../../util/sha256.ts";

/** Also a link that leads nowhere. Where nobody may look, or a file is in place of a folder, writing tells why. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** A file cannot take the place of a folder. */
export function isReplaceable(path: string): boolean {
  return !lstatSync(path).isDirectory();
}

interface Compared {
  readonly state: "same" | "differs";
  /** What is there instead of a file. */
  readonly notes: readonly string[];
}

/** Only a plain file is opened: a pipe never ends, and neither do some devices. */
export async function comparedWith(bytes: AsyncIterable<Buffer>, path: string): Promise<Compared> {
  const oddity = oddityOf(path);
  if (oddity !== undefined) return { state: "differs", notes: [`What is there ${oddity}`] };
  const ours = sha256();
  for await (const piece of bytes) ours.update(piece);
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
