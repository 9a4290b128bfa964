/**
 * What the report says of files that may be read twice in an import: forks that wait for their session, which a later
 * file may be. Reading one again replaces what was said of it, so that it counts once.
 */

/** The members of the report that count files, or what is in them. */
export type FileCount = "files" | "unchanged" | "forgotten" | "pending" | "bytes" | "records";

class FileTally {
  readonly counts: Map<FileCount, number> = new Map();
  /** How often each type or reference was told, as far as the report lists them. */
  readonly unknown: Map<string, number> = new Map();
  readonly unresolved: Map<string, number> = new Map();
  unresolvedCount = 0;
  skipped = 0;

  count(what: FileCount, by: number): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  skip(): void {
    this.skipped++;
  }
}

export class FileTallies {
  /** By path: those that are being read, and those that may be read again. */
  readonly #tallies: Map<string, FileTally> = new Map();

  /** The former tally, if the file was read before. */
  begin(path: string): FileTally | undefined {
    const before = this.#tallies.get(path);
    this.#tallies.set(path, new FileTally());
    return before;
  }

  of(path: string): FileTally | undefined {
    return this.#tallies.get(path);
  }

  settle(path: string): void {
    this.#tallies.delete(path);
  }
}
