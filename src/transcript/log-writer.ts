import { dirname } from "node:path";
import { copyRange } from "../disk/copy-file.ts";
import type { FileIo } from "../disk/file-io.ts";
import { endOfLastLine, LINE_BYTES_MAX, readChunk } from "../disk/line-scan.ts";
import { freeName, replaceFile } from "../disk/replace-file.ts";
import { ColloquyError, unavailable } from "../errors.ts";
import type { TreePlace } from "../tree/place-entries.ts";
import { timestamp17 } from "../util/time.ts";
import type { Random } from "../util/uuid.ts";
import { decodeLine, type EntryDraft, encodeEntry, encodeHeader, type Header } from "./lines.ts";
import { type AdvanceListener, advance, after, EMPTY_LOG, type LogState } from "./log-state.ts";

export interface LogWriterOptions extends AdvanceListener {
  readonly nowMs: () => number;
  /** Off, an append survives the process but not a power cut. */
  readonly durable: boolean;
}

/**
 * The one writer of a log, for as long as its owner holds the lock.
 *
 * `stage` prepares an append, `write` writes what was staged, `sync` makes it
 * durable; nothing may be acknowledged before the sync. A write that fails
 * leaves the file as it was. A sync that fails ends this writer: the kernel
 * may have dropped the pages and a second sync would report a success that is
 * none.
 */
export class LogWriter {
  readonly path: string;
  readonly #io: FileIo;
  readonly #options: LogWriterOptions;
  #file: number | undefined;
  /** The file that is open, or that the state was read from. */
  #inode: bigint | undefined;
  #state: LogState = EMPTY_LOG;
  /** What is in the file: the state less what is staged. */
  #written: LogState = EMPTY_LOG;
  #staged: Buffer[] = [];
  /** Everything up to here has been synced. */
  #durable: LogState = EMPTY_LOG;
  /** There are appends that wait for `sync`. */
  #waiting = false;
  /** There are lines of other writers, who may have died before their sync. */
  #unsure = false;
  #refusal: string | undefined;
  /** Kept, so that everybody whose append waited for that sync is told. */
  #syncFailure: ColloquyError | undefined;
  #restarts = 0;

  /** `known`, which was read from the file `inode`, spares reading that again. */
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

  /** With what is staged. */
  get state(): LogState {
    return this.#state;
  }

  /** There are lines that are staged and not written. */
  get isStaged(): boolean {
    return this.#staged.length > 0;
  }

  /** How often reading started over, because the file was replaced or cut by somebody else. */
  get restarts(): number {
    return this.#restarts;
  }

  /** A write or a sync failed in a way that only opening the file anew can put right. */
  get refuses(): boolean {
    return this.#refusal !== undefined;
  }

  /**
   * Catch up with what other writers appended, and repair what one of them
   * left torn. Must be called under the lock before the first append of a
   * write. A file that was replaced meanwhile is opened anew: this is what
   * keeps a writer that slept through a replacement from writing into the
   * former file.
   */
  refresh(): LogState {
    if (this.#refusal !== undefined) throw this.#refused();
    // An earlier append of the same transaction still waits for its sync, and nobody else can have written.
    if (this.#waiting || this.#staged.length > 0) return this.#state;
    const stat = this.#io.stat(this.path);
    if (stat === undefined) throw unavailable(`The transcript ${this.path} is missing`);
    const { lastSeq } = this.#state;
    const replaced = this.#inode !== undefined && stat.inode !== this.#inode;
    if (replaced) {
      this.#state = EMPTY_LOG;
      this.#restarts++;
    }
    if (this.#file === undefined || replaced) this.#reopen(stat.inode);
    if (stat.size < this.#state.bytes) {
      this.#options.bad?.({
        start: stat.size,
        end: this.#state.bytes,
        reason: "the file is shorter than it was",
      });
      this.#state = EMPTY_LOG;
      this.#restarts++;
    }
    if (stat.size > this.#state.bytes) {
      this.#unsure = true;
      this.#catchUp(stat.size);
      this.#repair();
    }
    // A file that was cut short must not give out a number twice.
    if (this.#state.lastSeq < lastSeq) this.#state = { ...this.#state, lastSeq };
    this.#written = this.#state;
    this.#durable = this.#state;
    return this.#state;
  }

  /** Give an empty file its first line, which a crash during creation can cost. */
  writeHeader(header: Header): void {
    const line = encodeHeader(header);
    this.#writeAt(0, line);
    this.#state = { ...EMPTY_LOG, bytes: line.length, header };
    this.#written = this.#state;
    this.#waiting = true;
    this.sync();
  }

  /** Write entries as one atomic append. The file is as before when this throws. */
  append(drafts: readonly EntryDraft[], places: readonly TreePlace[], operationId: string | undefined): void {
    this.stage(drafts, places, operationId);
    this.write();
  }

  /** Prepare one atomic append, to be written together with others. Gives where its lines will begin. */
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

  /** Forget what is staged. */
  unstage(): void {
    this.#staged = [];
    this.#state = this.#written;
  }

  /** Write what is staged, with one call. When this throws, nothing of it is there. */
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
    this.#synced();
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

  /** Remove what a failed write may have left. If even that fails, only a new opener can repair. */
  #cutBack(size: number): void {
    const file = this.#open();
    try {
      this.#io.truncate(file, size);
    } catch (error) {
      this.#refusal = `a failed write could not be taken back (${(error as Error).message})`;
      return;
    }
    try {
      if (this.#options.durable) this.#io.sync(file);
    } catch (error) {
      this.#syncFailed(error);
    }
  }

  /** Nothing since the last good sync is acknowledged, and this writer never syncs again. */
  #syncFailed(error: unknown): ColloquyError {
    // Without appends of its own this writer may not have seen the last ones of others: they stay.
    if (this.#waiting) {
      this.#written = this.#durable;
      this.unstage();
      this.#waiting = false;
      try {
        // Readers must not see what was never acknowledged as if it were kept.
        this.#io.truncate(this.#open(), this.#durable.bytes);
      } catch {
        // The next opener finds the tail and judges it by its checksums.
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
      `${this.path} takes no more writes: ${this.#refusal}. Check the disk, then open it again`,
    );
  }

  /** What lies behind the last complete append is set aside, unless only its newline is missing. */
  #repair(): void {
    const file = this.#open();
    const { size } = this.#io.statOpen(file);
    if (size === this.#state.bytes) return;
    const fragment = endOfLastLine(this.#io, file, size);
    if (fragment < size && size - fragment <= LINE_BYTES_MAX) {
      if (decodeLine(readChunk(this.#io, file, fragment, size - fragment)).ok) {
        this.#writeAt(size, Buffer.from("\n"));
        this.#syncRepair(file);
        this.#catchUp(size + 1);
        if (this.#state.bytes === size + 1) return;
      }
    }
    this.#setAside(file, this.#state.bytes);
  }

  #setAside(file: number, from: number): void {
    const { size } = this.#io.statOpen(file);
    const aside = freeName(this.#io, `${this.path}.torn-${timestamp17(this.#options.nowMs())}`);
    copyRange(this.#io, file, from, size, aside);
    this.#io.syncFolder(dirname(aside));
    this.#io.truncate(file, from);
    this.#syncRepair(file);
    this.#options.bad?.({ start: from, end: size, reason: `torn by a crash, set aside as ${aside}` });
  }
}

/** Make a new log that holds its first line: whole or not at all. Fails when the name is taken. */
export function createLog(io: FileIo, random: Random, path: string, header: Header): LogState {
  if (io.stat(path) !== undefined) throw unavailable(`Cannot create ${path}: it exists`);
  const line = encodeHeader(header);
  replaceFile(path, line, { io, random });
  return { ...EMPTY_LOG, bytes: line.length, header };
}
