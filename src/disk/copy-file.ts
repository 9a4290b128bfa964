import { unavailable } from "../errors.ts";
import type { FileIo } from "./file-io.ts";
import { readChunk } from "./line-scan.ts";
import { writeAll } from "./replace-file.ts";
import { withFile } from "./with-file.ts";

const COPY_BYTES = 1 << 20;

/** Bytes of an open file, a piece at a time. */
export function* pieces(io: FileIo, file: number, start: number, end: number): Generator<Buffer> {
  for (let position = start; position < end; ) {
    const piece = readChunk(io, file, position, Math.min(COPY_BYTES, end - position));
    if (piece.length === 0) throw unavailable("A file became shorter while it was copied");
    yield piece;
    position += piece.length;
  }
}

/** Copy a range of an open file to a new file and sync it. A failure leaves no file. */
export function copyRange(io: FileIo, from: number, start: number, end: number, path: string): void {
  const copy = io.open(path, "create");
  try {
    writeAll(io, copy, pieces(io, from, start, end), path);
    io.sync(copy);
  } catch (error) {
    io.close(copy);
    io.remove(path);
    throw error;
  }
  io.close(copy);
}

/** Copy a whole file to a new one and sync it. */
export function copyFile(io: FileIo, from: string, to: string): void {
  withFile(io, from, "read", (file) => copyRange(io, file, 0, io.statOpen(file).size, to));
}
