/**
 * What was committed, in the order of the commits: 32 bytes for each append.
 *
 * A record is written before the log, as an intent, and decided after the
 * log was synced: together with the next intent, or as soon as there is
 * nothing else to do. Nothing here is synced for an append: after a power cut the
 * logs say what is missing (`feed-repair.ts`). A reader syncs before it gives
 * out a place, so no place lies behind what a power cut can take away.
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

/** The file as it is now. */
export interface FeedState extends FeedHeader {
  /** Records, those that nobody can read too. */
  readonly count: number;
}

/** A record, and the operation of its commit that decides what becomes of it. */
export interface Recorded {
  readonly record: FeedRecord;
  readonly index: number;
}

/** Records of a commit that has ended, which stand in the file as intents still. */
interface Undecided {
  readonly index: number;
  readonly records: readonly FeedRecord[];
}

export interface FeedOptions {
  readonly readonly: boolean;
  readonly durable: boolean;
}

export class Feed {
  /** Changes that happened and could not be written here. The next commit does. */
  readonly owed: Recorded[] = [];
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #path: string;
  readonly #options: FeedOptions;
  #file: number | undefined;
  #inode: bigint | undefined;
  #header: FeedHeader | undefined;
  #count = 0;
  /** So many records this process has left behind, all of them decided. */
  #decided = -1;
  /** So many records would survive a power cut. */
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

  /** `undefined` when there is no feed, or one that cannot be read. */
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

  /** Records from `index` on, at most `count`, up to the first that cannot be read. */
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

  /** Write records at the end, with one call, and give the place of the first. Only under the lock, after a look. */
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

  /** What the last commit, whose records begin at `index`, came to. It is written soon. */
  decide(index: number, records: readonly FeedRecord[]): void {
    this.#undecided = { index, records };
    this.#decided = index + records.length;
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.writeDecided();
    }).unref();
  }

  /** Harmless at any time: somebody who found out for himself has written the same. */
  writeDecided(): void {
    if (this.#undecided === undefined) return;
    try {
      if (this.look() === undefined) return;
      const decided = this.#takeDecided();
      if (decided !== undefined) this.rewrite(decided.index, decided.records);
    } catch {
      // Whoever looks at these records finds out by the logs.
      this.#decided = -1;
    }
  }

  /** Nothing when others have written since: they have seen to it. */
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

  /** The first record of the last commit, of so many. */
  lastCommit(count: number): number {
    let index = count - 1;
    while (index > 0 && this.records(index, 1)[0]?.continues === true) index--;
    return Math.max(0, index);
  }

  /** Whether these were all left by this process, and decided. */
  isDecided(count: number): boolean {
    return count === this.#decided;
  }

  /** Every record is decided now. Only under the lock. */
  markDecided(): void {
    this.#decided = this.#count;
  }

  /** Make the first `count` records, which were read and are decided, survive a power cut. */
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

  /** Make everything that is written survive a power cut, decided or not. Only under the lock. */
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

  /** After a failed sync nobody knows what is on the disk: all of it is written again. Only under the lock. */
  heal(): void {
    const state = this.#suspect ? this.look() : undefined;
    if (state === undefined) return;
    this.#suspect = false;
    try {
      this.replace(state, [this.bytes(0, state.count)]);
    } catch (error) {
      // Places in a feed that begins anew are refused, which is better than to leave something out.
      this.#io.remove(this.#path);
      throw error;
    }
  }

  /** Put another feed in its place, all of it or nothing. */
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

  /** Intents that are left over are found to be void by the next commit. */
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
