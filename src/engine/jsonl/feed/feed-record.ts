import { crc32 } from "node:zlib";
import type { Change } from "../../queries.ts";

/**
 * The type of a feed record.
 *
 * - `intent`: entries that are about to be written. It becomes `entries` or `void`, in place.
 * - `entries`: entries that are in the log.
 * - `void`: entries that could not be written.
 * - `base`: the log reached this far when the feed began.
 * - All others are changes of the conversation itself.
 */
export type RecordType = "intent" | "entries" | "void" | "base" | Exclude<Change["type"], "entry">;

const TYPES: readonly (RecordType | undefined)[] = [
  undefined,
  ...(["intent", "entries", "void", "base", "created", "updated"] as const),
  ...(["trashed", "restored", "purged", "redacted", "swept"] as const),
];

export interface FeedRecord {
  readonly type: RecordType;
  readonly stem: string;
  /** Whether it belongs to the same commit as the record before it. */
  readonly continues: boolean;
  /** For entries: the first `seq`, the count, and the CRC-32 of the first id. */
  readonly first: number;
  readonly count: number;
  readonly idSum: number;
  /** For all others: the conversation id, because the stem of a purged conversation leads nowhere. */
  readonly conversation: string;
}

export const RECORD_BYTES = 32;
const CONTINUES = 0x80;
const SUM_AT = 4;
const HAS_ENTRIES: ReadonlySet<RecordType> = new Set(["intent", "entries", "void", "base"]);

export function entriesRecord(stem: string, first: number, count: number, firstId: string): FeedRecord {
  const idSum = crc32(firstId);
  return { type: "intent", stem, continues: false, first, count, idSum, conversation: "" };
}

export function changeRecord(type: RecordType, stem: string, conversation: string): FeedRecord {
  return { type, stem, continues: false, first: 0, count: 0, idSum: 0, conversation };
}

export function baseRecord(stem: string, lastSeq: number): FeedRecord {
  return { ...changeRecord("base", stem, ""), first: lastSeq };
}

/** The last `seq` of a record. */
export function lastOf({ type, first, count }: FeedRecord): number {
  return type === "base" ? first : first + count - 1;
}

export function encodeRecord(record: FeedRecord): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  bytes[0] = TYPES.indexOf(record.type) | (record.continues ? CONTINUES : 0);
  bytes.writeBigUInt64LE(BigInt(record.stem), 8);
  if (HAS_ENTRIES.has(record.type)) {
    bytes.writeBigUInt64LE(BigInt(record.first), 16);
    bytes.writeUInt32LE(record.count, 24);
    bytes.writeUInt32LE(record.idSum, 28);
  } else {
    bytes.write(record.conversation.replaceAll("-", ""), 16, "hex");
  }
  return seal(bytes);
}

/** `undefined` if the bytes are not a valid record. */
export function decodeRecord(bytes: Buffer): FeedRecord | undefined {
  if (bytes.length !== RECORD_BYTES || bytes.readUInt32LE(SUM_AT) !== sumOf(bytes)) return undefined;
  const type = TYPES[(bytes[0] as number) & ~CONTINUES];
  if (type === undefined) return undefined;
  const stem = String(bytes.readBigUInt64LE(8)).padStart(17, "0");
  const continues = ((bytes[0] as number) & CONTINUES) !== 0;
  if (!HAS_ENTRIES.has(type)) return { ...changeRecord(type, stem, uuidAt(bytes)), continues };
  return {
    type,
    stem,
    continues,
    first: Number(bytes.readBigUInt64LE(16)),
    count: bytes.readUInt32LE(24),
    idSum: bytes.readUInt32LE(28),
    conversation: "",
  };
}

function uuidAt(bytes: Buffer): string {
  const hex = bytes.toString("hex", 16, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The first 32 bytes of the file. */
export interface FeedHeader {
  /** Identifies this feed: a place in one feed means nothing in another. */
  readonly id: number;
  /** The boot id at the time of the last `prepareFeed`. */
  readonly boot: number;
}

const MAGIC = Buffer.from("CQF1");

export function encodeHeader({ id, boot }: FeedHeader): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(id, 8);
  bytes.writeUInt32LE(boot, 12);
  return seal(bytes);
}

export function decodeHeader(bytes: Buffer): FeedHeader | undefined {
  if (bytes.length !== RECORD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.readUInt32LE(SUM_AT) !== sumOf(bytes)) return undefined;
  return { id: bytes.readUInt32LE(8), boot: bytes.readUInt32LE(12) };
}

function seal(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(sumOf(bytes), SUM_AT);
  return bytes;
}

/** Differs from zero for a record of zeros, which a power cut can leave. */
function sumOf(bytes: Buffer): number {
  return crc32(bytes.subarray(8), crc32(bytes.subarray(0, SUM_AT)));
}
