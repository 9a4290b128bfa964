/**
 * The end of a compressed blob: a skippable zstd frame that contains the
 * uncompressed size. It is a cache of the content and has no checksum, so damage
 * to it must not cost the content.
 */
import { zstdDecompressSync } from "node:zlib";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";

const MAGIC = 0x184d2a50;
const FRAME_BYTES = 16;
const SIZE_BYTES = 8;

export function sizeFrame(size: number): Buffer {
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt32LE(SIZE_BYTES, 4);
  frame.writeBigUInt64LE(BigInt(size), 8);
  return frame;
}

export interface Measured {
  readonly size: number;
  /** Without the frame. */
  readonly storedBytes: number;
  /** `undefined` in a file of another program. */
  readonly frame: Buffer | undefined;
}

export function measureFrames(io: FileIo, file: number, fileBytes: number): Measured {
  const storedBytes = fileBytes - FRAME_BYTES;
  const frame = readChunk(io, file, Math.max(0, storedBytes), FRAME_BYTES);
  // One of the two is enough: the other may be damaged.
  if (
    frame.length === FRAME_BYTES &&
    (frame.readUInt32LE(0) === MAGIC || frame.readUInt32LE(4) === SIZE_BYTES)
  ) {
    return { size: Number(frame.readBigUInt64LE(8)), storedBytes, frame };
  }
  const { length } = zstdDecompressSync(readChunk(io, file, 0, fileBytes));
  return { size: length, storedBytes: fileBytes, frame: undefined };
}
