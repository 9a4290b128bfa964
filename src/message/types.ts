/**
 * The values that everything else works on. One word, one meaning:
 *
 * - **conversation**: what a store keeps. Has an id, perhaps a session key.
 * - **entry**: one record of a conversation's log: a message, a compaction, a label …
 * - **message**: a role and content blocks.
 * - **turn**: one run of an agent: everything it writes from `beginTurn` to `finish`.
 * - **branch**: a named line through the tree of entries; `main` is the first.
 * - **head**: a branch's last entry.
 * - **engine**: what stores; **store**: the front over an engine.
 * - **session key**: the stable name of a conversation's source, such as `discord:dm:42`.
 */
import type { Json, JsonObject } from "../util/json.ts";

export type Role = "user" | "assistant" | "system";

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly [name: string]: Json | undefined;
}
export interface ImageBlock {
  readonly type: "image";
  readonly source: JsonObject;
  readonly [name: string]: Json | undefined;
}
export interface DocumentBlock {
  readonly type: "document";
  readonly source: JsonObject;
  readonly [name: string]: Json | undefined;
}
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature?: string;
  readonly [name: string]: Json | undefined;
}
export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
  readonly [name: string]: Json | undefined;
}
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly [name: string]: Json | undefined;
}
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly JsonObject[];
  readonly is_error?: boolean;
  readonly [name: string]: Json | undefined;
}
/** A block of a type that Colloquy does not know. Kept unchanged. */
export interface UnknownBlock {
  readonly type: string;
  readonly [name: string]: Json | undefined;
}

export type KnownBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock;

export type Block = KnownBlock | UnknownBlock;

/** How a streamed answer ended: complete, stopped by the user, or cut off. */
export type EndState = "finished" | "stopped" | "interrupted";

export interface Message {
  readonly role: Role;
  readonly content: string | readonly Block[];
  readonly model?: string;
  /** Token counts as the provider reported them. */
  readonly usage?: JsonObject;
  readonly stopReason?: string;
  readonly endState?: EndState;
  /** Where the message came from: a channel's own message id, an importer, a tool. */
  readonly provenance?: JsonObject;
  /** The imported record, unchanged. */
  readonly source?: Json;
  /** Properties of foreign formats that have no other place here, by format. */
  readonly extra?: JsonObject;
}

/** A message to append. `id` and `at` are filled in when they are missing. */
export interface MessageInput extends Message {
  /** At most 256 bytes, unique in its conversation. A retry with the same id changes nothing. */
  readonly id?: string;
  /** ISO 8601. Data only: order is the order of appending. */
  readonly at?: string;
}

/** A large part of a message, stored once however often it occurs. */
export interface BlobRef {
  /** SHA-256 of the bytes, 64 hexadecimal digits. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** Where it belongs in the message, where an empty string replaces it. Empty when the message itself refers to it. */
  readonly path: readonly (string | number)[];
  /** The bytes are the text in UTF-8, or what the text is in Base64. */
  readonly as: "text" | "base64" | "reference";
}

/** What every entry of a conversation's log has. */
interface EntryBase {
  readonly id: string;
  /** Grows with every entry of the conversation. This is the order. */
  readonly seq: number;
  /** The entry this one follows; `null` for the first. */
  readonly parentId: string | null;
  readonly at: string;
  /** The append that this entry was part of, where it had a name. */
  readonly operationId?: string;
  /** Large parts of the entry, when they were asked for as references. */
  readonly blobs?: readonly BlobRef[];
  /** Problems found on reading, for example that the line of its parent is damaged. */
  readonly flags?: readonly string[];
}

/** Data of imported entries, and of entries that a newer version wrote, may have further properties. */
interface EntryData {
  /** When its content was erased. */
  readonly redactedAt?: string;
  readonly [property: string]: Json | undefined;
}

/** A summary that replaces everything before `firstKept` when a context is built. */
export interface CompactionData extends EntryData {
  readonly summary: string;
  /** The first message that is kept unchanged; `null` if the summary replaces all messages before it. */
  readonly firstKept: string | null;
  readonly firstKeptSeq?: number;
  readonly strategy?: string;
  /** The number of messages that the summary replaces. */
  readonly summarised?: number;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** A summary of another branch, for the branch that the entry is on. */
export interface BranchSummaryData extends EntryData {
  readonly branch: string;
  readonly summary: string;
  /** How many messages it summarises. */
  readonly messages?: number;
}

/** Names an entry; `null` removes the name. */
export interface LabelData extends EntryData {
  readonly entry: string;
  readonly label: string | null;
}

/** A change to the tree, or how a turn without an answer ended. `type` says which. */
export interface InfoData extends EntryData {
  readonly type: InfoType;
}

type InfoType =
  | "branch"
  | "checkout"
  | "flatten"
  | "prune"
  | "undo-compaction"
  | "turn"
  | "original"
  | "import"
  | (string & {});

export interface MessageEntry extends EntryBase {
  readonly kind: "message";
  readonly message: Message;
  readonly data?: undefined;
}

interface DataEntry<Kind extends string, Data> extends EntryBase {
  readonly kind: Kind;
  readonly data: Data;
  readonly message?: undefined;
}

export type CompactionEntry = DataEntry<"compaction", CompactionData>;
export type BranchSummaryEntry = DataEntry<"branch_summary", BranchSummaryData>;
export type LabelEntry = DataEntry<"label", LabelData>;
export type InfoEntry = DataEntry<"info", InfoData>;
/** Data of a program's own, or a record of an import that has no other place. */
export type CustomEntry = DataEntry<"custom", Json>;
/** Keeps the place of an entry that was removed with its branch. */
export type RemovedEntry = DataEntry<"removed", Json>;
/** A kind that a newer version or an import wrote. Kept and carried along. */
export type UnknownEntry = DataEntry<UnknownKind, Json>;

/** Any other string. A separate type, so that a comparison with a known kind narrows the union. */
declare enum UnknownKind {
  any = "*",
}

/** One record of a conversation's log. `kind` says what it holds. */
export type Entry =
  | MessageEntry
  | CompactionEntry
  | BranchSummaryEntry
  | LabelEntry
  | InfoEntry
  | CustomEntry
  | RemovedEntry
  | UnknownEntry;

export type EntryKind = Entry["kind"];

/**
 * An entry as an engine keeps it and returns it. `data` is what was written, in
 * snake_case and whatever it may be; the store turns it into an `Entry`.
 */
export interface StoredEntry extends EntryBase {
  readonly kind: string;
  readonly message?: Message;
  readonly data?: Json;
}
