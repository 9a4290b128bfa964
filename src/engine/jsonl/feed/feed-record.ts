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
  /** The checksum of the stored record; 0 before it is stored. */
  readonly sum: number;
}

export const RECORD_BYTES = 32;
const CONTINUES = 0x80;
const SUM_AT = 4;
const HAS_ENTRIES: ReadonlySet<RecordType> = new Set(["intent", "entries", "void", "base"]);

export function entriesRecord(stem: string, first: number, count: number, firstId: string): FeedRecord {
  const idSum = crc32(firstId);
  return { type: "intent", stem, continues: false, first, count, idSum, conversation: "", sum: 0 };
}

export function changeRecord(type: RecordType, stem: string, conversation: string): FeedRecord {
  return { type, stem, continues: false, first: 0, count: 0, idSum: 0, conversation, sum: 0 };
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
  if (bytes.length !== RECORD_BYTES) return undefined;
  if (!isSealed(bytes)) return undefined;
  const type = TYPES[(bytes[0] as number) & ~CONTINUES];
  if (type === undefined) return undefined;
  const sum = bytes.readUInt32LE(SUM_AT);
  const stem = String(bytes.readBigUInt64LE(8)).padStart(17, "0");
  const continues = ((bytes[0] as number) & CONTINUES) !== 0;
  if (!HAS_ENTRIES.has(type)) return { ...changeRecord(type, stem, uuidAt(bytes)), continues, sum };
  return {
    type,
    stem,
    continues,
    first: Number(bytes.readBigUInt64LE(16)),
    count: bytes.readUInt32LE(24),
    idSum: bytes.readUInt32LE(28),
    conversation: "",
    sum,
  };
}

function uuidAt(bytes: Buffer): string {
  const hex = bytes.toString("hex", 16, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Set the checksum of 32 bytes. */
export function seal(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(sumOf(bytes), SUM_AT);
  return bytes;
}

export function isSealed(bytes: Buffer): boolean {
  return bytes.readUInt32LE(SUM_AT) === sumOf(bytes);
}

/** Differs from zero for zeros, which a power cut can leave. */
function sumOf(bytes: Buffer): number {
  return crc32(bytes.subarray(8), crc32(bytes.subarray(0, SUM_AT)));
}
