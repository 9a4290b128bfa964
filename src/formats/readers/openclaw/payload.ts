/** Texts in an OpenClaw database, some of them compressed. */
import { zstdDecompressSync } from "node:zlib";
import { numberIn } from "../../../util/values.ts";

/** More than any transcript should have, and harmless. */
const PAYLOAD_BYTES_MAX: number = 64 * 1024 * 1024;

type Columns = Readonly<Record<string, unknown>>;

/** A text, or the reason why it cannot be read, and the row that it is in. */
export type Payload = ({ readonly text: string } | { readonly problem: string }) & {
  readonly columns?: Columns;
};

/** The text takes the place of the compressed one in the row. */
export function eventPayload(row: Columns): Payload {
  const payload = payloadOf(row);
  if (!("text" in payload) || typeof row.event_json === "string") return { ...payload, columns: row };
  return { ...payload, columns: { ...row, event_json: payload.text, event_zstd: null } };
}

function payloadOf(row: Columns): Payload {
  if (typeof row.event_json === "string") return { text: row.event_json };
  if (!(row.event_zstd instanceof Uint8Array)) return { problem: "an event without content" };
  const size = numberIn(row.event_utf8_bytes);
  const payload = unpacked(row.event_zstd, size);
  const isWhole = size === undefined || "problem" in payload || Buffer.byteLength(payload.text) === size;
  return isWhole ? payload : { problem: "an event with an unexpected length" };
}

/** Bytes that are not compressed, by their first bytes, are plain text. */
export function unpacked(bytes: Uint8Array, size: number = PAYLOAD_BYTES_MAX): Payload {
  if (!isZstd(bytes)) return { text: Buffer.from(bytes).toString() };
  // A length of 0 would mean no limit at all.
  const maxOutputLength = Math.max(1, Math.min(size, PAYLOAD_BYTES_MAX));
  try {
    return { text: zstdDecompressSync(bytes, { maxOutputLength }).toString() };
  } catch (error) {
    return { problem: `cannot be decompressed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function isZstd([a, b, c, d]: Uint8Array): boolean {
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd;
}
