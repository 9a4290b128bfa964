/** Files that only their owner may access: read with a limit, replaced atomically, permissions repaired. */
import { dirname, join } from "node:path";
import type { FileIo, FileLock } from "../disk/file-io.ts";
import { readChunk } from "../disk/line-scan.ts";
import { removeLeftovers, replaceFile } from "../disk/replace-file.ts";
import { withExistingFile } from "../disk/with-file.ts";
import { withLock } from "../disk/with-lock.ts";
import { asColloquyError, unavailable } from "../errors.ts";
import type { Random } from "../util/uuid.ts";
import { ensurePrivate } from "./permissions.ts";

export type Notice = (text: string) => void;

const BYTES_MAX = 4 << 20;

/** The content, or `undefined` when there is no such file. */
export function readPrivate(io: FileIo, path: string): Buffer | undefined {
  try {
    return withExistingFile(io, path, (file) => {
      const { size, isFolder } = io.statOpen(file);
      if (isFolder) throw unavailable(`${path} is a folder, not a file`);
      if (size > BYTES_MAX)
        throw unavailable(`${path} has ${size} bytes, more than the limit of ${BYTES_MAX}`);
      return readChunk(io, file, 0, size);
    });
  } catch (error) {
    throw asColloquyError(error, `Cannot read ${path}`);
  }
}

/** All or nothing: a failed write leaves the former file. */
export function writePrivate(io: FileIo, random: Random, path: string, text: string): void {
  try {
    io.makeFolder(dirname(path));
    replaceFile(path, Buffer.from(text), { io, random });
  } catch (error) {
    throw asColloquyError(error, `Cannot write ${path}`);
  }
}

/** Remove the permissions of others, and say so. */
export function keepPrivate(path: string, notice: Notice): void {
  const repaired = ensurePrivate(path);
  if (repaired !== undefined) notice(repaired.message);
}

export interface PrivateFileOptions {
  readonly io: FileIo;
  readonly random: Random;
  readonly notice: Notice;
}

/** A private file in a private folder, which processes change one at a time. */
export class PrivateFile {
  readonly path: string;
  readonly folder: string;
  readonly #options: PrivateFileOptions;
  readonly #lockPath: string;
  #lock: FileLock | undefined;

  constructor(folder: string, name: string, options: PrivateFileOptions) {
    this.folder = folder;
    this.path = join(folder, `${name}.json`);
    this.#lockPath = join(folder, `${name}.lock`);
    this.#options = options;
  }

  /** Without a lock, because the file is only ever replaced whole. `undefined` when there is none. */
  read(): string | undefined {
    const { io, notice } = this.#options;
    const content = readPrivate(io, this.path);
    if (content === undefined) return undefined;
    keepPrivate(this.folder, notice);
    keepPrivate(this.path, notice);
    return content.toString("utf8");
  }

  /** Only under the lock. */
  write(text: string): void {
    const { io, random } = this.#options;
    removeLeftovers(io, this.folder);
    writePrivate(io, random, this.path, text);
  }

  async withLock<T>(work: () => Promise<T> | T): Promise<T> {
    const { io } = this.#options;
    io.makeFolder(this.folder);
    this.#lock ??= io.lock(this.#lockPath);
    return withLock(this.#lock, this.path, work);
  }

  close(): void {
    this.#lock?.close();
    this.#lock = undefined;
  }
}
