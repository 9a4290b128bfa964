import { createHash } from "node:crypto";
import { bytesOf } from "../sources/byte-source.ts";
import { problemOf } from "../sources/problem.ts";
import type { ByteSource } from "../sources/types.ts";

const FINGERPRINT_BYTES = 4096;

/**
 * Of the first bytes and of the last ones before `offset`. A file with the
 * same fingerprint is the one that was read before, perhaps with more at its end.
 */
export async function fingerprintOf(source: ByteSource, offset: number): Promise<string> {
  const from = Math.max(0, offset - FINGERPRINT_BYTES);
  const head = await bytesAt(source, 0, Math.min(FINGERPRINT_BYTES, offset));
  const end = await bytesAt(source, from, offset - from);
  return `${digest(head)} ${digest(end)}`;
}

async function bytesAt(source: ByteSource, offset: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const piece of bytesOf(source, offset, length)) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
}

function digest(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("base64");
}

/** Empty if the file was cut: nothing continues there. */
export async function fingerprintNow(source: ByteSource, offset: number): Promise<string> {
  try {
    return await fingerprintOf(source, offset);
  } catch (error) {
    if (problemOf(error) === undefined) throw error;
    return "";
  }
}
