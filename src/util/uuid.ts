import { crypto, sha256, sha256Hex } from "./sha256.ts";

/** Fills a buffer with random bytes. Injected where a test needs to repeat a run. */
export type Random = (bytes: Uint8Array) => void;

const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** The system's randomness, drawn in blocks: a call for ten bytes costs as much as one for thousands. */
export const systemRandom: Random = (bytes) => {
  if (used + bytes.length > POOL_BYTES) {
    // Loaded on first use: a command that only reads starts 10 % faster without it.
    crypto().randomFillSync(pool);
    used = 0;
  }
  bytes.set(pool.subarray(used, used + bytes.length));
  used += bytes.length;
};

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const scratch = new Uint8Array(10);

/** A UUID of version 7: 48 bits of milliseconds, then 74 random bits. */
export function uuidv7(nowMs: number, random: Random): string {
  random(scratch);
  return format(nowMs, (((scratch[0] ?? 0) & 0x0f) << 8) | (scratch[1] ?? 0));
}

const TIME_MAX = 2 ** 48 - 1;
const COUNTER_MAX = 0xfff;

/**
 * UUIDs of version 7, each of which sorts after the ones before it.
 *
 * Twelve of the random bits count within a millisecond. Ascending ids fill an
 * index from one end, which keeps its pages full and lets a transaction write
 * few of them. Every store has a sequence, because a clock that runs ahead in
 * one of them must not date the ids of the others.
 */
export class UuidSequence {
  #lastMs = 0;
  #counter = 0;

  next(nowMs: number): string {
    systemRandom(scratch);
    if (nowMs > this.#lastMs) {
      this.#lastMs = nowMs;
      // Starts low, to leave room for counting.
      this.#counter = (((scratch[0] ?? 0) & 0x03) << 8) | (scratch[1] ?? 0);
    } else if (++this.#counter > COUNTER_MAX) {
      this.#lastMs++;
      this.#counter = 0;
    }
    return format(this.#lastMs, this.#counter);
  }
}

/** Uses the last eight bytes of `scratch`. */
function format(ms: number, twelveBits: number): string {
  const time = Math.min(Math.max(0, Math.trunc(ms)), TIME_MAX)
    .toString(16)
    .padStart(12, "0");
  const hex = (index: number): string => HEX[scratch[index] ?? 0] ?? "00";
  const version = HEX[0x70 | (twelveBits >> 8)];
  const variant = HEX[0x80 | ((scratch[2] ?? 0) & 0x3f)];
  const tail = hex(4) + hex(5) + hex(6) + hex(7) + hex(8) + hex(9);
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${HEX[twelveBits & 0xff]}-${variant}${hex(3)}-${tail}`;
}

/** A UUID of version 8 from the SHA-256 of a string: equal strings have equal ids on every machine. */
export function uuidFromHash(text: string): string {
  const digest = sha256().update(text).digest();
  digest[6] = (digest.readUInt8(6) & 0x0f) | 0x80;
  digest[8] = (digest.readUInt8(8) & 0x3f) | 0x80;
  const hex = digest.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** An id for something that has none and needs no UUID: equal parts have equal ids on every machine. */
export function madeId(...parts: readonly (string | number)[]): string {
  return sha256Hex(JSON.stringify(parts)).slice(0, 32);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}
