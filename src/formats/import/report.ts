/** The report of an import. Its counts are exact; its lists hold the first `LIST_MAX`. */
import { type FileCount, FileTallies } from "./report/file-tallies.ts";
import { ImportedList } from "./report/imported-list.ts";

export interface Skipped {
  readonly source: string;
  readonly line: number | null;
  readonly offset: number | null;
  readonly reason: string;
}

/** One conversation that was read. */
export interface Imported {
  readonly id: string;
  readonly key: string | null;
  readonly source: string;
  readonly format: string;
  readonly sourceId: string;
  readonly title: string | null;
  /** The number in the store after the import. */
  readonly messages: number;
  readonly branches: number;
  readonly leaves: number;
  /** Messages that this import added. */
  readonly added: number;
  /** Oddities and how often they occurred: `missing-parent`, `duplicate-id`, `deep` … */
  readonly flags: Readonly<Record<string, number>>;
}

export interface ImportReport {
  readonly dryRun: boolean;
  /** Conversations that were read because their source was new or had changed. */
  readonly conversations: number;
  /** Those of them that messages were added to, or would be in a dry run. */
  readonly grown: number;
  /** How many of them have each flag. */
  readonly flags: Readonly<Record<string, number>>;
  /** Messages and branches other than `main` that were added, or would be in a dry run. */
  readonly messages: number;
  readonly branches: number;
  /** Files that were read, and files with conversations that have not changed since the last import. */
  readonly files: number;
  readonly unchanged: number;
  readonly bytes: number;
  readonly skipped: readonly Skipped[];
  /** The number of skipped records; `skipped` holds the first of them. */
  readonly skippedCount: number;
  /** Forks that became a part of the conversation that they were forked from, which was imported after them. */
  readonly joined: number;
  /** Forks that stay conversations of their own, because they were changed in the store before that. */
  readonly apart: number;
  /** Files of unknown formats, from which nothing was read. */
  readonly ignored: number;
  readonly ignoredFiles: readonly string[];
  /** Files without content, as a conversation that was opened and never used leaves them. */
  readonly empty: number;
  /** Files that the user told the store to forget. */
  readonly forgotten: number;
  /** Files and folders of a store that this process has open, which are left out. */
  readonly ofStore: number;
  /** Records that were read. With `verify`, all of them were looked up in the store. */
  readonly records: number;
  /** Unknown types of records and how often they occurred. The records are kept. */
  readonly unknown: Readonly<Record<string, number>>;
  readonly unresolved: number;
  readonly unresolvedReferences: readonly string[];
  readonly imported: readonly Imported[];
  /** With `verify`: entries that the store lacks. */
  readonly missing: readonly Skipped[];
  readonly missingCount: number;
  /** Files whose end is incomplete and left for the next import. */
  readonly pending: number;
  /** Stopped before the end; the next import continues. */
  readonly interrupted: boolean;
}

/** The maximum length of lists. */
const LIST_MAX = 10_000;

export class ReportBuilder {
  #skipped: Skipped[] = [];
  readonly #missing: Skipped[] = [];
  readonly #unknown: Map<string, number> = new Map();
  readonly #unresolved: Map<string, number> = new Map();
  readonly #tallies: FileTallies = new FileTallies();
  readonly imported: ImportedList = new ImportedList(LIST_MAX);
  readonly #ignored: string[] = [];
  #ignoredCount = 0;
  #skippedCount = 0;
  #missingCount = 0;
  #unresolvedCount = 0;
  messages = 0;
  branches = 0;
  files = 0;
  unchanged = 0;
  forgotten = 0;
  joined = 0;
  apart = 0;
  ofStore = 0;
  records = 0;
  bytes = 0;
  pending = 0;
  interrupted = false;
  empty = 0;

  /** A file is about to be looked at. If that is for the second time, it replaces what was said of the file before. */
  begin(path: string): void {
    const before = this.#tallies.begin(path);
    if (before === undefined) return;
    for (const [what, by] of before.counts) this[what] -= by;
    this.#skippedCount -= before.skipped;
    if (before.skipped > 0) this.#skipped = this.#skipped.filter(({ source }) => source !== path);
    for (const [type, times] of before.unknown) take(this.#unknown, type, times);
    this.#unresolvedCount -= before.unresolvedCount;
    for (const [reference, times] of before.unresolved) take(this.#unresolved, reference, times);
  }

  /** The file will not be looked at again. */
  settle(path: string): void {
    this.#tallies.settle(path);
  }

  count(path: string, what: FileCount, by = 1): void {
    this[what] += by;
    this.#tallies.of(path)?.count(what, by);
  }

  ignore(path: string): void {
    this.#ignoredCount++;
    if (this.#ignored.length < LIST_MAX) this.#ignored.push(path);
  }

  skip(skipped: Skipped): void {
    this.#skippedCount++;
    if (this.#skipped.length < LIST_MAX) this.#skipped.push(skipped);
    this.#tallies.of(skipped.source)?.skip();
  }

  missing(missing: Skipped): void {
    this.#missingCount++;
    if (this.#missing.length < LIST_MAX) this.#missing.push(missing);
  }

  unknown(path: string, type: string): void {
    const name = type.slice(0, 100);
    // A file may contain any number of made-up types.
    if (!this.#unknown.has(name) && this.#unknown.size >= 1000) return;
    add(this.#unknown, name);
    add(this.#tallies.of(path)?.unknown, name);
  }

  unresolved(path: string, reference: string): void {
    this.#unresolvedCount++;
    const tally = this.#tallies.of(path);
    if (tally !== undefined) tally.unresolvedCount++;
    const name = reference.slice(0, 500);
    if (!this.#unresolved.has(name) && this.#unresolved.size >= LIST_MAX) return;
    add(this.#unresolved, name);
    add(tally?.unresolved, name);
  }

  build(dryRun: boolean): ImportReport {
    return {
      dryRun,
      ...this.imported.build(),
      messages: this.messages,
      branches: this.branches,
      files: this.files,
      unchanged: this.unchanged,
      bytes: this.bytes,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      ignored: this.#ignoredCount,
      ignoredFiles: this.#ignored,
      empty: this.empty,
      forgotten: this.forgotten,
      joined: this.joined,
      apart: this.apart,
      ofStore: this.ofStore,
      records: this.records,
      unknown: Object.fromEntries([...this.#unknown].sort()),
      unresolved: this.#unresolvedCount,
      unresolvedReferences: [...this.#unresolved.keys()],
      missing: this.#missing,
      missingCount: this.#missingCount,
      pending: this.pending,
      interrupted: this.interrupted,
    };
  }
}

function add(times: Map<string, number> | undefined, name: string): void {
  times?.set(name, (times.get(name) ?? 0) + 1);
}

function take(times: Map<string, number>, name: string, by: number): void {
  const left = (times.get(name) ?? 0) - by;
  if (left > 0) times.set(name, left);
  else times.delete(name);
}
