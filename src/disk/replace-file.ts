import { basename, dirname, join } from "node:path";
import { unavailable } from "../errors.ts";
import type { Random } from "../util/uuid.ts";
import type { FileIo } from "./file-io.ts";
import { readChunk } from "./line-scan.ts";

const TEMPORARY = /^\.colloquy-[0-9a-f]+-.*\.tmp$/;

export interface ReplaceOptions {
  readonly io: FileIo;
  readonly random: Random;
  /** Keep the former content under this name. */
  readonly formerAs?: string;
  /** Off for a cache: it may be lost in a power cut, but must never be half there. */
  readonly syncFolder?: boolean;
  /** Off for what means nothing after a power cut. */
  readonly sync?: boolean;
  /** Where it is made, on the same disk. Default: beside the name. */
  readonly makeIn?: string;
}

/**
 * Put new content under a name: all of it or nothing, also across a power cut.
 *
 * The rename alone would not be enough: until the folder is synced a power
 * cut undoes it.
 */
export function replaceFile(path: string, content: Buffer | Iterable<Buffer>, options: ReplaceOptions): void {
  const { io, formerAs } = options;
  const folder = dirname(path);
  const temporary = join(
    options.makeIn ?? folder,
    `.colloquy-${token(options.random)}-${basename(path)}.tmp`,
  );
  const file = io.open(temporary, "create");
  let linked: string | undefined;
  try {
    try {
      writeAll(io, file, content, path);
      if (options.sync !== false) io.sync(file);
    } finally {
      io.close(file);
    }
    if (formerAs !== undefined && io.stat(path) !== undefined) {
      if (io.stat(formerAs) !== undefined) io.remove(formerAs);
      io.link(path, formerAs);
      linked = formerAs;
    }
    io.rename(temporary, path);
  } catch (error) {
    // It is another name of the file that stays, and would change with it.
    if (linked !== undefined) io.remove(linked);
    if (io.stat(temporary) !== undefined) io.remove(temporary);
    throw error;
  }
  if (options.syncFolder !== false && options.sync !== false) io.syncFolder(folder);
}

function writeAll(io: FileIo, file: number, content: Buffer | Iterable<Buffer>, path: string): void {
  let position = 0;
  for (const bytes of Buffer.isBuffer(content) ? [content] : content) {
    const count = io.write(file, bytes, position);
    if (count !== bytes.length) throw unavailable(`Cannot write ${path}: the disk is probably full`);
    position += count;
  }
}

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

/** Copy bytes of an open file to a new one and sync it. Leaves nothing when it fails. */
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

export function token(random: Random): string {
  const bytes = Buffer.alloc(6);
  random(bytes);
  return bytes.toString("hex");
}

/** Remove what a killed writer left of `replaceFile`. Only under the lock: then nobody is using them. */
export function removeLeftovers(io: FileIo, folder: string): void {
  for (const name of io.list(folder)) {
    if (TEMPORARY.test(name)) io.remove(join(folder, name));
  }
}

/** The name itself, or with the first number that makes it free. */
export function freeName(io: FileIo, wanted: string): string {
  let name = wanted;
  for (let copy = 2; io.stat(name) !== undefined; copy++) name = `${wanted}-${copy}`;
  return name;
}
