import { isSealed, RECORD_BYTES, seal } from "./feed-record.ts";

export interface FeedHeader {
  /** Identifies this feed: a place in one feed means nothing in another. */
  readonly id: number;
  /** The boot id when the feed was last compared with the logs. */
  readonly boot: number;
  /** The number of records that were synced and do not change any more, or fewer. One that is missing is damage. */
  readonly durable: number;
}

const MAGIC = Buffer.from("CQF2");
/** `durable` is stored twice, and only the lower one is overwritten: a power cut can tear one of them. */
const DURABLE_AT = [RECORD_BYTES, 2 * RECORD_BYTES] as const;
export const HEADER_BYTES: number = 3 * RECORD_BYTES;

export function encodeHeader({ id, boot, durable }: FeedHeader): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(id, 8);
  bytes.writeUInt32LE(boot, 12);
  return Buffer.concat([seal(bytes), encodeDurable(durable), encodeDurable(durable)]);
}

/** `undefined` if the header is unreadable. */
export function decodeHeader(bytes: Buffer): FeedHeader | undefined {
  const isWhole = bytes.length === HEADER_BYTES && bytes.subarray(0, MAGIC.length).equals(MAGIC);
  if (!isWhole || !isSealed(bytes.subarray(0, RECORD_BYTES))) return undefined;
  const durable = Math.max(...DURABLE_AT.map((at) => durableAt(bytes, at)));
  return durable < 0 ? undefined : { id: bytes.readUInt32LE(8), boot: bytes.readUInt32LE(12), durable };
}

/** The bytes that change `durable`, and their position; `undefined` if it is as high already. */
export function raiseDurable(header: Buffer, durable: number): { at: number; bytes: Buffer } | undefined {
  if (header.length !== HEADER_BYTES) return undefined;
  const [a, b] = [durableAt(header, DURABLE_AT[0]), durableAt(header, DURABLE_AT[1])];
  if (durable <= Math.max(a, b)) return undefined;
  return { at: DURABLE_AT[a < b ? 0 : 1], bytes: encodeDurable(durable) };
}

function encodeDurable(durable: number): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  bytes.writeBigUInt64LE(BigInt(durable), 8);
  return seal(bytes);
}

/** -1 if it is unreadable. */
function durableAt(header: Buffer, at: number): number {
  const bytes = header.subarray(at, at + RECORD_BYTES);
  return isSealed(bytes) ? Number(bytes.readBigUInt64LE(8)) : -1;
}
