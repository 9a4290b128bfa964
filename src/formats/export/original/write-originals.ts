/** Writes the sources of imported conversations to a folder. */
import { dirname, join, resolve } from "node:path";
import type { Store } from "../../../store/store.ts";
import { makeFolder, writeExport } from "../export-file.ts";
import { attachedFiles, filesOfRows } from "./attached-files.ts";
import { type Fidelity, type OriginalSource, originalSources } from "./original.ts";

export interface WrittenOriginal extends Fidelity {
  /** The source, relative to the folder that was imported. */
  readonly file: string;
  readonly path: string;
}

/** Every source gets the name below `folder` that it had below the folder that was imported. */
export async function writeOriginals(
  store: Store,
  id: string,
  folder: string,
  options: { readonly force?: boolean; readonly taken?: Set<string> } = {},
): Promise<WrittenOriginal[]> {
  const { force = false, taken = new Set() } = options;
  const written: WrittenOriginal[] = [];
  // The newest form of a file gets its name.
  const sources = await originalSources(store, id);
  for (const source of sources.toReversed()) {
    const { done: isWhole = false } = await filesOfRows(source).next();
    // Rows that are files are written as those.
    if (isWhole) written.push(await write(source));
  }
  written.reverse();
  for await (const source of attachedFiles(store, id, sources)) written.push(await write(source));
  return written;

  async function write(source: OriginalSource): Promise<WrittenOriginal> {
    const path = freePath(resolve(folder, nameOf(source, id)), taken);
    await makeFolder(dirname(path));
    const reading = new Reading(source);
    await writeExport(path, reading.bytes(), { force });
    return { file: source.file, path, ...reading.fidelity };
  }
}

/** Keeps what is said about the bytes when all of them were read. */
class Reading {
  readonly #source: OriginalSource;
  fidelity: Fidelity = { bytes: 0, isExact: false, notes: [] };

  constructor(source: OriginalSource) {
    this.#source = source;
  }

  async *bytes(): AsyncGenerator<Buffer, void, undefined> {
    this.fidelity = yield* this.#source.bytes();
  }
}

/** Names come from the machine that was imported from: none may lead out of the folder. */
function nameOf({ file, form, isElement }: OriginalSource, id: string): string {
  const named = file.replaceAll("\0", "").split(/[\\/]+/);
  const parts = named.filter((part) => part !== "" && part !== "." && part !== "..");
  const name = join(...(parts.length === 0 ? ["original"] : parts));
  if (form === "rows") return `${name}-${id}.rows.jsonl`;
  return isElement ? `${name}-${id}.json` : name;
}

function freePath(wanted: string, taken: Set<string>): string {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}.${number}`;
    if (taken.has(path)) continue;
    taken.add(path);
    return path;
  }
}
