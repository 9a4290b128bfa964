/** Imports conversations of other tools into a store. */
import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { refuseOpenStore } from "../../disk/open-stores.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { checkMethod, checkObject, checkStrings } from "../../util/checked-arguments.ts";
import { FORMATS } from "../readers/index.ts";
import type { SourceFile } from "../sources/types.ts";
import { walk } from "../sources/walk.ts";
import { isRecent } from "./begun.ts";
import { describeAgain } from "./describe-again.ts";
import { isNarrowedFor } from "./detection/candidates.ts";
import { FORMAT_NAMES } from "./detection/choose-format.ts";
import { isUnchanged } from "./file-memory.ts";
import { type FileJob, importFile } from "./import-file.ts";
import { agrees } from "./ledger/agreement.ts";
import type { Forgotten } from "./ledger/forgotten.ts";
import { type FileMemory, Ledger } from "./ledger/ledger.ts";
import { forgottenOf, ledgerOf } from "./ledger/ledger-place.ts";
import { type ImportReport, ReportBuilder } from "./report.ts";
import { ImportSession } from "./session.ts";
import { SideFiles } from "./side-files.ts";

export interface ImportProgress {
  readonly bytes: number;
  readonly bytesTotal: number;
  readonly files: number;
  readonly filesTotal: number;
  readonly conversations: number;
  /** Those that were added. */
  readonly messages: number;
}

export interface ImportOptions {
  /** The name of a format, for files whose content says too little. */
  readonly format?: string | undefined;
  /** Report what would be imported. Writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Read everything again and report what the store lacks. Writes nothing. */
  readonly verify?: boolean | undefined;
  /** Include conversations and files that were purged or forgotten since an earlier import. */
  readonly again?: boolean | undefined;
  /** Leave the incomplete end of a file that changed within this time for a later import. */
  readonly settleMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/**
 * Files are read one after another, because several may hold one conversation, and the first of them names it.
 * This many are written at once, so that their writes share transactions.
 */
const FILES_AT_ONCE = 12;

export async function importConversations(
  store: Store,
  sources: readonly string[],
  options: ImportOptions = {},
): Promise<ImportReport> {
  checkMethod(store, "ingest", "store");
  checkStrings(sources, "paths");
  checkObject(options, "options");
  const { format, dryRun = false, verify = false } = options;
  if (format !== undefined && !FORMAT_NAMES.includes(format)) {
    throw invalid(`Unknown format "${format}": expected one of ${FORMAT_NAMES.join(", ")}`, "format");
  }
  const paths = sources.map((path) => resolve(path));
  for (const path of paths) {
    refuseOpenStore(path, "paths", "An import reads other files than those of its store");
  }
  const looks = dryRun || verify;
  const ledger = looks ? Ledger.inMemory() : ledgerOf(store);
  try {
    const forgotten = forgottenOf(store);
    if (options.again === true && !looks) forgotten.remove(paths);
    return await new Run(store, ledger, forgotten, options).over(paths);
  } finally {
    ledger.close();
  }
}

type PassCalls = Pick<FileJob, "onRead" | "readFirst" | "postpone">;

class Run {
  readonly #options: ImportOptions;
  readonly #ledger: Ledger;
  readonly #forgotten: Forgotten;
  readonly #report: ReportBuilder = new ReportBuilder();
  readonly #job: Omit<FileJob, keyof PassCalls>;
  readonly #paths: Set<string> = new Set();
  /** Files that were not begun yet in this pass, by path. */
  readonly #waiting: Map<string, SourceFile> = new Map();
  /** Files that are being read or written, by path. */
  readonly #unfinished: Map<string, Promise<void>> = new Map();
  /** The file that another one waits for, by the path of that. */
  readonly #first: Map<string, string> = new Map();
  /**
   * Files for the second pass: forks of a file that waits for something itself. What that is may be read in this
   * pass, and then all of them move to its conversation, one after another. `undefined` in the second pass.
   */
  #postponed: Set<string> | undefined = new Set();
  /** Also of files that are read twice, unlike in the report. */
  #bytesDone = 0;
  #bytesTotal = 0;
  #filesDone = 0;
  #filesTotal = 0;

  constructor(store: Store, ledger: Ledger, forgotten: Forgotten, options: ImportOptions) {
    const { dryRun = false, verify = false, again = false, settleMs = 0 } = options;
    const mode = verify ? "verify" : dryRun ? "dry-run" : "write";
    this.#options = options;
    this.#ledger = ledger;
    this.#forgotten = forgotten;
    this.#job = {
      session: new ImportSession(store.ingest(), mode, this.#report, again),
      ledger,
      sideFiles: new SideFiles(),
      wanted: options.format,
      isFinal: ({ modifiedMs }) => !isRecent(modifiedMs, settleMs),
      isForgotten: (path) => this.#isForgotten(path),
      onBytes: (path, bytes) => {
        this.#report.count(path, "bytes", bytes);
        this.#progress(bytes);
      },
      signal: options.signal,
    };
  }

  async over(paths: readonly string[]): Promise<ImportReport> {
    const files = await this.#find(paths);
    for (const { path } of files) this.#paths.add(path);
    this.#filesTotal = files.length;
    this.#bytesTotal = files.reduce((sum, { size }) => sum + size, 0);
    this.#tell();
    await this.#work(files);
    await this.#workAgain(files);
    await this.#job.session.close();
    this.#report.interrupted = this.#options.signal?.aborted === true;
    const report = this.#report.build(this.#options.dryRun === true);
    if (report.missing.length > 0) await this.#job.session.ingest.forgetImports();
    return report;
  }

  async #work(files: Iterable<SourceFile>): Promise<void> {
    const writing = new Set<Promise<void>>();
    for (const file of files) this.#waiting.set(file.path, file);
    try {
      for (const file of files) {
        if (this.#options.signal?.aborted === true) break;
        await this.#job.session.applyBackpressure([]);
        await this.#begin(file, writing);
        if (writing.size >= FILES_AT_ONCE) await Promise.race(writing);
      }
      await Promise.all(writing);
    } finally {
      await Promise.allSettled(writing);
    }
  }

  /** Forks that were imported before what they continue, which was read now, and those that were postponed. */
  async #workAgain(files: readonly SourceFile[]): Promise<void> {
    const postponed = this.#postponed;
    this.#postponed = undefined;
    const due = files.filter(({ path }) => postponed?.has(path) || this.#ledger.awaiting.isDue(path));
    this.#filesDone -= due.length;
    this.#bytesTotal = this.#bytesDone + due.reduce((sum, { size }) => sum + size, 0);
    await this.#work(due);
  }

  /** Resolves when the file was read; it may still be written. A file that another one continues is read before that. */
  async #begin(file: SourceFile, writing: Set<Promise<void>>): Promise<void> {
    if (!this.#waiting.delete(file.path)) return;
    const { promise: read, resolve: onRead } = Promise.withResolvers<void>();
    const readFirst = async (path: string): Promise<boolean> => {
      if (this.#waitsFor(path, file.path)) return true;
      this.#first.set(file.path, path);
      const first = this.#waiting.get(path) ?? (await this.#unnamed(path));
      if (first !== undefined) await this.#begin(first, writing);
      // In the second pass it may have moved, which the ledger is told last.
      if (this.#postponed === undefined) await this.#unfinished.get(path);
      this.#first.delete(file.path);
      const waits = this.#ledger.awaiting.idOf(path) !== undefined;
      const mayMove = this.#postponed?.has(path) === true || waits;
      return this.#postponed === undefined || !mayMove;
    };
    const postpone = (): void => {
      this.#postponed?.add(file.path);
    };
    this.#report.begin(file.path);
    const taken = this.#take(file, { onRead, readFirst, postpone }).then(() => {
      if (!this.#mayComeAgain(file.path)) this.#report.settle(file.path);
      writing.delete(taken);
      this.#unfinished.delete(file.path);
      this.#filesDone++;
      this.#tell();
    });
    writing.add(taken);
    this.#unfinished.set(file.path, taken);
    // The failure of a file that is still being written ends the wait, too.
    const failed = new Promise<never>((_, reject) => {
      for (const other of writing) other.catch(reject);
    });
    await Promise.race([read, taken, failed]);
  }

  #mayComeAgain(path: string): boolean {
    if (this.#postponed === undefined) return false;
    return this.#postponed.has(path) || this.#ledger.awaiting.idOf(path) !== undefined;
  }

  /** Whether a file waits for another one, perhaps through others: damaged files name each other as what they continue. */
  #waitsFor(path: string, other: string): boolean {
    for (let at: string | undefined = path; at !== undefined; at = this.#first.get(at))
      if (at === other) return true;
    return false;
  }

  /** A file that one of the import continues, although the user named only that one. */
  async #unnamed(path: string): Promise<SourceFile | undefined> {
    if (this.#paths.has(path)) return undefined;
    this.#paths.add(path);
    // A link may lead anywhere.
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const [file] = await this.#find([path]);
    if (file === undefined) return undefined;
    this.#waiting.set(path, file);
    this.#filesTotal++;
    this.#bytesTotal += file.size;
    return file;
  }

  async #find(paths: readonly string[]): Promise<SourceFile[]> {
    const files: SourceFile[] = [];
    const onProblem = (source: string, reason: string): void => {
      this.#report.skip({ source, line: null, offset: null, reason });
    };
    try {
      const onOpenStore = (): void => {
        this.#report.ofStore++;
      };
      const { signal } = this.#options;
      for await (const file of walk(paths, { onProblem, onOpenStore, signal })) files.push(file);
    } catch (error) {
      if (this.#options.signal?.aborted !== true) throw error;
    }
    return files;
  }

  /** `onRead` is called when the next file can be read. */
  async #take(file: SourceFile, calls: PassCalls): Promise<void> {
    if (this.#isForgotten(file.path)) {
      this.#report.count(file.path, "forgotten");
      return;
    }
    await this.#lookForAwaited(file);
    // What is due already may have a base that becomes due in this pass.
    if (this.#postponed !== undefined && this.#ledger.awaiting.isDue(file.path)) return calls.postpone();
    const memory = await this.#remembered(file);
    if (memory !== undefined) await this.#describeAgain(file, memory);
    if (memory !== undefined && this.#isDone(file, memory)) {
      return this.#tellUnchanged(file, memory);
    }
    try {
      await importFile({ ...this.#job, ...calls }, file, memory);
    } catch (error) {
      throw withPath(error, file.path);
    }
  }

  #tellUnchanged({ path, size }: SourceFile, { format, skipped }: FileMemory): void {
    for (const one of skipped) this.#report.skip(one);
    if (format === null && size > 0) this.#report.ignore(path);
    else if (format === null) this.#report.empty++;
    else {
      this.#report.count(path, "unchanged");
      this.#report.count(path, "bytes", size);
    }
    this.#progress(size);
  }

  /** What a file waits for may be in a folder that earlier imports were not given. */
  async #lookForAwaited({ path, around }: SourceFile): Promise<void> {
    const { awaiting } = this.#ledger;
    const id = awaiting.idOf(path);
    if (id === undefined || awaiting.isDue(path)) return;
    const known = this.#ledger.get(path)?.format;
    const format = FORMATS.find(({ name }) => name === known);
    if ((await format?.lines?.hasBase?.(id, around)) === true) awaiting.setDue(path);
  }

  #isForgotten(path: string): boolean {
    return this.#options.again !== true && this.#forgotten.has(path);
  }

  /** What an earlier import said of a file, if the store still agrees. Otherwise all of it is read again. */
  async #remembered({ path }: SourceFile): Promise<FileMemory | undefined> {
    const memory = this.#ledger.get(path);
    if (memory === undefined || this.#options.again === true) return undefined;
    const known = this.#ledger.conversations.ofFile(path);
    return (await agrees(this.#job.session.ingest, known)) ? memory : undefined;
  }

  /** A side file may have changed without this one. */
  async #describeAgain(file: SourceFile, memory: FileMemory): Promise<void> {
    const { session, sideFiles } = this.#job;
    const format = FORMATS.find(({ name }) => name === memory.format);
    if (format?.sideFile?.isShared !== true || session.mode !== "write") return;
    const { describe } = await sideFiles.read(format, file.around);
    const { conversations } = this.#ledger;
    const changed = await describeAgain(session.ingest, conversations.ofFile(file.path), describe);
    for (const known of changed) conversations.replace(file.path, known);
  }

  #isDone(file: SourceFile, memory: FileMemory): boolean {
    if (!memory.whole || !this.#isInItsFormat(memory)) return false;
    // The user has named it by now, and then it may be anything.
    if (memory.isNarrowed === true && !isNarrowedFor(file, this.#options.format)) return false;
    return isUnchanged(file, memory) && !this.#ledger.awaiting.isDue(file.path);
  }

  /** The user may have chosen a wrong format before, or choose the right one now. */
  #isInItsFormat({ format, wanted }: FileMemory): boolean {
    const chosen = this.#options.format;
    return chosen === wanted || (chosen !== undefined && chosen === format);
  }

  #progress(bytes: number): void {
    this.#bytesDone += bytes;
    this.#tell();
  }

  #tell(): void {
    this.#options.onProgress?.({
      bytes: this.#bytesDone,
      bytesTotal: this.#bytesTotal,
      files: this.#filesDone,
      filesTotal: this.#filesTotal,
      conversations: this.#report.imported.size,
      messages: this.#report.messages,
    });
  }
}

/** A failure of the store, or a bug, ends the import. The message names the file. */
function withPath(error: unknown, path: string): unknown {
  if (!(error instanceof ColloquyError)) return error;
  return new ColloquyError(error.code, `${error.message} (while importing ${path})`, {
    field: error.field,
    cause: error,
  });
}
