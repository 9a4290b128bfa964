/**
 * A conversation in the plain form of other conversation stores: messages of
 * the Claude API, one JSON object a line, without ids, times or checksums, and
 * `metadata.json` with `createdAt`, `updatedAt`, `model` and `compactionCount`.
 * `Transcript.load` takes over such a folder.
 */
import type { FileIo } from "../disk/file-io.ts";
import { LINE_BYTES_MAX, linesForward, type RawLine, readChunk } from "../disk/line-scan.ts";
import { withExistingFile } from "../disk/with-file.ts";
import { type CheckedMessage, checkMessage } from "../message/validate.ts";
import { isPlainObject, type JsonObject } from "../util/json.ts";
import { isoTime, parseTime } from "../util/time.ts";
import { checkSum } from "./lines.ts";
import { type BadLine, bareLine } from "./log-state.ts";
import type { Metadata } from "./metadata.ts";

export interface PlainLog {
  readonly messages: readonly CheckedMessage[];
  readonly damage: readonly BadLine[];
  /** When the file was last written. */
  readonly modifiedMs: number;
}

export type PlainMetadata = Partial<Pick<Metadata, "createdAt" | "updatedAt" | "model" | "compactionCount">> &
  Pick<Metadata, "other">;

/** The messages of a plain transcript. `undefined` if it is of another format, empty or missing. */
export function readPlainLog(io: FileIo, path: string): PlainLog | undefined {
  return withExistingFile(io, path, (file) => {
    const { size, modifiedNs } = io.statOpen(file);
    const messages: CheckedMessage[] = [];
    const damage: BadLine[] = [];
    for (const raw of allLines(io, file, size)) {
      const line = bareLine(raw);
      if (line?.length === 0) continue;
      const message = line === undefined ? "longer than the limit for a line" : messageIn(line);
      if (typeof message === "object") messages.push(message);
      else damage.push({ start: raw.start, end: raw.end, reason: message });
      // The first line decides.
      if (messages.length === 0 && damage.length > 0) return undefined;
    }
    if (messages.length === 0) return undefined;
    return { messages, damage, modifiedMs: Number(modifiedNs / 1_000_000n) };
  });
}

/** With the last line even if it has no newline: other writers may have died before it. */
function* allLines(io: FileIo, file: number, size: number): Generator<RawLine> {
  let end = 0;
  for (const raw of linesForward(io, file, 0, size)) {
    yield raw;
    end = raw.end;
  }
  if (end === size) return;
  const bytes = size - end > LINE_BYTES_MAX ? undefined : readChunk(io, file, end, size - end);
  yield { start: end, end: size, bytes };
}

/** The message of a line, or why it is not one. */
function messageIn(line: Buffer): CheckedMessage | string {
  if (checkSum(line) !== "none") return "it has a checksum";
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    if (!isPlainObject(value)) return "not an object";
    const { role, content, ...extra } = value;
    return checkMessage(Object.keys(extra).length === 0 ? value : { role, content, extra });
  } catch (error) {
    return (error as Error).message;
  }
}

/** `undefined` if the file is missing or was written by Colloquy. */
export function readPlainMetadata(io: FileIo, path: string): PlainMetadata | undefined {
  return withExistingFile(io, path, (file) => {
    const { size } = io.statOpen(file);
    if (size > LINE_BYTES_MAX) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(readChunk(io, file, 0, size).toString("utf8"));
    } catch {
      return undefined;
    }
    if (!isPlainObject(value) || value.createdAt === undefined || value.created_at !== undefined)
      return undefined;
    const { createdAt, updatedAt, model, compactionCount, ...other } = value as JsonObject;
    const [created, updated] = [timeIn(createdAt), timeIn(updatedAt)];
    return {
      ...(created === undefined ? {} : { createdAt: created }),
      ...(updated === undefined ? {} : { updatedAt: updated }),
      ...(typeof model === "string" ? { model } : {}),
      ...(Number.isSafeInteger(compactionCount) ? { compactionCount: compactionCount as number } : {}),
      other,
    };
  });
}

/** Milliseconds since 1970, or ISO 8601. */
function timeIn(value: unknown): string | undefined {
  const ms = Number.isSafeInteger(value) ? (value as number) : parseTime(value);
  return ms === undefined || ms < 0 ? undefined : isoTime(ms);
}
