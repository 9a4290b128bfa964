/** Writes the sources of imported conversations to a folder. */
import { dirname } from "node:path";
import { systemIo } from "../../../disk/file-io.ts";
import { ColloquyError } from "../../../errors.ts";
import type { Store } from "../../../store/store.ts";
import { makeFolderOf, writeExport } from "../export-file.ts";
import { attachedFiles, filesOfRows } from "./attached-files.ts";
import { FreeNames } from "./free-names.ts";
import { type Fidelity, type OriginalSource, originalSources } from "./original.ts";
import { comparedWith, isReplaceable, isThere } from "./what-is-there.ts";

export interface WrittenOriginal extends Fidelity {
  /** Of the conversation. */
  readonly id: string;
  /** The source, relative to the folder that was imported. */
  readonly file: string;
  readonly path: string;
  /** `same` and `differs`: something was there, and it was left as it is. */
  readonly state: "written" | "same" | "differs";
}

/** Each file is synced, and a disk syncs several in the time of one. */
const FILES_AT_ONCE = 12;

class OriginalsFolder {
  readonly #names: FreeNames;
  readonly #force: boolean;
  readonly #made: Set<string> = new Set();
  readonly #writing: Set<Promise<WrittenOriginal>> = new Set();

  constructor(folder: string, force: boolean) {
    this.#names = new FreeNames(folder);
    this.#force = force;
  }

  /** Begins to write a source under the name that it had below the folder that was imported, when there is room. */
  async begin(source: OriginalSource, id: string): Promise<{ readonly written: Promise<WrittenOriginal> }> {
    while (this.#writing.size >= FILES_AT_ONCE) await Promise.race(this.#writing);
    const written = this.#write(source, id, nameOf(this.#names, source, id));
    this.#writing.add(written);
    // One that fails stays, so that a later call throws.
    written.then(
      () => this.#writing.delete(written),
      () => {},
    );
    return { written };
  }

  /** Resolves when nothing is being written. A power cut loses nothing of it afterwards. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#writing);
    for (const folder of this.#made) systemIo.syncFolder(folder);
  }

  async #write(source: OriginalSource, id: string, path: string): Promise<WrittenOriginal> {
    const { file } = source;
    const reading = new Reading(source);
    if (isThere(path) && !(this.#force && isReplaceable(path))) {
      const { state, notes } = await comparedWith(reading.bytes(), path);
      const { fidelity } = reading;
      return { id, file, path, state, ...fidelity, notes: [...fidelity.notes, ...notes] };
    }
    const folder = dirname(path);
    if (!this.#made.has(folder)) await makeFolderOf(path);
    this.#made.add(folder);
    await writeExport(path, reading.bytes(), { force: this.#force, syncFolder: false });
    return { id, file, path, state: "written", ...reading.fidelity };
  }
}

interface WriteOptions {
  readonly force?: boolean;
  /** Leave out conversations that were not imported. */
  readonly skipsOthers?: boolean;
}

/**
 * Those of the conversations, each below `folder`. What is in the place of one is left as it is, unless `force`; a folder in any case.
 * Of files with one name, the first conversation's gets it.
 */
export async function writeOriginals(
  store: Store,
  ids: readonly string[],
  folder: string,
  { force = false, skipsOthers = false }: WriteOptions = {},
): Promise<WrittenOriginal[]> {
  const target = new OriginalsFolder(folder, force);
  const begun: Promise<WrittenOriginal>[] = [];
  try {
    for (const id of ids) {
      const sources = await sourcesOf(store, id, skipsOthers);
      begun.push(...(await beginAll(store, id, sources, target)));
    }
    return await Promise.all(begun);
  } finally {
    await target.settle();
  }
}

async function sourcesOf(store: Store, id: string, skipsOthers: boolean): Promise<OriginalSource[]> {
  try {
    return await originalSources(store, id);
  } catch (error) {
    if (skipsOthers && error instanceof ColloquyError && error.code === "NOT_FOUND") return [];
    throw error;
  }
}

async function beginAll(
  store: Store,
  id: string,
  sources: readonly OriginalSource[],
  target: OriginalsFolder,
): Promise<Promise<WrittenOriginal>[]> {
  const begun: Promise<WrittenOriginal>[] = [];
  const begin = async (source: OriginalSource): Promise<void> => {
    begun.push((await target.begin(source, id)).written);
  };
  // The newest form of a file gets its name.
  for (const source of sources.toReversed()) {
    const { done: isWhole = false } = await filesOfRows(source).next();
    // Rows that are files are written as those.
    if (isWhole) await begin(source);
  }
  begun.reverse();
  for await (const source of attachedFiles(store, id, sources)) await begin(source);
  return begun;
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

function nameOf(names: FreeNames, { file, form, isElement }: OriginalSource, id: string): string {
  if (form === "rows") return names.next(file, `-${id}.rows.jsonl`);
  return names.next(file, isElement ? `-${id}.json` : "");
}
