/** Reads the files beside transcripts that describe their conversations. */
import type { Describe, FormatDeclaration, SideFile } from "../contract/format.ts";
import type { Surroundings } from "../contract/reader.ts";

const SIDE_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** A file beside a transcript, which describes no other one. */
export interface Beside {
  /** Relative to the transcript. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** What a side file says, and the file itself unless others share it. */
export interface Described {
  readonly describe: Describe;
  readonly beside: Beside | undefined;
}

const UNCHANGED: Described = { describe: (start) => start, beside: undefined };

/** The side files of one import. A thousand transcripts may share one, so shared ones are kept. */
export class SideFiles {
  readonly #shared: Map<string, Promise<Described>> = new Map();

  read({ name, sideFile }: FormatDeclaration, around: Surroundings): Promise<Described> {
    if (sideFile === undefined) return Promise.resolve(UNCHANGED);
    if (sideFile.isShared !== true) return readFirst(sideFile, around);
    const folder = `${name} ${around.path.slice(0, around.path.lastIndexOf("/") + 1)}`;
    const known = this.#shared.get(folder) ?? readFirst(sideFile, around);
    this.#shared.set(folder, known);
    return known;
  }
}

async function readFirst(sideFile: SideFile, around: Surroundings): Promise<Described> {
  for (const name of sideFile.names(around.path)) {
    const bytes = await around.read(name, SIDE_FILE_BYTES_MAX);
    if (bytes === undefined) continue;
    const beside = sideFile.isShared === true ? undefined : { name, bytes };
    return { describe: sideFile.read(bytes.toString()), beside };
  }
  return UNCHANGED;
}
