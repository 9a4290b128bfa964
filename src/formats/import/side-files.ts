/** Reads the files beside transcripts that describe their conversations. */
import type { Describe, FormatDeclaration, SideFile } from "../contract/format.ts";
import type { Surroundings } from "../contract/reader.ts";

const SIDE_FILE_BYTES_MAX = 64 * 1024 * 1024;
const UNCHANGED: Describe = (start) => start;

/** The side files of one import. A thousand transcripts may share one, so shared ones are kept. */
export class SideFiles {
  readonly #shared: Map<string, Promise<Describe>> = new Map();

  describe({ name, sideFile }: FormatDeclaration, around: Surroundings): Promise<Describe> {
    if (sideFile === undefined) return Promise.resolve(UNCHANGED);
    if (sideFile.isShared !== true) return readFirst(sideFile, around);
    const folder = `${name} ${around.path.slice(0, around.path.lastIndexOf("/") + 1)}`;
    const known = this.#shared.get(folder) ?? readFirst(sideFile, around);
    this.#shared.set(folder, known);
    return known;
  }
}

async function readFirst(sideFile: SideFile, around: Surroundings): Promise<Describe> {
  for (const name of sideFile.names(around.path)) {
    const bytes = await around.read(name, SIDE_FILE_BYTES_MAX);
    if (bytes !== undefined) return sideFile.read(bytes.toString());
  }
  return UNCHANGED;
}
