/**
 * The values everything else is about. One word, one meaning:
 *
 * - **conversation**: the thing kept. Has an id, perhaps a session key.
 * - **entry**: one record of a conversation's log: a message, a compaction, a label …
 * - **message**: a role and content blocks.
 * - **turn**: one user message and all that answers it.
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
  readonly [member: string]: Json | undefined;
}
export interface ImageBlock {
  readonly type: "image";
  readonly source: JsonObject;
  readonly [member: string]: Json | undefined;
}
export interface DocumentBlock {
  readonly type: "document";
  readonly source: JsonObject;
  readonly [member: string]: Json | undefined;
}
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature?: string;
  readonly [member: string]: Json | undefined;
}
export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
  readonly [member: string]: Json | undefined;
}
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly [member: string]: Json | undefined;
}
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly JsonObject[];
  readonly is_error?: boolean;
  readonly [member: string]: Json | undefined;
}
/** A block of a kind that Colloquy does not know. Kept as it is. */
export interface UnknownBlock {
  readonly type: string;
  readonly [member: string]: Json | undefined;
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

/** How a streamed answer ended: by itself, stopped by a person, or cut off. */
export type EndState = "finished" | "stopped" | "interrupted";

export interface Message {
  readonly role: Role;
  readonly content: string | readonly Block[];
  readonly model?: string;
  /** Token counts as the provider gave them. */
  readonly usage?: JsonObject;
  readonly stopReason?: string;
  readonly endState?: EndState;
  /** Where the message came from: a channel's own message id, an importer, a tool. */
  readonly provenance?: JsonObject;
  /** The record that an import was made from, unchanged. */
  readonly source?: Json;
  /** Members of foreign formats that have no other place here, by format. */
  readonly extra?: JsonObject;
}

/** A message to append. `id` and `at` are made when they are not given. */
export interface MessageInput extends Message {
  /** At most 256 bytes, unique in its conversation. A retry with the same id changes nothing. */
  readonly id?: string;
  /** ISO 8601. Data only: order is the order of appending. */
  readonly at?: string;
}

/** A large part of a message, which is kept once however often it occurs. */
export interface BlobRef {
  /** SHA-256 of the bytes, 64 hexadecimal digits. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** Where it belongs in the message, where an empty text stands for it. Empty when the message itself refers to it. */
  readonly path: readonly (string | number)[];
  /** The bytes are the text in UTF-8, or what the text is in Base64. */
  readonly as: "text" | "base64" | "reference";
}

export type EntryKind = "message" | "compaction" | "branch_summary" | "label" | "info" | "custom";

/** One record of a conversation's log. */
export interface Entry {
  readonly id: string;
  /** Grows by one with every entry of the conversation. This is the order. */
  readonly seq: number;
  /** The entry this one follows; `null` for the first. */
  readonly parentId: string | null;
  /** An `EntryKind`, or a kind that a newer version wrote. */
  readonly kind: EntryKind | (string & {});
  readonly at: string;
  /** There when `kind` is `message`. */
  readonly message?: Message;
  /** What an entry of another kind holds. */
  readonly data?: Json;
  /** The append that this entry was part of, where it had a name. */
  readonly operationId?: string;
  /** Parts of the message that stand elsewhere, when they were asked for as references. */
  readonly blobs?: readonly BlobRef[];
  /** What is wrong with this entry, found on reading: its parent's line is damaged, for example. */
  readonly flags?: readonly string[];
}
