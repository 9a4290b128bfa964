/** Whether a file is the one that was read before, with more at its end. */
import { createHash } from "node:crypto";
import type { ByteSource } from "../sources/types.ts";

const PRINT_BYTES = 4096;

export interface Prints {
  readonly headPrint: string;
  readonly tailPrint: string;
}

/** Of the first bytes, and of the last ones before `offset`. */
export async function printsOf(source: ByteSource, offset: number): Promise<Prints> {
  const head = await bytesAt(source, 0, Math.min(PRINT_BYTES, offset));
  const from = Math.max(0, offset - PRINT_BYTES);
  const tail = await bytesAt(source, from, offset - from);
  return { headPrint: print(head), tailPrint: print(tail) };
}

async function bytesAt(source: ByteSource, offset: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let missing = length;
  if (missing === 0) return Buffer.alloc(0);
  for await (const chunk of source.chunks(offset)) {
    parts.push(Buffer.from(chunk.subarray(0, missing)));
    missing -= Math.min(missing, chunk.length);
    if (missing === 0) break;
  }
  return Buffer.concat(parts);
}

function print(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("base64");
}
