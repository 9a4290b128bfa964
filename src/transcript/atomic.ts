import { basename, dirname, join } from "node:path";
import { unavailable } from "../errors.ts";
import type { Random } from "../util/uuid.ts";
import type { FileIo } from "./io.ts";

const TEMPORARY = /^\.colloquy-[0-9a-f]+-.*\.tmp$/;

export interface ReplaceOptions {
  readonly io: FileIo;
  readonly random: Random;
  /** Keep the former content under this name. */
  readonly formerAs?: string;
  /** Off for a cache: it may be lost in a power cut, but must never be half there. */
  readonly syncFolder?: boolean;
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
  const temporary = join(folder, `.colloquy-${token(options.random)}-${basename(path)}.tmp`);
  const file = io.open(temporary, "create");
  let linked: string | undefined;
  try {
    try {
      writeAll(io, file, content, path);
      io.sync(file);
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
  if (options.syncFolder !== false) io.syncFolder(folder);
}

function writeAll(io: FileIo, file: number, content: Buffer | Iterable<Buffer>, path: string): void {
  let position = 0;
  for (const bytes of Buffer.isBuffer(content) ? [content] : content) {
    const count = io.write(file, bytes, position);
    if (count !== bytes.length) throw unavailable(`Cannot write ${path}: the disk is probably full`);
    position += count;
  }
}

function token(random: Random): string {
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
