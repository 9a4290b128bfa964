/**
 * The changes of a store in commit order, 32 bytes for each append.
 *
 * A record is written before the log, as an intent, and decided after the sync
 * of the log: together with the next intent, or when the process is idle. An
 * append never syncs the feed: after a power cut the missing records are
 * rebuilt from the logs (`feed-repair.ts`). A reader syncs before it returns a
 * place, so that no place refers to records that a power cut can remove.
 */

import type { FileIo } from "../../../disk/file-io.ts";
import { refuseHardLinks } from "../../../disk/hard-links.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { unavailable } from "../../../errors.ts";
import type { Random } from "../../../util/uuid.ts";
import { decodeHeader, encodeHeader, type FeedHeader, HEADER_BYTES, raiseDurable } from "./feed-header.ts";
import { decodeRecord, encodeRecord, type FeedRecord, RECORD_BYTES } from "./feed-record.ts";

/** The current state of the file. */
export interface FeedState extends FeedHeader {
  /** The number of records, including unreadable ones. */
  readonly count: number;
}

const CHUNK_RECORDS = 4096;
const SHARED_COMMITS = 64;

/** A record, and the index of the operation that decides it. */
export interface Recorded {
  readonly record: FeedRecord;
  readonly index: number;
}

/** Records of a finished commit that are still intents in the file. */
interface Undecided {
  readonly index: number;
  readonly records: readonly FeedRecord[];
}

export interface FeedOptions {
  readonly readonly: boolean;
  readonly durable: boolean;
}

export class Feed {
  /** Changes that could not be recorded. The next commit records them. */
  readonly owed: Recorded[] = [];
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #path: string;
  readonly #options: FeedOptions;
  #file: number | undefined;
  #inode: bigint | undefined;
  #links = 1;
  #header: FeedHeader | undefined;
  #count = 0;
  /** The open file is shorter than it was. */
  #shrunk = false;
  /** The number of records after the last write of this process, all of them decided. */
  #decided = -1;
  /** The number of records that survive a power cut, as far as this process knows. */
  #synced = -1;
  /** A sync failed. */
  #suspect = false;
  #undecided: Undecided | undefined;
  /** For so many commits, another process is expected to write next. */
  #shared = 0;
  #soon: NodeJS.Immediate | undefined;

  constructor(io: FileIo, random: Random, path: string, options: FeedOptions) {
    this.#io = io;
    this.#random = random;
    this.#path = path;
    this.#options = options;
  }

  get path(): string {
    return this.#path;
  }

  get isReadonly(): boolean {
    return this.#options.readonly;
  }

  /** Whether the open file has become shorter: another program cut it, or a writer removed its failed write. */
  get hasShrunk(): boolean {
    return this.#shrunk;
  }

  /** For a change that is recorded only after it has happened. */
  refuseHardLinks(): void {
    const stat = this.#io.stat(this.#path);
    if (stat !== undefined) refuseHardLinks(this.#path, stat);
  }

  exists(): boolean {
    return this.#io.stat(this.#path) !== undefined;
  }

  /** `undefined` if there is no readable feed. `durable` is as of the opening of the file. */
  look(): FeedState | undefined {
    const stat = this.#io.stat(this.#path);
    if (stat === undefined) return undefined;
    if (this.#file === undefined || stat.inode !== this.#inode) {
      this.close();
      this.#file = this.#io.open(this.#path, this.#options.readonly ? "read" : "write");
      this.#inode = stat.inode;
      this.#header = this.#readHeader();
      this.#count = 0;
    }
    this.#links = stat.links;
    const count = Math.floor((stat.size - HEADER_BYTES) / RECORD_BYTES);
    if (count < this.#count) this.#shrunk = true;
    this.#count = Math.max(0, count);
    return this.#header === undefined || count < 0 ? undefined : { ...this.#header, count };
  }

  /** `look` with the header as it is in the file now. */
  lookAgain(): FeedState | undefined {
    if (this.look() === undefined) return undefined;
    this.#header = this.#readHeader();
    return this.look();
  }

  #readHeader(): FeedHeader | undefined {
    return decodeHeader(readChunk(this.#io, this.#open(), 0, HEADER_BYTES));
  }

  /** The record at `index`; `undefined` if it is unreadable. */
  record(index: number): FeedRecord | undefined {
    return decodeRecord(this.bytes(index, 1));
  }

  /** All records, the last one first; `undefined` for an unreadable one. */
  *backward(count: number): Generator<FeedRecord | undefined> {
    for (let end = count; end > 0; end -= CHUNK_RECORDS) {
      const begin = Math.max(0, end - CHUNK_RECORDS);
      const bytes = this.bytes(begin, end - begin);
      for (let at = (end - begin - 1) * RECORD_BYTES; at >= 0; at -= RECORD_BYTES)
        yield decodeRecord(bytes.subarray(at, at + RECORD_BYTES));
    }
  }

  /** At most `count` records from `index` on, up to the first unreadable one. */
  records(index: number, count: number): FeedRecord[] {
    const bytes = this.bytes(index, count);
    const found: FeedRecord[] = [];
    for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
      const record = decodeRecord(bytes.subarray(at, at + RECORD_BYTES));
      if (record === undefined) break;
      found.push(record);
    }
    return found;
  }

  bytes(index: number, count: number): Buffer {
    return readChunk(this.#io, this.#open(), positionOf(index), count * RECORD_BYTES);
  }

  /** Append records with one write and return the index of the first. Under the lock, after `look`. */
  add(records: readonly FeedRecord[]): number {
    const index = this.#count;
    const decided = this.#takeDecided();
    try {
      const bytes = [...(decided?.records ?? []), ...records].map(encodeRecord);
      this.#write(decided?.index ?? index, bytes.length === 1 ? (bytes[0] as Buffer) : Buffer.concat(bytes));
    } catch (error) {
      this.#cutBack(index);
      throw error;
    }
    this.#count += records.length;
    return index;
  }

  /**
   * Set the decided records of the last commit, which start at `index`. They are
   * written soon, or at once if other processes write too: a process that finds
   * them open has to read and sync the logs.
   */
  decide(index: number, records: readonly FeedRecord[]): void {
    if (this.#shared > 0) {
      this.#shared--;
      this.rewrite(index, records);
      this.#decided = index + records.length;
      return;
    }
    this.#undecided = { index, records };
    this.#decided = index + records.length;
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.writeDecided();
    }).unref();
  }

  /** Safe at any time: another process that decided these records has written the same bytes. */
  writeDecided(): void {
    if (this.#undecided === undefined) return;
    try {
      if (this.look() === undefined) return;
      const decided = this.#takeDecided();
      if (decided !== undefined) this.rewrite(decided.index, decided.records);
    } catch {
      // The next reader of these records decides them by the logs.
      this.#decided = -1;
    }
  }

  /** Does nothing if another process has written since, because it has decided the records. */
  #takeDecided(): Undecided | undefined {
    const undecided = this.#undecided;
    this.#undecided = undefined;
    if (undecided === undefined || undecided.index + undecided.records.length !== this.#count)
      return undefined;
    return undecided;
  }

  rewrite(index: number, records: readonly FeedRecord[]): void {
    this.#write(index, Buffer.concat(records.map(encodeRecord)));
  }

  #write(index: number, bytes: Buffer): void {
    refuseHardLinks(this.#path, { links: this.#links });
    const written = this.#io.write(this.#open(), bytes, positionOf(index));
    if (written !== bytes.length)
      throw unavailable(`Cannot write to ${this.#path}: the disk is probably full`);
  }

  /** The index of the first record of the last commit, if there are `count` records. */
  lastCommit(count: number): number {
    let index = count - 1;
    while (index > 0 && this.record(index)?.continues === true) index--;
    return Math.max(0, index);
  }

  /** Another process has written since the last commit of this one. */
  expectOthers(): void {
    this.#shared = SHARED_COMMITS;
  }

  /** The number of readable records before the first that is undecided. */
  decidedCount(): number {
    const first = this.lastCommit(this.#count);
    const records = this.records(first, this.#count - first);
    const open = records.findIndex(({ type }) => type === "intent");
    return first + (open === -1 ? records.length : open);
  }

  /** Whether this process wrote the last record, and all are decided. */
  isDecided(count: number): boolean {
    return count === this.#decided;
  }

  /** Mark every record as decided, under the lock. */
  markDecided(): void {
    this.#decided = this.#count;
  }

  /** The feed has been compared with the logs, and all of it is decided, under the lock. */
  markWhole(): void {
    this.#shrunk = false;
    this.markDecided();
  }

  /** Make the first `count` records, which are decided, durable. */
  sync(count: number): void {
    if (count <= this.#synced) return;
    try {
      if (this.#options.durable) this.#io.sync(this.#open());
    } catch (error) {
      this.#suspect = true;
      throw error;
    }
    this.#synced = count;
    this.#rememberDurable(Math.min(count, this.decidedCount()));
  }

  /** Make all records durable, decided or not, under the lock. */
  syncAll(): void {
    this.writeDecided();
    if (this.#options.readonly || this.look() === undefined) return;
    try {
      if (!this.#suspect) this.sync(this.#count);
    } catch {
      // Healed below.
    }
    this.heal();
  }

  /** Unsynced: a power cut that loses this number loses none of the records. */
  #rememberDurable(count: number): void {
    if (this.#options.readonly) return;
    const raised = raiseDurable(readChunk(this.#io, this.#open(), 0, HEADER_BYTES), count);
    try {
      if (raised !== undefined) this.#io.write(this.#open(), raised.bytes, raised.at);
    } catch {
      // The number may be too small, which only makes damage harder to tell from a power cut.
    }
  }

  /** After a failed sync the content of the disk is unknown, so write the whole feed again, under the lock. */
  heal(): void {
    const state = this.#suspect ? this.look() : undefined;
    if (state === undefined) return;
    this.#suspect = false;
    try {
      this.replace({ ...state, durable: state.count }, [this.bytes(0, state.count)]);
    } catch (error) {
      // Places of the old feed are refused then, which is better than missing changes.
      this.#io.remove(this.#path);
      throw error;
    }
  }

  /** Replace the feed atomically. */
  replace(header: FeedHeader, content: readonly Buffer[]): void {
    replaceFile(this.#path, [encodeHeader(header), ...content], { io: this.#io, random: this.#random });
    this.look();
  }

  close(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    this.#undecided = undefined;
    if (this.#file !== undefined) this.#io.close(this.#file);
    this.#file = undefined;
    this.#decided = -1;
    this.#synced = -1;
    this.#shrunk = false;
  }

  #open(): number {
    if (this.#file === undefined) throw unavailable(`The feed ${this.#path} is not open`);
    return this.#file;
  }

  /** Remaining intents are voided by the next commit. */
  #cutBack(count: number): void {
    this.#decided = -1;
    this.#undecided = undefined;
    try {
      this.#io.truncate(this.#open(), positionOf(count));
    } catch {
      // As above.
    }
  }
}

function positionOf(index: number): number {
  return HEADER_BYTES + index * RECORD_BYTES;
}
