/** Files that only their owner may access: read with a limit, replaced atomically, permissions repaired. */
import { dirname } from "node:path";
import type { FileIo } from "../disk/file-io.ts";
import { readChunk } from "../disk/line-scan.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { withExistingFile } from "../disk/with-file.ts";
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
