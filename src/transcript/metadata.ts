/**
 * The file beside a transcript.
 *
 * Counts, times and the head are a cache of the log, with `log_bytes` saying
 * how far it had been counted. Title, model, profile and context state live
 * only here.
 */

import type { FileIo, FileStat } from "../disk/file-io.ts";
import { NEWLINE, readChunk } from "../disk/line-scan.ts";
import { freeName } from "../disk/replace-file.ts";
import { withExistingFile } from "../disk/with-file.ts";
import { decodeTree, encodeTree } from "../tree/codec.ts";
import { liveBranches, PLAIN } from "../tree/tree.ts";
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { isoTime, parseTime, timestamp17 } from "../util/time.ts";
import { checkSum, type Header, sealObject } from "./lines.ts";
import { EMPTY_LOG, type LogState } from "./log-state.ts";

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
  /** `log` lacks its tree: what it says is right, but counting starts from the beginning. */
  readonly treeless: boolean;
  /** Members that this version does not know. They are written back as they were. */
  readonly other: JsonObject;
}

/** Far beyond any title and context state: such a file is not ours. */
const METADATA_BYTES_MAX = 64 * 1024 * 1024;

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
  "branch_count",
  "compaction_count",
  "context_state",
  "deleted_at",
  "entry_count",
  "last_seq",
  "head",
  "last",
  "blob_count",
  "tree",
  "log_bytes",
  "_sum",
]);

/** Metadata of a conversation of which nothing else is known. */
export function newMetadata(known: Pick<Metadata, "id" | "createdAt"> & Partial<Metadata>): Metadata {
  return {
    key: null,
    title: null,
    channel: null,
    model: null,
    profileId: null,
    contextState: null,
    compactionCount: 0,
    updatedAt: known.createdAt,
    deletedAt: null,
    log: EMPTY_LOG,
    treeless: false,
    other: NONE,
    ...known,
  };
}

/** The first line of a log that belongs to it. */
export function headerOf({ id, key, createdAt }: Metadata): Header {
  return { id, key, createdAt, generation: 1 };
}

export function encodeMetadata(meta: Metadata): Buffer {
  const { log } = meta;
  const tree = encodeTree(log.tree);
  return sealObject({
    id: meta.id,
    key: meta.key,
    title: meta.title,
    channel: meta.channel,
    model: meta.model,
    profile_id: meta.profileId,
    created_at: meta.createdAt,
    updated_at: meta.updatedAt,
    last_message_at: log.lastMessageAt,
    message_count: log.messages,
    branch_count: liveBranches(log.tree).length,
    compaction_count: meta.compactionCount,
    context_state: meta.contextState,
    ...(meta.deletedAt === null ? {} : { deleted_at: meta.deletedAt }),
    entry_count: log.entries,
    last_seq: log.lastSeq,
    head: log.head,
    ...(log.last === log.head ? {} : { last: log.last }),
    ...(log.blobs === 0 ? {} : { blob_count: log.blobs }),
    // Too long to be worth it: `false` is no tree, so it is counted again.
    ...(tree === null ? {} : { tree: tree ?? false }),
    log_bytes: log.bytes,
    ...meta.other,
  });
}

/** Returns why it cannot be read as text, instead of throwing. */
export function decodeMetadata(bytes: Buffer): Metadata | string {
  let value: unknown;
  const line = bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
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
  // Times of others may be written in another way, and are compared as text.
  const time = (given: string | null): string | null => {
    const ms = trusted ? undefined : parseTime(given);
    return ms === undefined ? given : isoTime(ms);
  };
  const created = time(createdAt) as string;
  const tree = decodeTree(value.tree);
  const head = text("head");
  const log: LogState = {
    bytes: count("log_bytes"),
    header: undefined,
    lastSeq: count("last_seq"),
    last: value.last === undefined ? head : text("last"),
    tree: tree ?? PLAIN,
    head,
    entries: count("entry_count"),
    messages: count("message_count"),
    lastMessageAt: text("last_message_at"),
    blobs: count("blob_count"),
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
    createdAt: created,
    updatedAt: time(text("updated_at")) ?? created,
    deletedAt: time(text("deleted_at")),
    log: trusted ? log : EMPTY_LOG,
    treeless: trusted && tree === undefined,
    other: unknownMembers(value),
  };
}

const NONE: JsonObject = Object.freeze({});

function unknownMembers(value: Record<string, Json>): JsonObject {
  let other: Record<string, Json> | undefined;
  for (const member of Object.keys(value)) {
    if (KNOWN.has(member)) continue;
    other ??= Object.create(null) as Record<string, Json>;
    other[member] = value[member] as Json;
  }
  return other ?? NONE;
}

/** What was found, and the file it was read from: a later look compares with that. */
export interface MetadataRead {
  readonly found: Metadata | undefined;
  readonly from?: "file" | "backup";
  /** Why the file itself could not be read. */
  readonly damage?: string;
  /** The file itself, also when it is damaged. */
  readonly stat?: FileStat;
}

/** Read the file, or the version before it where the file is missing or damaged. */
export function readMetadata(io: FileIo, path: string): MetadataRead {
  const { content, stat } = readOne(io, path);
  if (typeof content === "object") return { found: content, from: "file", stat };
  const { content: former } = readOne(io, backupOf(path));
  if (typeof former === "object") {
    // It may have counted a log that was rewritten since.
    return { found: { ...former, log: EMPTY_LOG }, from: "backup", damage: content, stat };
  }
  return { found: undefined, damage: content, stat };
}

/** Metadata that could not be read is never overwritten: somebody may still save a title from it. */
export function setDamagedAside(io: FileIo, path: string, nowMs: number): void {
  io.rename(path, freeName(io, `${path}.damaged-${timestamp17(nowMs)}`));
}

export function backupOf(path: string): string {
  return `${path}.bak`;
}

function readOne(io: FileIo, path: string): { content?: Metadata | string; stat?: FileStat } {
  const read = (file: number): { content: Metadata | string; stat: FileStat } => {
    const stat = io.statOpen(file);
    if (stat.isFolder) return { content: "it is a folder", stat };
    if (stat.size > METADATA_BYTES_MAX) return { content: `it has ${stat.size} bytes`, stat };
    return { content: decodeMetadata(readChunk(io, file, 0, stat.size)), stat };
  };
  return withExistingFile(io, path, read) ?? {};
}
