/**
 * What a reader of a foreign format is given and what it gives.
 *
 * A reader turns the records of a source into entries, in the order in which
 * they stand there, and says which entry each one follows. It knows nothing of
 * stores: the writer behind the sink places the entries on branches, leaves
 * out what was imported before, keeps the records beside what was made of
 * them, and makes everything durable.
 *
 * Contract of every reader: it never throws because of what a source says. A
 * record that it cannot use goes to `skip` or `note`; one that it only partly
 * understands is used as far as that goes. No record is dropped: each ends up
 * in the `records` of an entry, in a `note`, or in a `skip`.
 */
import type { Message } from "../../message/types.ts";
import type { Json, JsonObject } from "../../util/json.ts";

/** One record of a source, as it was found. */
export interface SourceRecord {
  readonly value: Json;
  /** Counted from 1; `null` where a source has no lines. */
  readonly line: number | null;
  /** In bytes, of what was uncompressed; `null` where that says nothing. */
  readonly offset: number | null;
  /** The text that was parsed, where there is one: kept instead of the value when that is less exact. */
  readonly text?: string;
}

/** A conversation as its source knows it. */
export interface SourceConversation {
  /** What the source calls it. Together with the format it decides which conversation of the store this is. */
  readonly sourceId: string;
  /** The id that it must have in the store: a conversation of another Colloquy stays itself. */
  readonly id?: string | undefined;
  /** A session key of its own, where the source has one. Default: `<format>:<sourceId>`. */
  readonly key?: string | undefined;
  readonly title?: string | undefined;
  readonly model?: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt?: number | undefined;
  /**
   * What copies of this conversation share with it, such as the id of its
   * first record. A source whose root is known belongs to that conversation:
   * a fork becomes a branch, and nothing is kept twice.
   */
  readonly root?: string | undefined;
  /** The conversation that started this one: a sub-agent's. */
  readonly parent?: {
    readonly sourceId: string;
    /** The tool call that started it, where that is known. */
    readonly toolUse?: string | undefined;
    readonly agent?: string | undefined;
  };
  /** A conversation of Colloquy itself: its entries are written as they are, and nothing is added to them. */
  readonly verbatim?: true | undefined;
  /** With `verbatim`: what it belongs to. */
  readonly channel?: string | undefined;
  /** With `verbatim`: the shape of its tree in the end. */
  readonly tree?: SourceTree | undefined;
  /** What else is known: working directory, version, git branch … */
  readonly about?: JsonObject | undefined;
}

/** Branches as a store had them. */
export interface SourceTree {
  readonly branches: readonly { readonly name: string; readonly head: string | null }[];
  /** The name of the branch that is checked out. */
  readonly active: string;
  /** Compactions that were undone. */
  readonly undone: readonly string[];
}

/** One entry, made of one or more records. */
export interface SourceEntry {
  /** The source's own id, or one made by `madeId` of what never changes. At most 256 bytes. */
  readonly id: string;
  /** What it follows, by id or alias; `null` for a new beginning; left out: whatever was added before it. */
  readonly parent?: string | null | undefined;
  /** Other ids by which the source may name it as a parent: several lines that became one message. */
  readonly aliases?: readonly string[] | undefined;
  /** What the branch is called that begins with this entry, should one begin. */
  readonly branch?: string | undefined;
  /** Default `message`. */
  readonly kind?: "message" | "compaction" | "branch_summary" | "label" | "info" | "custom" | undefined;
  /** Epoch milliseconds; `undefined` when the source does not say. */
  readonly at?: number | undefined;
  /** For messages: role, content, model, usage, stopReason, extra. The writer adds `provenance` and `source`. */
  readonly message?: Message | undefined;
  /** For other kinds; see `docs/format/imported.md` for the members of each. */
  readonly data?: JsonObject | undefined;
  /** An entry of Colloquy itself: written as it is, without its record. */
  readonly verbatim?: true | undefined;
  /** What it was made of. Kept, except for texts that stand in the message anyway. */
  readonly records: readonly SourceRecord[];
  /** What is odd about it, such as `cut-off`. The writer adds its own (`missing-parent`, `duplicate-id` …). */
  readonly flags?: readonly string[] | undefined;
}

export interface ConversationSink {
  add(entry: SourceEntry): void;
  /** Keep a record that is no entry by itself: a title, a snapshot, a counter. It travels with the next entry. */
  note(record: SourceRecord): void;
  /** Bytes that entries refer to by their hash, in Base64. They are stored before what is added next. */
  blob(base64: string): void;
  /** What a later record said about the conversation. */
  update(patch: Pick<SourceConversation, "title" | "model" | "createdAt" | "about" | "tree">): void;
  /** The entry that the source shows last: its branch is checked out. Default: the one that was added last. */
  leaf(entryId: string): void;
}

export interface Sink {
  /** The conversation of that `sourceId`; the same object each time it is asked for within one source. */
  conversation(start: SourceConversation): ConversationSink;
  /**
   * Whether the conversation was imported in this version and need not be
   * read again. `version` is whatever the source changes with the
   * conversation, such as the time of its last update.
   */
  isCurrent(sourceId: string, version: string): boolean;
  /** A record that cannot be used. Its text, where there is one, is kept with the conversation of the source. */
  skip(record: Omit<SourceRecord, "value">, reason: string): void;
  /** A type of record that this reader does not know. It is kept all the same. */
  unknown(type: string): void;
  /** Something that a record refers to and that is not there: an asset, a parent conversation. */
  unresolved(reference: string): void;
}

/** The files around a source: in its folder, or in its archive. Names are relative to the file that is read, with `/`. */
export interface Surroundings {
  /** The file that is read, as the report names it. */
  readonly path: string;
  /** When it was changed last, epoch milliseconds. */
  readonly modifiedMs: number;
  /** `undefined` when it is not there, too large, or not below the folder that was given. */
  read(name: string, bytesMax?: number): Promise<Buffer | undefined>;
  /** Names in a folder, sorted; empty when there is none. */
  list(folder: string): Promise<readonly string[]>;
}

/**
 * A block that stands for a file beside the source. The writer puts the
 * file's bytes in its place, or marks the block when there is no such file.
 *
 * An image or a document: `{ type: "image", source: { type: "file", name, media_type? } }`.
 * A text, such as a long tool result: the string is replaced by the file's
 * text when a block is `{ type: "text", text: preview, source: { type: "file", name } }`.
 */
export interface FileSource {
  readonly type: "file";
  readonly name: string;
  readonly media_type?: string;
}

/** Reads a file of one record a line. Synchronous: the writer is given time between chunks. */
export interface RecordReader {
  record(record: SourceRecord): void;
  /** No more records for now. What waits for its continuation is added, unless more is likely to come soon. */
  end(final: boolean): void;
  /**
   * What it must know to go on later behind the last record, as JSON; small,
   * however long the file. Called after `end`. `undefined` when it cannot go
   * on there: the file is then read from its beginning, which changes nothing
   * but takes longer.
   */
  state(): Json | undefined;
}

/** The few methods of a SQLite file, opened for reading, that readers use. */
export interface SourceDatabase {
  /** The columns of a table, empty when there is none. */
  columns(table: string): readonly string[];
  /** Rows one at a time. Integers beyond 2^53 come as text. */
  rows(sql: string, ...values: readonly (string | number)[]): Iterable<Readonly<Record<string, unknown>>>;
}
