/**
 * The metadata file beside a transcript.
 *
 * Counts, times and the head are a cache of the log; `log_bytes` says how far
 * the log was counted. Title, model, profile and context state are stored only
 * here.
 */

import type { FileIo, FileStat } from "../disk/file-io.ts";
import { NEWLINE, readChunk } from "../disk/line-scan.ts";
import { freeName } from "../disk/replace-file.ts";
import { withExistingFile } from "../disk/with-file.ts";
import { titleIn } from "../message/title.ts";
import { decodeTree, encodeTree } from "../tree/codec.ts";
import { liveBranches, liveCompactions, PLAIN } from "../tree/tree.ts";
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { isoTime, parseTime, timeOf, timestamp17 } from "../util/time.ts";
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
  /** Set by a caller of `Transcript` that compacts by itself. Otherwise the tree knows (`compactionsOf`). */
  readonly compactionCount: number | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  /** The counts, and how far they reach. `EMPTY_LOG` if they cannot be trusted. */
  readonly log: LogState;
  /** `log` lacks its tree, so that counting must start over, but is correct otherwise. */
  readonly treeless: boolean;
  /** Whether another program wrote it: it has no checksum. */
  readonly foreign: boolean;
  /** Properties that this version does not know. They are written back unchanged. */
  readonly other: JsonObject;
}

/** The texts in a file that does not name its conversation. Another program wrote it. */
export type Description = Pick<
  Metadata,
  "title" | "channel" | "model" | "profileId" | "contextState" | "other"
>;

/** The time of a file may be that much earlier than the clock: file systems round it down. */
const FILE_TIME_MS = 2000;

/** Far more than any title and context state needs, so a larger file is damaged. */
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

/** Metadata with defaults for everything that is not given. */
export function newMetadata(known: Pick<Metadata, "id" | "createdAt"> & Partial<Metadata>): Metadata {
  return {
    key: null,
    title: null,
    channel: null,
    model: null,
    profileId: null,
    contextState: null,
    compactionCount: undefined,
    updatedAt: known.createdAt,
    deletedAt: null,
    log: EMPTY_LOG,
    treeless: false,
    foreign: false,
    other: NONE,
    ...known,
  };
}

/**
 * When a conversation last changed. If its log, which was last written at
 * `modifiedNs`, is ahead of the metadata: the time of its latest entry, but not
 * later than that of the file, because callers can date their messages.
 */
export function lastChangeOf(
  { updatedAt, log: counted }: Metadata,
  log: LogState,
  modifiedNs: bigint | undefined,
): string {
  if (log.lastAt === null || modifiedNs === undefined || log.bytes <= counted.bytes) return updatedAt;
  const writtenMs = Number(modifiedNs / 1_000_000n);
  const isDated = timeOf(log.lastAt) > writtenMs + FILE_TIME_MS;
  const latest = isDated ? isoTime(writtenMs) : log.lastAt;
  return latest > updatedAt ? latest : updatedAt;
}

/** The header of the log that belongs to the metadata. */
export function headerOf({ id, key, createdAt }: Metadata): Header {
  return { id, key, createdAt, generation: 1 };
}

export function compactionsOf({ compactionCount, log }: Pick<Metadata, "compactionCount" | "log">): number {
  return compactionCount ?? liveCompactions(log.tree).length;
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
    compaction_count: compactionsOf(meta),
    context_state: meta.contextState,
    ...(meta.deletedAt === null ? {} : { deleted_at: meta.deletedAt }),
    entry_count: log.entries,
    last_seq: log.lastSeq,
    head: log.head,
    ...(log.last === log.head ? {} : { last: log.last }),
    ...(log.blobs === 0 ? {} : { blob_count: log.blobs }),
    // `false` marks a tree that is too long to write and must be folded again.
    ...(tree === null ? {} : { tree: tree ?? false }),
    log_bytes: log.bytes,
    ...meta.other,
  });
}

/** Returns the reason as a string if the metadata is unreadable. Never throws. */
export function decodeMetadata(bytes: Buffer): Metadata | Description | string {
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
  if (typeof id !== "string" || typeof created_at !== "string")
    return sum === "right" ? "id or created_at is missing" : described(value as Record<string, Json>);
  // Without a checksum, the user or another program wrote it: keep the texts, but count the log again.
  return fromJson(value as Record<string, Json>, id, created_at, sum === "right");
}

function described(value: Record<string, Json>): Description {
  const text = textsIn(value);
  return {
    title: titleIn(value.title),
    channel: text("channel"),
    model: text("model"),
    profileId: text("profile_id"),
    contextState: isPlainObject(value.context_state) ? (value.context_state as JsonObject) : null,
    other: unknownMembers(value),
  };
}

function textsIn(value: Record<string, Json>): (member: string) => string | null {
  return (member) => (typeof value[member] === "string" ? value[member] : null);
}

function fromJson(value: Record<string, Json>, id: string, createdAt: string, trusted: boolean): Metadata {
  const text = textsIn(value);
  const count = (member: string): number =>
    Number.isSafeInteger(value[member]) ? (value[member] as number) : 0;
  // Other programs may format times differently, and times are compared as strings.
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
    lastAt: null,
    blobs: count("blob_count"),
  };
  return {
    id,
    key: text("key"),
    ...described(value),
    compactionCount: count("compaction_count"),
    createdAt: created,
    updatedAt: time(text("updated_at")) ?? created,
    deletedAt: time(text("deleted_at")),
    log: trusted ? log : EMPTY_LOG,
    treeless: trusted && tree === undefined,
    foreign: !trusted,
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

/** The metadata, and the state of the file for later comparison. */
export interface MetadataRead {
  readonly found: Metadata | undefined;
  readonly from?: "file" | "backup";
  /** If the file does not name its conversation, and there is no backup that does. */
  readonly described?: Description;
  /** Why the file itself is unreadable. */
  readonly damage?: string;
  /** Of the file itself, even if it is damaged. */
  readonly stat?: FileStat;
}

/** Read the file, or its backup if the file is missing or damaged. */
export function readMetadata(io: FileIo, path: string): MetadataRead {
  const { content, stat } = readOne(io, path);
  if (isMetadata(content)) return { found: content, from: "file", stat };
  const texts = typeof content === "object" ? content : undefined;
  const damage = typeof content === "string" ? content : undefined;
  const { content: former } = readOne(io, backupOf(path));
  if (isMetadata(former)) {
    // Its counts may be of a log that was rewritten since.
    const given = Object.entries(texts ?? {}).filter(([, value]) => value !== null);
    const found = { ...former, ...Object.fromEntries(given), log: EMPTY_LOG };
    return { found, from: "backup", damage, stat };
  }
  return { found: undefined, ...(texts === undefined ? {} : { described: texts }), damage, stat };
}

/** Damaged metadata is never overwritten: the user may still recover a title from it. */
export function setDamagedAside(io: FileIo, path: string, nowMs: number): void {
  io.rename(path, freeName(io, `${path}.damaged-${timestamp17(nowMs)}`));
}

export function backupOf(path: string): string {
  return `${path}.bak`;
}

function isMetadata(content: Metadata | Description | string | undefined): content is Metadata {
  return typeof content === "object" && "id" in content;
}

interface ReadFile {
  readonly content?: Metadata | Description | string;
  readonly stat?: FileStat;
}

function readOne(io: FileIo, path: string): ReadFile {
  const read = (file: number): ReadFile => {
    const stat = io.statOpen(file);
    if (stat.isFolder) return { content: "it is a folder", stat };
    if (stat.size > METADATA_BYTES_MAX) return { content: `it has ${stat.size} bytes`, stat };
    return { content: decodeMetadata(readChunk(io, file, 0, stat.size)), stat };
  };
  return withExistingFile(io, path, read) ?? {};
}
