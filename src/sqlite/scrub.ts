/**
 * Overwrites what SQLite leaves in the gaps of its pages.
 *
 * `secure_delete` overwrites deleted rows, and whole pages that are freed. It
 * misses the copies that stay behind when rows are moved between two pages that
 * both stay in use: they end up in the gap between the cell pointers and the
 * cells, which SQLite never reads. Nothing else of a page is touched, so a
 * reader sees no difference, and a write that is torn by a power cut does no harm.
 *
 * Only a process that does nothing else may do this. The file stays open until
 * the process ends, because closing it releases all locks of the process.
 */
import { fdatasyncSync, fstatSync, openSync, readSync, writeSync } from "node:fs";

const BTREE_PAGES: ReadonlySet<number> = new Set([2, 5, 10, 13]);
const INTERIOR_PAGES: ReadonlySet<number> = new Set([2, 5]);
/** From here on, the number of the next page in an overflow page could be mistaken for a type of page. */
const PAGES_MAX = 2 ** 25;

export class PageScrubber {
  readonly #file: number;
  readonly pageSize: number;
  #isChanged = false;

  constructor(path: string) {
    this.#file = openSync(path, "r+");
    const header = Buffer.alloc(100);
    readSync(this.#file, header, 0, 100, 0);
    this.pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const isAutoVacuum = header.readUInt32BE(52) !== 0;
    if (isAutoVacuum || this.pageCount > PAGES_MAX) throw new Error(`${path} cannot be scrubbed`);
  }

  get pageCount(): number {
    return Math.floor(fstatSync(this.#file).size / this.pageSize);
  }

  read(from: number, count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count * this.pageSize);
    const length = readSync(this.#file, bytes, 0, bytes.length, from * this.pageSize);
    return bytes.subarray(0, length);
  }

  /**
   * Clear the gaps of some pages, counted from 0. Call it under the lock of a
   * writer, with an empty log: then nothing else writes to the file. Call `sync`
   * after it, without the lock: a torn gap does no harm.
   */
  scrub(from: number, count: number): void {
    const bytes = this.read(from, count);
    for (let start = 0; start + this.pageSize <= bytes.length; start += this.pageSize) {
      const page = bytes.subarray(start, start + this.pageSize);
      const position = from * this.pageSize + start;
      const gap = gapOf(page, position === 0 ? 100 : 0);
      if (gap === undefined || isClear(gap)) continue;
      gap.fill(0);
      writeSync(this.#file, page, 0, page.length, position);
      this.#isChanged = true;
    }
  }

  sync(): void {
    if (this.#isChanged) fdatasyncSync(this.#file);
    this.#isChanged = false;
  }
}

/** The unused bytes between the pointers and the cells of a page, or `undefined` for other pages. */
function gapOf(page: Buffer, header: number): Buffer | undefined {
  const type = page.readUInt8(header);
  if (!BTREE_PAGES.has(type)) return undefined;
  const cells = page.readUInt16BE(header + 3);
  const end = header + (INTERIOR_PAGES.has(type) ? 12 : 8) + 2 * cells;
  // 0 stands for 65536.
  const content = page.readUInt16BE(header + 5) || 65_536;
  return content <= page.length && end <= content ? page.subarray(end, content) : undefined;
}

function isClear(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes[0] === 0 && bytes.compare(bytes, 0, bytes.length - 1, 1) === 0);
}
