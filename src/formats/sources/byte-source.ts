/** Opens files and unpacks their bytes. */
import { fileChunks, type OpenFile, openFile, wholeFile } from "./file-bytes.ts";
import { type Bytes, encodingOf, inflate } from "./inflate.ts";
import type { ByteSource } from "./types.ts";

/** Enough for the magic number of every compressed format. */
export const MAGIC_BYTES = 4;
/** Files up to this size are read at once. */
const SMALL_BYTES = 64 * 1024;

export async function openBytes(path: string): Promise<ByteSource> {
  const file = await openFile(path);
  try {
    const { fd, size } = file;
    if (size <= SMALL_BYTES) return smallFile(file, path);
    const from = (offset: number): Bytes => fileChunks(fd, path, offset, size);
    const head = await firstBytes(fileChunks(fd, path, 0, MAGIC_BYTES), MAGIC_BYTES);
    const source = unpacked(from, head, path, async () => file.close());
    return encodingOf(head) === undefined ? { ...source, wasWritten: () => file.wasWritten() } : source;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Looked at several times, and read once. */
function smallFile(file: OpenFile, path: string): ByteSource {
  const bytes = wholeFile(file, path);
  file.close();
  const from = async function* (offset: number): AsyncGenerator<Buffer> {
    if (offset < bytes.length) yield bytes.subarray(offset);
  };
  return unpacked(from, bytes.subarray(0, MAGIC_BYTES), path, async () => {});
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
