/** Names for files below one folder, none of which is given twice, nor leads out of it. */
import { join, resolve } from "node:path";

/** Of a file or a folder, on nearly every file system. */
const NAME_BYTES_MAX = 255;

export class FreeNames {
  readonly #folder: string;
  readonly #files: Set<string> = new Set();
  readonly #folders: Set<string> = new Set();
  /** How often a name was wanted that was taken: a file may be the source of a million conversations. */
  readonly #times: Map<string, number> = new Map();

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** `file` and `end` are the wanted name: a path with any kind of slash, from any machine. */
  next(file: string, end: string = ""): string {
    const parts = file
      .replaceAll("\0", "")
      .split(/[\\/]+/)
      .filter((part) => part !== "" && part !== "." && part !== "..");
    const name = parts.pop() ?? "original";
    let folder = this.#folder;
    for (const part of parts) folder = this.#free(folder, part, "", this.#files);
    // A file may have been called as a folder is that another one was in.
    const path = this.#free(folder, name, end, this.#files, this.#folders);
    this.#files.add(path);
    for (let above = folder; above !== this.#folder; above = resolve(above, "..")) this.#folders.add(above);
    return path;
  }

  /** The first of `name`, `name.2`, `name.3` and so on that is not one of `taken`. */
  #free(folder: string, name: string, end: string, ...taken: readonly ReadonlySet<string>[]): string {
    const wanted = join(folder, cut(name, end));
    const isTaken = (path: string): boolean => taken.some((paths) => paths.has(path));
    if (!isTaken(wanted)) return wanted;
    for (let times = this.#times.get(wanted) ?? 2; ; times++) {
      const path = join(folder, cut(name, `${end}.${times}`));
      if (isTaken(path)) continue;
      this.#times.set(wanted, times);
      return path;
    }
  }
}

/** Without the end of the name, if it is too long with what is added to it. */
function cut(name: string, end: string): string {
  const bytes = Buffer.from(name);
  const bytesMax = NAME_BYTES_MAX - Buffer.byteLength(end);
  if (bytes.length <= bytesMax) return name + end;
  // The last character may be cut, too.
  return bytes.toString("utf8", 0, bytesMax).replace(/\ufffd+$/, "") + end;
}
