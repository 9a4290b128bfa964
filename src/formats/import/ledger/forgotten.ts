/**
 * The files and folders that the user told a store to forget.
 *
 * What the ledger knows can be found out again, this cannot: so it has a file of its own.
 */
import { readFileSync } from "node:fs";
import { systemIo } from "../../../disk/file-io.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { unavailable } from "../../../errors.ts";
import { systemRandom } from "../../../util/uuid.ts";

export class Forgotten {
  readonly #path: string | undefined;
  readonly #paths: Set<string>;

  /** Without a path, for a store without a file, they are forgotten at the end of the import. */
  constructor(path: string | undefined) {
    this.#path = path;
    this.#paths = new Set(path === undefined ? [] : read(path));
  }

  /** Whether a path or a folder above it is forgotten. */
  has(path: string): boolean {
    for (const folder of this.#paths) if (isBelow(path, folder)) return true;
    return false;
  }

  add(paths: readonly string[]): void {
    for (const path of paths) this.#paths.add(path);
    this.#write();
  }

  /** Undo `add` for these paths and everything below them. */
  remove(paths: readonly string[]): void {
    const found = [...this.#paths].filter((known) => paths.some((path) => isBelow(known, path)));
    if (found.length === 0) return;
    for (const known of found) this.#paths.delete(known);
    this.#write();
  }

  #write(): void {
    if (this.#path === undefined) return;
    const content = Buffer.from(`${JSON.stringify([...this.#paths].sort(), null, 2)}\n`);
    try {
      replaceFile(this.#path, content, { io: systemIo, random: systemRandom });
    } catch (error) {
      throw unavailable(`Cannot write ${this.#path}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Damage is not an empty list: what was forgotten would be imported again. */
function read(path: string): string[] {
  try {
    const paths: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (Array.isArray(paths) && paths.every((known) => typeof known === "string")) return paths;
    throw new Error("it is not a list of paths");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    const advice = "It lists the sources that imports leave out. Correct it, or remove it to forget nothing";
    throw unavailable(`Cannot read ${path}: ${(error as Error).message}. ${advice}`, { cause: error });
  }
}

export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}!`);
}
