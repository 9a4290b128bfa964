import { spawnSync } from "node:child_process";
import { unavailable } from "../../../errors.ts";
import { PAGE_BYTES } from "../../../sqlite/open.ts";

/**
 * Reads the files in another process: this one would lose SQLite's locks on
 * them when it closes them. The length of the database comes first.
 */
const READER = `
  const { existsSync, readFileSync, writeSync } = require("node:fs");
  const [database, log] = [process.argv[1], process.argv[1] + "-wal"].map((path) =>
    existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(database.length));
  for (const bytes of [length, database, log])
    for (let done = 0; done < bytes.length; ) {
      try { done += writeSync(1, bytes, done, Math.min(1 << 20, bytes.length - done)); }
      catch (error) { if (error.code !== "EAGAIN") throw error; }
    }
`;

const HEADER_TEXT = "SQLite format 3\0";
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The pages of a SQLite file with those of its write-ahead log, without trust in any of them. */
export class Image {
  readonly pageSize: number;
  readonly pageCount: number;
  /** Bytes of a page that SQLite uses. */
  readonly usable: number;
  /** Whether the header of the file can be read. */
  readonly hasHeader: boolean;
  readonly #database: Buffer;
  readonly #log: Buffer;
  readonly #frames: ReadonlyMap<number, number>;

  constructor(database: Buffer, log: Buffer) {
    const logged = log.length >= LOG_HEADER_BYTES ? log.readUInt32BE(8) : 0;
    this.#database = database;
    this.#log = log;
    this.hasHeader = database.subarray(0, HEADER_TEXT.length).toString("latin1") === HEADER_TEXT;
    const said = this.hasHeader ? database.readUInt16BE(16) : 0;
    this.pageSize = [said === 1 ? 65_536 : said, logged].find(isPageSize) ?? PAGE_BYTES;
    this.usable = this.pageSize - (this.hasHeader ? (database[20] ?? 0) : 0);
    this.#frames = committedFrames(log, this.pageSize);
    this.pageCount = Math.max(Math.floor(database.length / this.pageSize), ...this.#frames.keys());
  }

  /** `undefined` beyond the end. The number of the first page is 1. */
  page(number: number): Buffer | undefined {
    const frame = this.#frames.get(number);
    if (frame !== undefined) return this.#log.subarray(frame, frame + this.pageSize);
    const start = (number - 1) * this.pageSize;
    if (number < 1 || start + this.pageSize > this.#database.length) return undefined;
    return this.#database.subarray(start, start + this.pageSize);
  }
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
}

/** Where each page begins in the log, as of the last commit. Leftovers of former rounds have another salt. */
function committedFrames(log: Buffer, pageSize: number): Map<number, number> {
  const committed = new Map<number, number>();
  const open = new Map<number, number>();
  const size = FRAME_HEADER_BYTES + pageSize;
  for (let start = LOG_HEADER_BYTES; start + size <= log.length; start += size) {
    if (log.compare(log, 16, 24, start + 8, start + 16) !== 0) break;
    open.set(log.readUInt32BE(start), start + FRAME_HEADER_BYTES);
    if (log.readUInt32BE(start + 4) === 0) continue;
    for (const [page, at] of open) committed.set(page, at);
    open.clear();
  }
  return committed;
}

export function readImage(path: string): Image {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["-e", READER, path], {
    maxBuffer: Number.MAX_SAFE_INTEGER,
  });
  if (status !== 0 || stdout.length < 8) {
    throw unavailable(`Cannot read ${path}: ${stderr.toString().trim() || "the reader failed"}`);
  }
  const end = 8 + Number(stdout.readBigUInt64BE());
  return new Image(stdout.subarray(8, end), stdout.subarray(end));
}
