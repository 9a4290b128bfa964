/** The bytes of a plain file, up to its size when it was opened. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { openStoreOf } from "../../disk/open-stores.ts";
import { fileProblem, problem } from "./problem.ts";

/** Small chunks: objects made of them die young, before the garbage collector has to search for them. */
const CHUNK_BYTES = 64 * 1024;
const FIRST_BYTES = 64 * 1024;

/** Use it with `await using`, or close the handle. */
export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly size: number;
  readonly modifiedMs: number;
  readonly identity: string;
}

/** Does not wait for a writer if the path has become a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export async function openFile(path: string): Promise<OpenFile> {
  refuseOwn(path);
  let handle: FileHandle | undefined;
  try {
    const opened = await open(path, FLAGS);
    handle = opened;
    const stat = await opened.stat({ bigint: true });
    if (!stat.isFile()) throw problem("no-file", `${path} is no longer a file`);
    return {
      handle: opened,
      size: Number(stat.size),
      modifiedMs: Number(stat.mtimeMs),
      identity: `${stat.dev}:${stat.ino}`,
      [Symbol.asyncDispose]: () => opened.close(),
    };
  } catch (error) {
    await handle?.close();
    throw fileProblem(error, path);
  }
}

/** Closing a file of an open store would release the locks of this process. */
export function refuseOwn(path: string): void {
  const store = openStoreOf(path);
  if (store !== undefined) throw problem("open-store", `${path} belongs to the open store ${store}`);
}

/**
 * The bytes from `from` up to `to`. The next chunk is read while the caller works
 * on the last one, in turns into two buffers. The first chunk is small, because
 * often nothing else is needed.
 */
export async function* fileChunks(
  handle: FileHandle,
  path: string,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  const buffers: Buffer[] = [];
  let position = from;
  let next: Promise<Buffer> | undefined;
  for (let count = 0; position < to; count++) {
    const chunk = await (next ?? readInto(handle, first(to - from), position, to)).catch((error) => {
      throw fileProblem(error, path);
    });
    if (chunk.length === 0) {
      throw problem("shrunk", `${path} was cut to ${position} bytes while it was read`);
    }
    position += chunk.length;
    const isSmall = count === 0;
    if (isSmall) yield chunk;
    if (position < to) {
      buffers[count % 2] ??= Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, to - position));
      next = readInto(handle, buffers[count % 2] as Buffer, position, to);
      // A caller that stops early never awaits it, and an unhandled failure must not end the process.
      next.catch(() => {});
    }
    if (!isSmall) yield chunk;
  }
}

function first(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.min(FIRST_BYTES, bytes));
}

async function readInto(handle: FileHandle, buffer: Buffer, position: number, to: number): Promise<Buffer> {
  const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - position), position);
  return buffer.subarray(0, bytesRead);
}
