import { dirname } from "node:path";
import { ColloquyError, unavailable } from "../errors.ts";
import type { Entry } from "../message/types.ts";
import { timestamp17 } from "../util/time.ts";
import type { FileIo } from "./io.ts";
import {
  decodeLine,
  type EntryDraft,
  encodeEntry,
  encodeHeader,
  type Header,
  LINE_BYTES_MAX,
} from "./lines.ts";
import { type AdvanceListener, advance, after, EMPTY_LOG, type LogState } from "./log-state.ts";
import { endOfLastLine, readChunk } from "./scan.ts";

export interface LogWriterOptions extends AdvanceListener {
  readonly nowMs: () => number;
  /** Off, an append survives the process but not a power cut. */
  readonly durable: boolean;
}

export type Placed = Pick<Entry, "id" | "seq" | "parentId">;

/**
 * The one writer of a log, for as long as its owner holds the lock.
 *
 * `append` writes, `sync` makes durable; nothing may be acknowledged before
 * the sync. A write that fails leaves the file as it was. A sync that fails
 * ends this writer: the kernel may have dropped the pages and a second sync
 * would report a success that is none.
 */
export class LogWriter {
  readonly path: string;
  readonly #io: FileIo;
  readonly #options: LogWriterOptions;
  #file: number | undefined;
  #inode = 0n;
  #state: LogState = EMPTY_LOG;
  /** Everything up to here has been synced. */
  #durable: LogState = EMPTY_LOG;
  #refusal: string | undefined;
  #restarts = 0;

  /** `known` may spare reading what was read before; it is checked against the file. */
  constructor(io: FileIo, path: string, options: LogWriterOptions, known: LogState = EMPTY_LOG) {
    this.path = path;
    this.#io = io;
    this.#options = options;
    this.#state = known;
    this.#durable = known;
  }

  get state(): LogState {
    return this.#state;
  }

  /** How often reading started over, because the file was replaced or cut by somebody else. */
  get restarts(): number {
    return this.#restarts;
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
    const stat = this.#io.stat(this.path);
    if (stat === undefined) throw unavailable(`The transcript ${this.path} is missing`);
    if (this.#file === undefined || stat.inode !== this.#inode) {
      // What is known before the first opening is known of this file; later, of the one that was replaced.
      const known = this.#file === undefined ? this.#state : EMPTY_LOG;
      if (this.#file !== undefined) this.#restarts++;
      this.#reopen(known, stat.inode);
    }
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
      this.#catchUp(stat.size);
      this.#repair();
    }
    this.#durable = this.#state;
    return this.#state;
  }

  /** Give an empty file its first line, which a crash during creation can cost. */
  writeHeader(header: Header): void {
    const line = encodeHeader(header);
    this.#writeAt(0, line);
    this.#state = { ...EMPTY_LOG, bytes: line.length, header };
    this.sync();
  }

  /** Write entries as one atomic append. The file is as before when this throws. */
  append(drafts: readonly EntryDraft[], operationId: string | undefined): Placed[] {
    if (this.#refusal !== undefined) throw this.#refused();
    const before = this.#state;
    const lines: Buffer[] = [];
    const placed: Placed[] = [];
    let state = before;
    drafts.forEach((draft, index) => {
      const seq = state.lastSeq + 1;
      const batch = drafts.length > 1 ? ([index + 1, drafts.length] as const) : undefined;
      const line = encodeEntry(draft, { seq, parentId: state.head, operationId, batch });
      if (line.length > LINE_BYTES_MAX) {
        throw new ColloquyError("VALIDATION_ERROR", `The message is longer than ${LINE_BYTES_MAX} bytes`, {
          field: "content",
        });
      }
      placed.push({ id: draft.id, seq, parentId: state.head });
      lines.push(line);
      state = after(state, { id: draft.id, seq, kind: draft.kind, at: draft.at }, state.bytes + line.length);
    });
    this.#writeAt(before.bytes, lines.length === 1 ? (lines[0] as Buffer) : Buffer.concat(lines));
    this.#state = state;
    return placed;
  }

  sync(): void {
    if (!this.#options.durable || this.#file === undefined || this.#durable === this.#state) return;
    try {
      this.#io.sync(this.#file);
    } catch (error) {
      throw this.#syncFailed(error);
    }
    this.#durable = this.#state;
  }

  async syncLater(): Promise<void> {
    if (!this.#options.durable || this.#file === undefined || this.#durable === this.#state) return;
    try {
      await this.#io.syncLater(this.#file);
    } catch (error) {
      throw this.#syncFailed(error);
    }
    this.#durable = this.#state;
  }

  close(): void {
    if (this.#file !== undefined) this.#io.close(this.#file);
    this.#file = undefined;
  }

  #reopen(known: LogState, inode: bigint): void {
    this.close();
    this.#file = this.#io.open(this.path, "write");
    this.#inode = inode;
    this.#state = known;
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
      if (this.#options.durable) this.#io.sync(file);
    } catch (error) {
      this.#refusal = `a failed write could not be taken back (${(error as Error).message})`;
    }
  }

  #syncFailed(error: unknown): ColloquyError {
    this.#refusal = `a sync failed (${(error as Error).message})`;
    this.#state = this.#durable;
    try {
      // Readers must not see what was never acknowledged as if it were kept.
      this.#io.truncate(this.#open(), this.#durable.bytes);
    } catch {
      // The next opener finds the tail and judges it by its checksums.
    }
    return unavailable(`Cannot make ${this.path} durable: ${(error as Error).message}`, { cause: error });
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
        this.#io.sync(file);
        this.#catchUp(size + 1);
        if (this.#state.bytes === size + 1) return;
      }
    }
    this.#setAside(file, this.#state.bytes);
  }

  #setAside(file: number, from: number): void {
    const { size } = this.#io.statOpen(file);
    const stamp = timestamp17(this.#options.nowMs());
    let aside = `${this.path}.torn-${stamp}`;
    for (let copy = 2; this.#io.stat(aside) !== undefined; copy++)
      aside = `${this.path}.torn-${stamp}-${copy}`;
    copyRange(this.#io, file, from, size, aside);
    this.#io.truncate(file, from);
    this.#io.sync(file);
    this.#options.bad?.({ start: from, end: size, reason: `torn by a crash, set aside as ${aside}` });
  }
}

function copyRange(io: FileIo, from: number, start: number, end: number, path: string): void {
  const copy = io.open(path, "create");
  try {
    for (let position = start; position < end; ) {
      const chunk = readChunk(io, from, position, Math.min(1 << 20, end - position));
      if (io.write(copy, chunk, position - start) !== chunk.length) {
        throw unavailable(`Cannot set a torn tail aside in ${path}: the disk is full`);
      }
      position += chunk.length;
    }
    io.sync(copy);
  } finally {
    io.close(copy);
  }
  io.syncFolder(dirname(path));
}

/** Make a new log that holds its first line. Fails when the name is taken; leaves nothing when it fails. */
export function createLog(io: FileIo, path: string, header: Header): LogState {
  const line = encodeHeader(header);
  const file = io.open(path, "create");
  try {
    if (io.write(file, line, 0) !== line.length) throw unavailable(`Cannot create ${path}: the disk is full`);
    io.sync(file);
  } catch (error) {
    io.close(file);
    io.remove(path);
    throw error;
  }
  io.close(file);
  io.syncFolder(dirname(path));
  return { ...EMPTY_LOG, bytes: line.length, header };
}
