/** Entries for the transcripts beside the index, from their first and last lines. */
import { join } from "node:path";
import type { FileIo } from "../../disk/file-io.ts";
import { readChunk } from "../../disk/line-scan.ts";
import { withFile } from "../../disk/with-file.ts";
import { isPlainObject, parseJson } from "../../util/json.ts";
import { canonicalKey, recoveredKey } from "./canonical-key.ts";
import { idOfFile, type SessionEntry } from "./entry.ts";

const LOOK_BYTES = 256 * 1024;
/** Copies that other programs make of a transcript before they change it. */
const COPY = /\.checkpoint\.[^.]+\.jsonl$/;

type Fields = Readonly<Record<string, unknown>>;

export function transcriptsIn(io: FileIo, folder: string): string[] {
  if (io.stat(folder)?.isFolder !== true) return [];
  return io
    .list(folder)
    .filter((name) => name.endsWith(".jsonl") && !name.startsWith(".") && !COPY.test(name));
}

/** The key and entry of a transcript. `undefined` when it cannot be read. */
export function entryOfTranscript(
  io: FileIo,
  folder: string,
  name: string,
): readonly [key: string, entry: SessionEntry] | undefined {
  const ends = endsOf(io, join(folder, name));
  if (ends === undefined) return undefined;
  const { first, last, modifiedMs } = ends;
  const sessionId = textOf(first.id) ?? textOf(first.sessionId) ?? idOfFile(name);
  if (sessionId === undefined) return undefined;
  const entry: SessionEntry = {
    sessionId,
    updatedAt: timeIn(last) ?? timeIn(first) ?? modifiedMs,
    sessionFile: name,
  };
  const message = isPlainObject(last.message) ? last.message : last;
  const [model, provider] = [textOf(message.model), textOf(message.provider)];
  if (model !== undefined) entry.model = model;
  if (provider !== undefined) entry.modelProvider = provider;
  // Our transcripts name their key; others are found under their id.
  const key = textOf(first.key) ?? textOf(first.sessionKey);
  return [(key && canonicalKey(key)) ?? recoveredKey(sessionId), entry];
}

function endsOf(io: FileIo, path: string): { first: Fields; last: Fields; modifiedMs: number } | undefined {
  try {
    return withFile(io, path, "read", (file) => {
      const { size, modifiedNs } = io.statOpen(file);
      const start = readChunk(io, file, 0, Math.min(size, LOOK_BYTES));
      const end = size <= LOOK_BYTES ? start : readChunk(io, file, size - LOOK_BYTES, LOOK_BYTES);
      const first = objectOf(start.toString().split("\n", 1)[0]) ?? {};
      return { first, last: lastObject(end), modifiedMs: Number(modifiedNs / 1_000_000n) };
    });
  } catch {
    // A transcript that cannot be read must not hide the others.
    return undefined;
  }
}

function lastObject(end: Buffer): Fields {
  const lines = end.toString().split("\n");
  for (let index = lines.length - 1; index >= 0; index--) {
    const found = objectOf(lines[index]);
    if (found !== undefined) return found;
  }
  return {};
}

function objectOf(line: string | undefined): Fields | undefined {
  const value = line?.startsWith("{") ? parseJson(line) : undefined;
  return isPlainObject(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function timeIn(record: Fields): number | undefined {
  for (const value of [record.timestamp, record.created_at, record.createdAt]) {
    const ms = typeof value === "string" ? Date.parse(value) : value;
    if (typeof ms === "number" && Number.isFinite(ms) && ms > 0) return ms;
  }
  return undefined;
}
