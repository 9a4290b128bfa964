import { basename, dirname, join } from "node:path";
import { unavailable } from "../errors.ts";
import type { Random } from "../util/uuid.ts";
import type { FileIo } from "./file-io.ts";
import { withFile } from "./with-file.ts";

export interface AtomicOptions {
  readonly io: FileIo;
  readonly random: Random;
  /** Keep the former content under this name. */
  readonly formerAs?: string;
  /** Fail with `EEXIST` instead of replacing a file that took the name in the meantime. Not for folders. */
  readonly mustBeNew?: boolean;
  /** Off for a cache: a power cut may lose it, but must never leave half of it. */
  readonly syncFolder?: boolean;
  /** The folder of the temporary file, on the same disk. Default: that of `path`. */
  readonly makeIn?: string;
}

export interface ReplaceOptions extends AtomicOptions {
  /** Off for content that means nothing after a power cut. */
  readonly sync?: boolean;
}

/** Put new content under a name: all of it or nothing, also across a power cut. */
export function replaceFile(path: string, content: Buffer | Iterable<Buffer>, options: ReplaceOptions): void {
  const { io, sync = true, syncFolder = sync } = options;
  withTemporarySync(
    path,
    (temporary) => {
      withFile(io, temporary, "create", (file) => {
        writeAll(io, file, content, path);
        if (sync) io.sync(file);
      });
    },
    { ...options, syncFolder },
  );
}

/**
 * Make a file or folder under a temporary name and rename it to `path` when `make` returns.
 *
 * `make` syncs what it writes. A failure removes the temporary file; one that a killed process
 * leaves behind is found by `removeLeftovers`.
 */
export function withTemporarySync<T>(
  path: string,
  make: (temporary: string) => T,
  options: AtomicOptions,
): T {
  const temporary = temporaryPath(path, options);
  try {
    const made = make(temporary);
    moveIntoPlace(temporary, path, options);
    return made;
  } catch (error) {
    discard(options.io, temporary);
    throw error;
  }
}

/** `withTemporarySync` for work that does not block the thread. */
export async function withTemporary<T>(
  path: string,
  make: (temporary: string) => Promise<T>,
  options: AtomicOptions,
): Promise<T> {
  const temporary = temporaryPath(path, options);
  try {
    const made = await make(temporary);
    moveIntoPlace(temporary, path, options);
    return made;
  } catch (error) {
    discard(options.io, temporary);
    throw error;
  }
}

function moveIntoPlace(temporary: string, path: string, options: AtomicOptions): void {
  const { io, formerAs, mustBeNew = false, syncFolder = true } = options;
  const isKept = formerAs !== undefined && io.stat(path) !== undefined;
  if (isKept) {
    if (io.stat(formerAs) !== undefined) io.remove(formerAs);
    io.link(path, formerAs);
    // A power cut must not keep the rename and lose the former file.
    if (dirname(formerAs) !== dirname(path)) io.syncFolder(dirname(formerAs));
  }
  try {
    // Unlike a rename, a link never replaces a file.
    if (mustBeNew) io.link(temporary, path);
    else io.rename(temporary, path);
  } catch (error) {
    // It is a second name of the file that stays, and would change with it.
    if (isKept) io.remove(formerAs);
    throw error;
  }
  if (mustBeNew) io.remove(temporary);
  // Until the folder is synced, a power cut undoes the rename.
  if (syncFolder) io.syncFolder(dirname(path));
}

function discard(io: FileIo, temporary: string): void {
  const stat = io.stat(temporary);
  if (stat === undefined) return;
  if (stat.isFolder) io.removeFolder(temporary);
  else io.remove(temporary);
}

const TEMPORARY = /^\.colloquy-[0-9a-f]+-(.*)\.tmp$/;
/** Keeps the temporary name of a file with a long name below the 255 bytes that file systems allow. */
const NAME_CHARS_MAX = 50;

function temporaryPath(path: string, { random, makeIn = dirname(path) }: AtomicOptions): string {
  return join(makeIn, `.colloquy-${token(random)}-${shortName(path)}.tmp`);
}

function shortName(path: string): string {
  return basename(path).slice(0, NAME_CHARS_MAX);
}

/**
 * Remove temporary files that killed writers left in a folder, of one file or of all.
 * Call it only under the lock that the writers hold: then no process is using them.
 */
export function removeLeftovers(io: FileIo, folder: string, of?: string): void {
  for (const name of io.list(folder)) {
    const found = TEMPORARY.exec(name)?.[1];
    if (found !== undefined && (of === undefined || found === shortName(of))) discard(io, join(folder, name));
  }
}

/** A short write is how a full disk shows itself. */
export function writeAll(io: FileIo, file: number, content: Buffer | Iterable<Buffer>, path: string): void {
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

/** The wanted name, or the first free one of `name-2`, `name-3` and so on. */
export function freeName(io: FileIo, wanted: string): string {
  let name = wanted;
  for (let copy = 2; io.stat(name) !== undefined; copy++) name = `${wanted}-${copy}`;
  return name;
}
