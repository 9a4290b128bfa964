/**
 * The file beside a transcript.
 *
 * Counts, times and the head are a cache of the log, with `log_bytes` saying
 * how far it had been counted. Title, model, profile and context state live
 * only here.
 */
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import type { FileIo } from "./io.ts";
import { checkSum, sealObject } from "./lines.ts";
import { EMPTY_LOG, type LogState } from "./log-state.ts";
import { readChunk } from "./scan.ts";

export interface Metadata {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
  readonly channel: string | null;
  readonly model: string | null;
  readonly profileId: string | null;
  readonly contextState: JsonObject | null;
  readonly compactionCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  /** What was counted, and up to where. `EMPTY_LOG` when that cannot be trusted. */
  readonly log: LogState;
  /** Members that this version does not know. They are written back as they were. */
  readonly other: JsonObject;
}

const KNOWN: ReadonlySet<string> = new Set([
  "id",
  "key",
  "title",
  "channel",
  "model",
  "profile_id",
  "created_at",
  "updated_at",
  "last_message_at",
  "message_count",
  "compaction_count",
  "context_state",
  "deleted_at",
  "entry_count",
  "last_seq",
  "head",
  "log_bytes",
  "_sum",
]);

export function encodeMetadata(meta: Metadata): Buffer {
  return sealObject({
    id: meta.id,
    key: meta.key,
    title: meta.title,
    channel: meta.channel,
    model: meta.model,
    profile_id: meta.profileId,
    created_at: meta.createdAt,
    updated_at: meta.updatedAt,
    last_message_at: meta.log.lastMessageAt,
    message_count: meta.log.messages,
    compaction_count: meta.compactionCount,
    context_state: meta.contextState,
    ...(meta.deletedAt === null ? {} : { deleted_at: meta.deletedAt }),
    entry_count: meta.log.entries,
    last_seq: meta.log.lastSeq,
    head: meta.log.head,
    log_bytes: meta.log.bytes,
    ...meta.other,
  });
}

/** Returns why it cannot be read as text, instead of throwing. */
export function decodeMetadata(bytes: Buffer): Metadata | string {
  let value: unknown;
  const line = bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
  const sum = checkSum(line);
  if (sum === "wrong") return "its checksum does not match";
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    return (error as Error).message;
  }
  if (!isPlainObject(value)) return "it is not an object";
  const { id, created_at } = value;
  if (typeof id !== "string" || typeof created_at !== "string") return "id or created_at is missing";
  // Without a checksum a person or another program wrote it: the words are taken, the counting is done again.
  return fromJson(value as Record<string, Json>, id, created_at, sum === "right");
}

function fromJson(value: Record<string, Json>, id: string, createdAt: string, trusted: boolean): Metadata {
  const text = (member: string): string | null => (typeof value[member] === "string" ? value[member] : null);
  const count = (member: string): number =>
    Number.isSafeInteger(value[member]) ? (value[member] as number) : 0;
  const log: LogState = {
    bytes: count("log_bytes"),
    header: undefined,
    lastSeq: count("last_seq"),
    head: text("head"),
    entries: count("entry_count"),
    messages: count("message_count"),
    lastMessageAt: text("last_message_at"),
  };
  return {
    id,
    key: text("key"),
    title: text("title"),
    channel: text("channel"),
    model: text("model"),
    profileId: text("profile_id"),
    contextState: isPlainObject(value.context_state) ? (value.context_state as JsonObject) : null,
    compactionCount: count("compaction_count"),
    createdAt,
    updatedAt: text("updated_at") ?? createdAt,
    deletedAt: text("deleted_at"),
    log: trusted ? log : EMPTY_LOG,
    other: Object.fromEntries(Object.entries(value).filter(([member]) => !KNOWN.has(member))),
  };
}

export type MetadataRead =
  | { readonly found: Metadata; readonly from: "file" | "backup"; readonly damage?: string }
  | { readonly found: undefined; readonly damage?: string };

/** Read the file, or the version before it where the file is missing or damaged. */
export function readMetadata(io: FileIo, path: string): MetadataRead {
  const current = readOne(io, path);
  if (typeof current === "object") return { found: current, from: "file" };
  const backup = readOne(io, backupOf(path));
  if (typeof backup === "object") return { found: backup, from: "backup", damage: current };
  return { found: undefined, damage: current };
}

export function backupOf(path: string): string {
  return `${path}.bak`;
}

function readOne(io: FileIo, path: string): Metadata | string | undefined {
  const stat = io.stat(path);
  if (stat === undefined) return undefined;
  if (stat.isFolder) return "it is a folder";
  const file = io.open(path, "read");
  try {
    return decodeMetadata(readChunk(io, file, 0, stat.size));
  } finally {
    io.close(file);
  }
}
