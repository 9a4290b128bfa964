/** Writes the sources of imported conversations to a folder. */
import type { Store } from "../../../store/store.ts";
import { makeFolderOf, writeExport } from "../export-file.ts";
import { attachedFiles, filesOfRows } from "./attached-files.ts";
import { FreeNames } from "./free-names.ts";
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
  options: { readonly force?: boolean; readonly names?: FreeNames } = {},
): Promise<WrittenOriginal[]> {
  const { force = false, names = new FreeNames(folder) } = options;
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
    const path = nameOf(names, source, id);
    await makeFolderOf(path);
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

function nameOf(names: FreeNames, { file, form, isElement }: OriginalSource, id: string): string {
  if (form === "rows") return names.next(file, `-${id}.rows.jsonl`);
  return names.next(file, isElement ? `-${id}.json` : "");
}
