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

/** What a side file says, and the files that no other transcript shares. */
export interface Described {
  readonly describe: Describe;
  readonly beside: readonly Beside[];
}

const UNCHANGED: Described = { describe: (start) => start, beside: [] };

/** The side files of one import. A thousand transcripts may share one, so shared ones are kept. */
export class SideFiles {
  /** By folder: which file it is depends on what may be read from there. */
  readonly #shared: Map<string, Promise<Described>> = new Map();
  /** By file, because the transcripts of many days, each in its own folder, may share one. */
  readonly #said: Map<string, Describe> = new Map();

  read({ name, sideFile }: FormatDeclaration, around: Surroundings): Promise<Described> {
    if (sideFile === undefined) return Promise.resolve(UNCHANGED);
    const say = ({ bytes }: Beside): Describe => sideFile.read(bytes.toString());
    if (sideFile.isShared !== true) return readFirst(sideFile, around, say);
    const folder = `${name} ${around.path.slice(0, around.path.lastIndexOf("/") + 1)}`;
    const sayOnce = (file: Beside): Describe => {
      const path = `${name} ${around.pathOf(file.name)}`;
      const said = this.#said.get(path) ?? say(file);
      this.#said.set(path, said);
      return said;
    };
    const known = this.#shared.get(folder) ?? readFirst(sideFile, around, sayOnce);
    this.#shared.set(folder, known);
    return known;
  }
}

async function readFirst(
  sideFile: SideFile,
  around: Surroundings,
  say: (found: Beside) => Describe,
): Promise<Described> {
  const others = await existing(sideFile.others?.(around.path) ?? [], around);
  const within = sideFile.within?.(around) ?? around;
  for (const name of sideFile.names(around.path)) {
    const [found] = await existing([name], within);
    if (found === undefined) continue;
    const beside = sideFile.isShared === true ? others : [found, ...others];
    return { describe: say(found), beside };
  }
  return { ...UNCHANGED, beside: others };
}

async function existing(names: readonly string[], around: Surroundings): Promise<Beside[]> {
  const found: Beside[] = [];
  for (const name of names) {
    const bytes = await around.read(name, SIDE_FILE_BYTES_MAX);
    if (bytes !== undefined) found.push({ name, bytes });
  }
  return found;
}
