import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { openStoreOf } from "../../disk/open-stores.ts";
import { bytesText } from "../../util/bytes-text.ts";

/** Larger than any document that a person wrote. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const BINARY_CHECK_BYTES = 8192;
/** A file that changed this recently may change again without getting another time. */
const SETTLED_MS = 2000n;

export type MarkdownFile =
  | { readonly kind: "text"; readonly text: string; readonly stamp: string }
  | { readonly kind: "gone" }
  | { readonly kind: "skipped"; readonly reason: string; readonly stamp: string };

/** Size, time and number of a file: if they are the same, so is its content. */
export function stampOf(stats: BigIntStats, nowMs: number): string {
  const isSettled = BigInt(Math.trunc(nowMs)) - stats.mtimeMs >= SETTLED_MS;
  return isSettled ? `${stats.ino}:${stats.size}:${stats.mtimeNs}` : "";
}

/** Read a file of a person, who may be changing, moving or deleting it. Never throws because of the file. */
export function readMarkdown(path: string, nowMs: number): MarkdownFile {
  // Closing a file drops the locks of this process on it.
  if (openStoreOf(path) !== undefined)
    return { kind: "skipped", reason: "it belongs to an open store", stamp: "" };
  let file: number;
  try {
    // Non-blocking: opening a named pipe would otherwise wait forever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return unreadable(error);
  }
  try {
    const stats = fstatSync(file, { bigint: true });
    const stamp = stampOf(stats, nowMs);
    if (!stats.isFile()) return { kind: "skipped", reason: "it is not a file", stamp };
    if (stats.size > FILE_BYTES_MAX) {
      return { kind: "skipped", reason: `it has more than ${bytesText(FILE_BYTES_MAX)}`, stamp };
    }
    return textOf(readAll(file, Number(stats.size)), stamp);
  } catch (error) {
    return unreadable(error);
  } finally {
    closeSync(file);
  }
}

function unreadable(error: unknown): MarkdownFile {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "gone" };
  return { kind: "skipped", reason: code === undefined ? message : `it cannot be read (${code})`, stamp: "" };
}

/** At most the size that it had: a file that grows is read again the next time. */
function readAll(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const count = readSync(file, bytes, length, size - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function textOf(bytes: Buffer, stamp: string): MarkdownFile {
  if (bytes.subarray(0, BINARY_CHECK_BYTES).includes(0)) return binary(stamp);
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), stamp };
  } catch {
    return binary(stamp);
  }
}

function binary(stamp: string): MarkdownFile {
  return { kind: "skipped", reason: "it is not text", stamp };
}
