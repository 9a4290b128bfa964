/** Opens files and unpacks their bytes. */
import { fileChunks, openFile } from "./file-bytes.ts";
import { type Bytes, encodingOf, inflate } from "./inflate.ts";
import type { ByteSource } from "./types.ts";

/** Enough for the magic number of every compressed format. */
export const MAGIC_BYTES = 4;

export async function openBytes(path: string): Promise<ByteSource> {
  const { handle, size } = await openFile(path);
  try {
    const from = (offset: number): Bytes => fileChunks(handle, path, offset, size);
    const head = await firstBytes(fileChunks(handle, path, 0, Math.min(MAGIC_BYTES, size)), MAGIC_BYTES);
    return unpacked(from, head, path, () => handle.close());
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * `from` returns the stored bytes from an offset on; `head` are the first of them. They may be unpacked themselves,
 * from `packedBytes`.
 */
export function unpacked(
  from: (offset: number) => Bytes,
  head: Buffer,
  shown: string,
  close: () => Promise<void>,
  packedBytes?: number,
): ByteSource {
  const encoding = encodingOf(head);
  const chunks = (offset = 0): Bytes =>
    encoding === undefined ? from(offset) : skipped(inflate(from(0), encoding, shown, packedBytes), offset);
  return { chunks, close };
}

/** The bytes after the first `count`. */
export async function* skipped(bytes: Bytes, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of bytes) {
    if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

/** At most `count` bytes from the beginning. Problems after them do not matter. */
export async function firstBytes(bytes: Bytes, count: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    // A copy, because the next chunk may reuse the same memory.
    parts.push(Buffer.from(chunk.subarray(0, count - length)));
    length += chunk.length;
    if (length >= count) break;
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** The `length` bytes from `offset` on, or fewer at the end of the source. */
export async function* bytesOf(source: ByteSource, offset: number, length: number): AsyncGenerator<Buffer> {
  let missing = length;
  if (missing === 0) return;
  for await (const chunk of source.chunks(offset)) {
    yield chunk.subarray(0, missing);
    missing -= Math.min(missing, chunk.length);
    if (missing === 0) return;
  }
}
