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
import { readChunk } from "../../../disk/line-scan.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { unavailable } from "../../../errors.ts";
import type { Random } from "../../../util/uuid.ts";
import {
  decodeHeader,
  decodeRecord,
  encodeHeader,
  encodeRecord,
  type FeedHeader,
  type FeedRecord,
  RECORD_BYTES,
} from "./feed-record.ts";

/** The current state of the file. */
export interface FeedState extends FeedHeader {
  /** The number of records, including unreadable ones. */
  readonly count: number;
}

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
  #header: FeedHeader | undefined;
  #count = 0;
  /** The number of records after the last write of this process, all of them decided. */
  #decided = -1;
  /** The number of records that survive a power cut. */
  #synced = -1;
  /** A sync failed. */
  #suspect = false;
  #undecided: Undecided | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(io: FileIo, random: Random, path: string, options: FeedOptions) {
    this.#io = io;
    this.#random = random;
    this.#path = path;
    this.#options = options;
  }

  /** `undefined` if there is no readable feed. */
  look(): FeedState | undefined {
    const stat = this.#io.stat(this.#path);
    if (stat === undefined) return undefined;
    if (this.#file === undefined || stat.inode !== this.#inode) {
      this.close();
      this.#file = this.#io.open(this.#path, this.#options.readonly ? "read" : "write");
      this.#inode = stat.inode;
      this.#header = decodeHeader(readChunk(this.#io, this.#file, 0, RECORD_BYTES));
    }
    if (this.#header === undefined) return undefined;
    this.#count = Math.floor(stat.size / RECORD_BYTES) - 1;
    return { ...this.#header, count: this.#count };
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
    return readChunk(this.#io, this.#open(), (index + 1) * RECORD_BYTES, count * RECORD_BYTES);
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

  /** Set the decided records of the last commit, which start at `index`. They are written soon. */
  decide(index: number, records: readonly FeedRecord[]): void {
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
    const written = this.#io.write(this.#open(), bytes, (index + 1) * RECORD_BYTES);
    if (written !== bytes.length)
      throw unavailable(`Cannot write to ${this.#path}: the disk is probably full`);
  }

  /** The index of the first record of the last commit, if there are `count` records. */
  lastCommit(count: number): number {
    let index = count - 1;
    while (index > 0 && this.records(index, 1)[0]?.continues === true) index--;
    return Math.max(0, index);
  }

  /** Whether this process wrote the last record, and all are decided. */
  isDecided(count: number): boolean {
    return count === this.#decided;
  }

  /** Mark every record as decided, under the lock. */
  markDecided(): void {
    this.#decided = this.#count;
  }

  /** Make the first `count` records, which are decided, durable. */
  sync(count: number): void {
    if (!this.#options.durable || count <= this.#synced) return;
    try {
      this.#io.sync(this.#open());
    } catch (error) {
      this.#suspect = true;
      throw error;
    }
    this.#synced = count;
  }

  /** Make all records durable, decided or not, under the lock. */
  syncAll(): void {
    this.writeDecided();
    if (!this.#options.durable || this.look() === undefined) return;
    try {
      if (!this.#suspect) this.#io.sync(this.#open());
    } catch {
      this.#suspect = true;
    }
    this.heal();
  }

  /** After a failed sync the content of the disk is unknown, so write the whole feed again, under the lock. */
  heal(): void {
    const state = this.#suspect ? this.look() : undefined;
    if (state === undefined) return;
    this.#suspect = false;
    try {
      this.replace(state, [this.bytes(0, state.count)]);
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
      this.#io.truncate(this.#open(), (count + 1) * RECORD_BYTES);
    } catch {
      // As above.
    }
  }
}
