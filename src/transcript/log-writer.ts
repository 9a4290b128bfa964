import type { FileIo } from "../disk/file-io.ts";
import { refuseHardLinks } from "../disk/hard-links.ts";
import { beginsLine, LINE_BYTES_MAX } from "../disk/line-scan.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { ColloquyError, unavailable } from "../errors.ts";
import type { TreePlace } from "../tree/place-entries.ts";
import type { Random } from "../util/uuid.ts";
import { removeFormerNames } from "./generation.ts";
import { type EntryDraft, encodeEntry, encodeHeader, type Header } from "./lines.ts";
import { type AdvanceListener, advance, after, EMPTY_LOG, type LogState } from "./log-state.ts";
import { lacksOnlyNewline, setTailAside } from "./torn-tail.ts";

export interface LogWriterOptions extends AdvanceListener {
  readonly nowMs: () => number;
  /** If false, an append survives a crash of the process but not a power cut. */
  readonly durable: boolean;
}

/**
 * The one writer of a log, for as long as its owner holds the lock.
 *
 * `stage` prepares an append, `write` writes the staged lines, `sync` makes them
 * durable; nothing may be acknowledged before the sync. A failed write leaves
 * the file unchanged. A failed sync ends this writer: the kernel may have
 * dropped the pages, and a second sync would report a false success.
 */
export class LogWriter {
  readonly path: string;
  readonly #io: FileIo;
  readonly #options: LogWriterOptions;
  #file: number | undefined;
  /** The file that is open, or that the state was read from. */
  #inode: bigint | undefined;
  #state: LogState = EMPTY_LOG;
  /** The state of the file, without staged lines. */
  #written: LogState = EMPTY_LOG;
  #staged: Buffer[] = [];
  /** Everything up to here has been synced. */
  #durable: LogState = EMPTY_LOG;
  /** Whether appends wait for `sync`. */
  #waiting = false;
  /** Whether there are lines of other writers, which may have died before their sync. */
  #unsure = false;
  #refusal: string | undefined;
  /** Kept for every caller whose append waited for that sync. */
  #syncFailure: ColloquyError | undefined;
  #restarts = 0;

  /** `known` is a state that was already read from the file `inode`. */
  constructor(
    io: FileIo,
    path: string,
    options: LogWriterOptions,
    known: LogState = EMPTY_LOG,
    inode?: bigint,
  ) {
    this.path = path;
    this.#io = io;
    this.#options = options;
    this.#state = known;
    this.#written = known;
    this.#durable = known;
    this.#inode = inode;
  }

  /** The state including staged lines. */
  get state(): LogState {
    return this.#state;
  }

  /** Whether lines are staged and not written. */
  get isStaged(): boolean {
    return this.#staged.length > 0;
  }

  /** How often reading started over because the file was replaced or cut short. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Whether a write or sync has failed so that the file must be opened again. */
  get refuses(): boolean {
    return this.#refusal !== undefined;
  }

  /** Whether the file is as this writer left it. Needs no lock. */
  get isCurrent(): boolean {
    if (this.#staged.length > 0) return false;
    const stat = this.#io.stat(this.path);
    return stat !== undefined && stat.inode === this.#inode && stat.size === this.#state.bytes;
  }

  /**
   * Read the appends of other writers and repair a torn tail. Call it under the
   * lock before the first append. A file that was replaced in the meantime is
   * opened again, so that nothing is written to the former file.
   */
  refresh(): LogState {
    if (this.#refusal !== undefined) throw this.#refused();
    // An append of this transaction still waits for its sync, so no other process can have written.
    if (this.#waiting || this.#staged.length > 0) return this.#state;
    const stat = this.#io.stat(this.path);
    if (stat === undefined) throw unavailable(`The transcript ${this.path} is missing`);
    let { size } = stat;
    if (stat.links > 1) this.#checkNames();
    const { lastSeq } = this.#state;
    const replaced = this.#inode !== undefined && stat.inode !== this.#inode;
    if (replaced) {
      this.#state = EMPTY_LOG;
      this.#restarts++;
    }
    if (this.#file === undefined || replaced) {
      this.#reopen(stat.inode);
      size = this.#endLastLine(size);
    }
    if (size < this.#state.bytes) {
      this.#options.bad?.({
        start: size,
        end: this.#state.bytes,
        reason: "the file is shorter than it was",
      });
      this.#state = EMPTY_LOG;
      this.#restarts++;
    }
    if (size > this.#state.bytes) {
      this.#unsure = true;
      if (!beginsLine(this.#io, this.#open(), this.#state.bytes)) {
        this.#state = EMPTY_LOG;
        this.#restarts++;
      }
      this.#catchUp(size);
      this.#repair();
    }
    // A `seq` must not be used twice, even if the file was cut short.
    if (this.#state.lastSeq < lastSeq) this.#state = { ...this.#state, lastSeq };
    this.#written = this.#state;
    this.#durable = this.#state;
    return this.#state;
  }

  /**
   * The newline of the last line may be damaged: the next line must not become a part of it. The entry still counts, so
   * that the next one names it as its parent and readers see that something is missing. Returns the size.
   */
  #endLastLine(size: number): number {
    const file = this.#open();
    if (size === 0 || size !== this.#state.bytes || beginsLine(this.#io, file, size)) return size;
    this.#writeAt(size, Buffer.from("\n"));
    this.#syncRepair(file);
    this.#state = { ...this.#state, bytes: size + 1 };
    return size + 1;
  }

  #checkNames(): void {
    removeFormerNames(this.#io, this.path);
    const stat = this.#io.stat(this.path);
    if (stat !== undefined) refuseHardLinks(this.path, stat);
  }

  /** Write the header to an empty file, which a crash during creation can leave. */
  writeHeader(header: Header): void {
    const line = encodeHeader(header);
    this.#writeAt(0, line);
    this.#state = { ...EMPTY_LOG, bytes: line.length, header };
    this.#written = this.#state;
    this.#waiting = true;
    this.sync();
  }

  /** Write entries as one atomic append. If this throws, the file is unchanged. */
  append(drafts: readonly EntryDraft[], places: readonly TreePlace[], operationId: string | undefined): void {
    this.stage(drafts, places, operationId);
    this.write();
  }

  /** Prepare one atomic append, to be written together with others. Returns where its lines will start. */
  stage(
    drafts: readonly EntryDraft[],
    places: readonly TreePlace[],
    operationId: string | undefined,
  ): number[] {
    if (this.#refusal !== undefined) throw this.#refused();
    const lines: Buffer[] = [];
    const starts: number[] = [];
    let state = this.#state;
    drafts.forEach((draft, index) => {
      const { seq, parentId, branch } = places[index] as TreePlace;
      const batch = drafts.length > 1 ? ([index + 1, drafts.length] as const) : undefined;
      const line = encodeEntry(draft, { seq, parentId, branch, operationId, batch });
      if (line.length > LINE_BYTES_MAX) {
        throw new ColloquyError("VALIDATION_ERROR", `The message is longer than ${LINE_BYTES_MAX} bytes`, {
          field: "content",
        });
      }
      lines.push(line);
      starts.push(state.bytes);
      const { id, kind, at, data, blobs } = draft;
      state = after(state, { id, seq, kind, at, data, blobs }, state.bytes + line.length, branch);
    });
    for (const line of lines) this.#staged.push(line);
    this.#state = state;
    return starts;
  }

  /** Discard the staged lines. */
  unstage(): void {
    this.#staged = [];
    this.#state = this.#written;
  }

  /** Write the staged lines with one call. If this throws, none of them is in the file. */
  write(): void {
    if (this.#staged.length === 0) return;
    const bytes = this.#staged.length === 1 ? (this.#staged[0] as Buffer) : Buffer.concat(this.#staged);
    try {
      this.#writeAt(this.#written.bytes, bytes);
    } catch (error) {
      this.unstage();
      throw error;
    }
    this.#staged = [];
    this.#written = this.#state;
    this.#waiting = true;
  }

  sync(): void {
    if (this.#syncFailure !== undefined) throw this.#syncFailure;
    if (!this.#waiting && !this.#unsure) return;
    try {
      if (this.#options.durable) this.#io.sync(this.#open());
    } catch (error) {
      throw this.#syncFailed(error);
    }
    this.#checkName();
    this.#synced();
  }

  async syncLater(): Promise<void> {
    if (this.#syncFailure !== undefined) throw this.#syncFailure;
    if (!this.#waiting && !this.#unsure) return;
    try {
      if (this.#options.durable) await this.#io.syncLater(this.#open());
    } catch (error) {
      throw this.#syncFailed(error);
    }
    this.#checkName();
    this.#synced();
  }

  /** What was written to a file that has lost its name is lost, and must not be acknowledged. */
  #checkName(): void {
    if (!this.#waiting || this.#io.stat(this.path)?.inode === this.#inode) return;
    this.#waiting = false;
    this.unstage();
    throw unavailable(
      `${this.path} was removed or replaced while it was being written. Repeat what was not acknowledged`,
    );
  }

  #synced(): void {
    this.#durable = this.#state;
    this.#waiting = false;
    this.#unsure = false;
  }

  close(): void {
    if (this.#file !== undefined) this.#io.close(this.#file);
    this.#file = undefined;
  }

  #reopen(inode: bigint): void {
    this.close();
    this.#file = this.#io.open(this.path, "write");
    this.#inode = inode;
    this.#unsure = true;
  }

  #catchUp(size: number): void {
    this.#state = advance(this.#io, this.#open(), this.#state, size, this.#options);
  }

  #open(): number {
    if (this.#file === undefined) throw unavailable(`The transcript ${this.path} is not open`);
    return this.#file;
  }

  #writeAt(position: number, bytes: Buffer): void {
    const file = this.#open();
    let failure: unknown;
    try {
      const count = this.#io.write(file, bytes, position);
      if (count === bytes.length) return;
      failure = new Error(`only ${count} of ${bytes.length} bytes were written, the disk is probably full`);
    } catch (error) {
      failure = error;
    }
    this.#cutBack(position);
    throw unavailable(`Cannot write to ${this.path}: ${(failure as Error).message}`, { cause: failure });
  }

  /** Remove the bytes of a failed write. If even that fails, only a new opener can repair the file. */
  #cutBack(size: number): void {
    const file = this.#open();
    try {
      this.#io.truncate(file, size);
    } catch (error) {
      this.#refusal = `a failed write could not be undone (${(error as Error).message})`;
      return;
    }
    try {
      if (this.#options.durable) this.#io.sync(file);
    } catch (error) {
      this.#syncFailed(error);
    }
  }

  /** Nothing since the last successful sync is acknowledged, and this writer never syncs again. */
  #syncFailed(error: unknown): ColloquyError {
    // A writer without its own appends may not have seen the last ones of others, which must stay.
    if (this.#waiting) {
      this.#written = this.#durable;
      this.unstage();
      this.#waiting = false;
      try {
        // Readers must not see entries that were never acknowledged.
        this.#io.truncate(this.#open(), this.#durable.bytes);
      } catch {
        // The next opener checks the tail by its checksums.
      }
    }
    return this.#neverSyncAgain(error);
  }

  #neverSyncAgain(error: unknown): ColloquyError {
    const reason = (error as Error).message;
    this.#refusal = `a sync failed (${reason})`;
    this.#syncFailure = unavailable(`Cannot make ${this.path} durable: ${reason}`, { cause: error });
    return this.#syncFailure;
  }

  #syncRepair(file: number): void {
    try {
      this.#io.sync(file);
    } catch (error) {
      throw this.#neverSyncAgain(error);
    }
  }

  #refused(): ColloquyError {
    return unavailable(
      `${this.path} accepts no more writes: ${this.#refusal}. Check the disk, then open it again`,
    );
  }

  /** Set the torn tail aside, unless only its newline is missing. */
  #repair(): void {
    const file = this.#open();
    const { size } = this.#io.statOpen(file);
    if (size === this.#state.bytes) return;
    if (lacksOnlyNewline(this.#io, file, size)) {
      this.#writeAt(size, Buffer.from("\n"));
      this.#syncRepair(file);
      this.#catchUp(size + 1);
      if (this.#state.bytes === size + 1) return;
    }
    const torn = setTailAside(this.#io, file, this.path, this.#state.bytes, this.#options.nowMs());
    this.#syncRepair(file);
    this.#options.bad?.(torn);
  }
}

/** Create a log with its header atomically. Fails if the name is taken. */
export function createLog(io: FileIo, random: Random, path: string, header: Header): LogState {
  if (io.stat(path) !== undefined) throw unavailable(`Cannot create ${path}: it exists`);
  const line = encodeHeader(header);
  replaceFile(path, line, { io, random });
  return { ...EMPTY_LOG, bytes: line.length, header };
}
