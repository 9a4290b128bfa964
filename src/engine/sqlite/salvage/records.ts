/**
 * Reads rows from the pages of a SQLite file without following its trees.
 *
 * A lost root or interior page loses no row like this. Whatever is read here
 * may be garbage: the checksums of the rows decide.
 */
import type { Image } from "./image.ts";

export type Value = null | number | bigint | string | Uint8Array;

export interface FoundRecord {
  readonly values: readonly Value[];
  /** `undefined` in indexes and in tables without one. */
  readonly rowid: number | undefined;
}

const TABLE_LEAF = 0x0d;
const INDEX_LEAF = 0x0a;
const INDEX_INTERIOR = 0x02;
const FILE_HEADER_BYTES = 100;

/** Every record of every page that is in use, page by page. */
export function* recordsOf(image: Image): Generator<FoundRecord> {
  const free = freePages(image);
  for (let number = 1; number <= image.pageCount; number++) {
    const page = free.has(number) ? undefined : image.page(number);
    if (page !== undefined) yield* recordsIn(image, page, number === 1 ? FILE_HEADER_BYTES : 0);
  }
}

/** Pages on the list of free ones may hold rows that were deleted. */
function freePages(image: Image): Set<number> {
  const free = new Set<number>();
  const first = image.hasHeader ? (image.page(1)?.readUInt32BE(32) ?? 0) : 0;
  for (let trunk = first; trunk !== 0 && !free.has(trunk); ) {
    const page = image.page(trunk);
    if (page === undefined) break;
    free.add(trunk);
    const count = Math.min(page.readUInt32BE(4), image.usable / 4 - 2);
    for (let index = 0; index < count; index++) free.add(page.readUInt32BE(8 + index * 4));
    trunk = page.readUInt32BE(0);
  }
  return free;
}

function* recordsIn(image: Image, page: Buffer, header: number): Generator<FoundRecord> {
  const type = page[header] as number;
  if (type !== TABLE_LEAF && type !== INDEX_LEAF && type !== INDEX_INTERIOR) return;
  const cells = page.readUInt16BE(header + 3);
  const pointers = header + (type === INDEX_INTERIOR ? 12 : 8);
  for (let index = 0; index < cells && pointers + index * 2 + 2 <= page.length; index++) {
    const record = recordAt(image, page, page.readUInt16BE(pointers + index * 2), type);
    if (record !== undefined) yield record;
  }
}

function recordAt(image: Image, page: Buffer, start: number, type: number): FoundRecord | undefined {
  try {
    const reader = new Reader(page, type === INDEX_INTERIOR ? start + 4 : start);
    const length = reader.varint();
    const rowid = type === TABLE_LEAF ? reader.varint() : undefined;
    const payload = payloadAt(image, page, reader.position, length, type === TABLE_LEAF);
    return payload === undefined ? undefined : { values: valuesOf(payload), rowid };
  } catch (error) {
    // Numbers that lead out of the page.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The bytes of a record, with those on overflow pages. */
function payloadAt(
  image: Image,
  page: Buffer,
  start: number,
  length: number,
  isTable: boolean,
): Buffer | undefined {
  const { usable } = image;
  if (length > image.pageCount * usable) return undefined;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (length <= most) return start + length <= page.length ? page.subarray(start, start + length) : undefined;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((length - least) % (usable - 4));
  const local = fitting <= most ? fitting : least;
  const pieces = [page.subarray(start, start + local)];
  let missing = length - local;
  for (let next = page.readUInt32BE(start + local); missing > 0; ) {
    const overflow = image.page(next);
    if (overflow === undefined) return undefined;
    pieces.push(overflow.subarray(4, 4 + Math.min(missing, usable - 4)));
    missing -= usable - 4;
    next = overflow.readUInt32BE(0);
  }
  return Buffer.concat(pieces);
}

function valuesOf(payload: Buffer): Value[] {
  const header = new Reader(payload, 0);
  const headerBytes = header.varint();
  const body = new Reader(payload, headerBytes);
  const values: Value[] = [];
  while (header.position < headerBytes) values.push(body.value(header.varint()));
  return values;
}

/** Bytes of an integer, by its serial type. */
const INTEGER_BYTES: readonly number[] = [0, 1, 2, 3, 4, 6, 8];

class Reader {
  position: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  varint(): number {
    let value = 0n;
    for (let index = 0; index < 9; index++) {
      const byte = this.#bytes.readUInt8(this.position++);
      if (index === 8) value = (value << 8n) | BigInt(byte);
      else value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) break;
    }
    return Number(BigInt.asIntN(64, value));
  }

  value(type: number): Value {
    if (type >= 12) {
      const bytes = this.#take((type - (type % 2 === 0 ? 12 : 13)) / 2);
      return type % 2 === 0 ? new Uint8Array(bytes) : bytes.toString("utf8");
    }
    if (type === 8 || type === 9) return type - 8;
    if (type === 7) return this.#take(8).readDoubleBE();
    return type === 0 ? null : this.#integer(INTEGER_BYTES[type] ?? Number.POSITIVE_INFINITY);
  }

  #integer(length: number): number | bigint {
    const bytes = this.#take(length);
    if (length < 8) return bytes.readIntBE(0, length);
    const value = bytes.readBigInt64BE();
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  #take(length: number): Buffer {
    const end = this.position + length;
    if (!(length >= 0 && end <= this.#bytes.length)) throw new RangeError("beyond the record");
    const bytes = this.#bytes.subarray(this.position, end);
    this.position = end;
    return bytes;
  }
}
