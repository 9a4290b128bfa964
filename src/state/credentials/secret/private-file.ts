/** Files that belong to their owner alone: read with a limit, replaced in one step, permissions put right. */
import { dirname } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { asColloquyError, unavailable } from "../../../errors.ts";
import type { Random } from "../../../util/uuid.ts";
import { ensurePrivate } from "../../permissions.ts";

export type Notice = (text: string) => void;

const BYTES_MAX = 4 << 20;

/** The content, or `undefined` when there is no such file. */
export function readPrivate(io: FileIo, path: string): Buffer | undefined {
  let file: number;
  try {
    file = io.open(path, "read");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw asColloquyError(error, `Cannot read ${path}`);
  }
  try {
    const { size, isFolder } = io.statOpen(file);
    if (isFolder) throw unavailable(`${path} is a folder; it should be a file`);
    if (size > BYTES_MAX)
      throw unavailable(`${path} has ${size} bytes, more than ${BYTES_MAX}; it is not read`);
    const bytes = Buffer.alloc(size);
    const count = size === 0 ? 0 : io.read(file, bytes, 0);
    return bytes.subarray(0, count);
  } catch (error) {
    throw asColloquyError(error, `Cannot read ${path}`);
  } finally {
    io.close(file);
  }
}

/** All or nothing: a failed write leaves the old file as it was. */
export function writePrivate(io: FileIo, random: Random, path: string, text: string): void {
  try {
    io.makeFolder(dirname(path));
    replaceFile(path, Buffer.from(text), { io, random });
  } catch (error) {
    throw asColloquyError(error, `Cannot write ${path}`);
  }
}

/** Take the permissions of others away, and say so. */
export function keepPrivate(path: string, notice: Notice): void {
  const repaired = ensurePrivate(path);
  if (repaired !== undefined) notice(repaired.message);
}

const PLACE = /line (\d+) column (\d+)/;

/**
 * JSON of a file that holds secrets.
 *
 * The parser's own message quotes the text around the mistake, so only the
 * place is taken from it.
 */
export function parseSecretJson(text: string): { value: unknown } | { line: number; column: number } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const [, line, column] = PLACE.exec((error as Error).message) ?? endOf(text);
    return { line: Number(line), column: Number(column) };
  }
}

/** A text that is cut off is wrong at its end. */
function endOf(text: string): readonly [string, number, number] {
  const lines = text.split("\n");
  return ["", lines.length, (lines.at(-1)?.length ?? 0) + 1];
}
