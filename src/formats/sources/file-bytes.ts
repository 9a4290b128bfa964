/** The bytes of a plain file, up to its size when it was opened. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { openStoreOf } from "../../disk/open-stores.ts";
import { nextLoopTurn } from "../../util/loop-turn.ts";
import { fileProblem, problem } from "./problem.ts";

/** Small chunks: objects made of them die young, before the garbage collector has to search for them. */
const CHUNK_BYTES = 64 * 1024;

/** Use it with `using`, or close it. */
export interface OpenFile extends Disposable {
  readonly fd: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly identity: string;
  /** Whether it was written to since it was opened, or since the last call. */
  wasWritten(): boolean;
  close(): void;
}

/** Does not wait for a writer if the path has become a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * All calls are synchronous: passing each to another thread takes several times as long as reading a chunk, and an
 * import of small files does little else. The event loop turns between files and between chunks.
 */
export async function openFile(path: string): Promise<OpenFile> {
  await nextLoopTurn();
  refuseOwn(path);
  let fd: number | undefined;
  try {
    fd = openSync(path, FLAGS);
    return openedFile(fd, path);
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw fileProblem(error, path);
  }
}

function openedFile(fd: number, path: string): OpenFile {
  const stat = fstatSync(fd, { bigint: true });
  if (!stat.isFile()) throw problem("no-file", `${path} is no longer a file`);
  const close = (): void => closeSync(fd);
  let seen = stampOf(stat);
  const wasWritten = (): boolean => {
    const before = seen;
    seen = stampOf(fstatSync(fd, { bigint: true }));
    return seen !== before;
  };
  return {
    fd,
    wasWritten,
    size: Number(stat.size),
    modifiedMs: Number(stat.mtimeMs),
    identity: `${stat.dev}:${stat.ino}`,
    close,
    [Symbol.dispose]: close,
  };
}

function stampOf({ mtimeNs, size }: BigIntStats): string {
  return `${mtimeNs} ${size}`;
}

/** Closing a file of an open store would release the locks of this process. */
export function refuseOwn(path: string): void {
  const store = openStoreOf(path);
  if (store !== undefined) throw problem("open-store", `${path} belongs to the open store ${store}`);
}

/** The bytes from `from` up to `to`. The next chunk is read into the same memory. */
export async function* fileChunks(
  fd: number,
  path: string,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Math.max(0, to - from)));
  for (let position = from; position < to; ) {
    const length = readAt(fd, path, buffer, position, Math.min(buffer.length, to - position));
    position += length;
    yield buffer.subarray(0, length);
    await nextLoopTurn();
  }
}

/** The bytes from the beginning, all of them. */
export function wholeFile({ fd, size }: OpenFile, path: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let length = 0; length < size; ) {
    length += readAt(fd, path, bytes.subarray(length), length, size - length);
  }
  return bytes;
}

function readAt(fd: number, path: string, buffer: Buffer, position: number, bytesMax: number): number {
  const length = readInto(fd, path, buffer, position, bytesMax);
  if (length === 0) throw problem("shrunk", `${path} was cut to ${position} bytes while it was read`);
  return length;
}

function readInto(fd: number, path: string, buffer: Buffer, position: number, bytesMax: number): number {
  try {
    return readSync(fd, buffer, 0, bytesMax, position);
  } catch (error) {
    throw fileProblem(error, path);
  }
}
