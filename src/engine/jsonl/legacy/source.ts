/** Reads what a legacy transcript says about itself: in its first lines, its metadata file or its name. */

import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward, readChunk } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { resolveSessionKey } from "../../../key/resolve.ts";
import { lineTimeIn } from "../../../message/apis/flat-line.ts";
import { titleIn } from "../../../message/title.ts";
import { checkSum, decodeLine, type Header } from "../../../transcript/lines.ts";
import { bareLine } from "../../../transcript/log-state.ts";
import { isPlainObject, type Json, type JsonObject } from "../../../util/json.ts";
import { isoTime } from "../../../util/time.ts";
import { isUuid } from "../../../util/uuid.ts";
import { timeIn } from "../../../util/values.ts";
import { madeUuid } from "./convert.ts";
import { isMetadata, isRecord } from "./legacy-record.ts";

/** The files of a legacy conversation. */
export interface LegacyFiles {
  /** Relative to the folder of the store, without `.jsonl`. The name of a folder ends with a slash. */
  readonly name: string;
  readonly log: string;
  /** The metadata file beside it. */
  readonly metadata: string | undefined;
}

export interface LegacyFacts {
  readonly header: Header;
  /** In the format of a v2 metadata file. */
  readonly metadata: JsonObject;
  /** Whether it has checksums and so is a v2 transcript in another place. */
  readonly isCurrent: boolean;
}

const SNIFF_BYTES = 256 * 1024;
const SNIFF_LINES = 20;
const METADATA_BYTES_MAX = 16 * 1024 * 1024;

/** `undefined` if it is not a legacy transcript. `key` is used unless the file names another. */
export function readFacts(io: FileIo, files: LegacyFiles): LegacyFacts | undefined {
  const { first, values, modifiedMs, size } = beginningOf(io, files.log);
  const beside = besideOf(io, files.metadata);
  if (first !== undefined && checkSum(first) === "right") return currentFacts(first, beside);
  if (size > 0 && !values.some(isRecord)) return undefined;
  const [top] = values;
  const said: JsonObject = { ...(isMetadata(top) ? top : {}), ...beside };
  const times = values.map(lineTimeIn);
  const createdMs = timeIn(said.created_at) ?? timeIn(said.createdAt) ?? times.find((ms) => ms !== undefined);
  const id = isUuid(said.id) ? said.id.toLowerCase() : madeUuid(files.name);
  const key = keyOf(said, files.name);
  const createdAt = isoTime(createdMs ?? modifiedMs);
  const header: Header = { id, key, createdAt, generation: 1 };
  return { header, metadata: metadataOf(header, said, files.name), isCurrent: false };
}

/** Whether a file with the name of a v2 log has lines in a legacy format. */
export function isLegacy(io: FileIo, path: string): boolean {
  const { first, values, hasSums } = beginningOf(io, path);
  return first !== undefined && !hasSums && values.some(isRecord);
}

/** Whether a file has v2 lines. */
export function hasSums(io: FileIo, path: string): boolean {
  return beginningOf(io, path).hasSums;
}

interface Beginning {
  readonly first: Buffer | undefined;
  readonly values: readonly JsonObject[];
  readonly hasSums: boolean;
  readonly modifiedMs: number;
  readonly size: number;
}

function beginningOf(io: FileIo, path: string): Beginning {
  return withFile(io, path, "read", (file) => {
    const { size, modifiedNs } = io.statOpen(file);
    const values: JsonObject[] = [];
    let first: Buffer | undefined;
    let hasSums = false;
    const take = (bytes: Buffer | undefined): void => {
      if (bytes === undefined || bytes.length === 0) return;
      first ??= Buffer.from(bytes);
      hasSums ||= checkSum(bytes) !== "none";
      const value = parsed(bytes.toString("utf8"));
      if (isPlainObject(value)) values.push(value as JsonObject);
    };
    let end = 0;
    for (const raw of linesForward(io, file, 0, Math.min(size, SNIFF_BYTES))) {
      take(bareLine(raw));
      end = raw.end;
      if (values.length >= SNIFF_LINES) break;
    }
    // The last line may lack its newline.
    if (end < size && size <= SNIFF_BYTES && values.length < SNIFF_LINES)
      take(bareLine({ start: end, end: size, bytes: readChunk(io, file, end, size - end) }));
    return { first, values, hasSums, modifiedMs: Number(modifiedNs / 1_000_000n), size };
  });
}

function besideOf(io: FileIo, path: string | undefined): JsonObject {
  const stat = path === undefined ? undefined : io.stat(path);
  if (path === undefined || stat === undefined || stat.isFolder || stat.size > METADATA_BYTES_MAX) return {};
  return withFile(io, path, "read", (file) => {
    const value = parsed(readChunk(io, file, 0, stat.size).toString("utf8"));
    return isPlainObject(value) ? (value as JsonObject) : {};
  });
}

function currentFacts(first: Buffer, beside: JsonObject): LegacyFacts | undefined {
  const line = decodeLine(first);
  if (!line.ok || line.header === undefined) return undefined;
  // Without its counts, which belong to a file in another place.
  const { _sum, log_bytes, ...said } = beside;
  const { id, key, createdAt } = line.header;
  return { header: line.header, metadata: { ...said, id, key, created_at: createdAt }, isCurrent: true };
}

const TAKEN: ReadonlySet<string> = new Set([
  "_type",
  "version",
  "tree_enabled",
  "id",
  "key",
  "session_key",
  "title",
  "model",
  "model_id",
  "channel",
  "profile_id",
  "context_state",
  "created_at",
  "createdAt",
  "updated_at",
  "updatedAt",
  "message_count",
  "compaction_count",
  "compactionCount",
]);

function metadataOf({ id, key, createdAt }: Header, said: JsonObject, name: string): JsonObject {
  const text = (value: Json | undefined): string | null =>
    typeof value === "string" && value !== "" ? value : null;
  const updatedMs = timeIn(said.updated_at) ?? timeIn(said.updatedAt);
  const unknown = Object.entries(said).filter(([member]) => !TAKEN.has(member));
  return {
    id,
    key,
    title: titleIn(said.title),
    channel: text(said.channel) ?? key?.split(":", 1)[0] ?? null,
    model: text(said.model) ?? text(said.model_id),
    profile_id: text(said.profile_id),
    context_state: isPlainObject(said.context_state) ? (said.context_state as JsonObject) : null,
    created_at: createdAt,
    ...(updatedMs === undefined ? {} : { updated_at: isoTime(updatedMs) }),
    legacy: { name, ...Object.fromEntries(unknown) },
  };
}

/** Possible first and second parts of a session key. */
const CHANNELS = /^(cli|discord|telegram|slack|web|whatsapp|signal|feishu|agent|cron|hook)_(.+)$/is;
const INNER = /^(dm|channel|thread|group)_(.+)$/is;

/** File names were made from keys by replacing forbidden characters with `_`, so the key is a guess. */
function keyOf(said: JsonObject, path: string): string | null {
  const name = path.replace(/\/$/, "");
  // It was created without one.
  if (said.key === null && said.session_key === undefined) return null;
  const given = said.key ?? said.session_key;
  const stated = typeof given === "string" && /^[^:]+:./s.test(given) ? currentKey(given) : null;
  if (stated !== null) return stated;
  const [, channel, rest] = CHANNELS.exec(name) ?? [];
  return currentKey(
    channel === undefined || rest === undefined
      ? `legacy:${name}`
      : `${channel}:${rest.replace(INNER, "$1:$2")}`,
  );
}

/** In the spelling that a store looks for. `null` if no store could look for it. */
function currentKey(key: string): string | null {
  try {
    return resolveSessionKey({ sessionKey: key });
  } catch {
    return null;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
