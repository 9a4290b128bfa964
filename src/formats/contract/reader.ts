/**
 * The interface between the import and the readers of foreign formats.
 *
 * A reader turns the records of a source into entries, in the order of the
 * source, and names the entry that each one follows. It knows nothing about
 * stores: the writer that implements the sink places entries on branches,
 * leaves out those that were imported before, keeps the bytes of the source
 * with the conversation that claims them, and makes everything durable.
 *
 * Contract of every reader: it never throws because of the content of a
 * source. A record that it cannot use goes to `skip` or `note`; one that it
 * understands only partly is used as far as possible. No record is dropped:
 * each ends up in the `records` of an entry, in a `note`, or in a `skip`, which
 * tells the conversation that its bytes belong to. `offset` is enough for that.
 */
import type { Message } from "../../message/types.ts";
import type { Json, JsonObject } from "../../util/json.ts";

/** One record of a source, unchanged. */
export interface SourceRecord {
  readonly value: Json;
  /** Counted from 1; `null` where a source has no lines. */
  readonly line: number | null;
  /** In uncompressed bytes; `null` where that has no meaning: then the value is kept as a row. */
  readonly offset: number | null;
  /** Its length in the file, if the reader knows it. */
  readonly bytes?: number;
  /** The text that was parsed, if any. */
  readonly text?: string;
  /** Without an offset, what is kept instead of the value: a row with every column, or a file with its name. */
  readonly row?: Json;
}

/** A conversation as its source knows it. */
export interface SourceConversation {
  /** Its id in the source. Together with the format it determines its id in the store. */
  readonly sourceId: string;
  /** The id that it must have in the store: a conversation of another Colloquy stays itself. */
  readonly id?: string | undefined;
  /** Its session key, if the source has one. Default: `<format>:<sourceId>`. */
  readonly key?: string | undefined;
  readonly title?: string | undefined;
  readonly model?: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt?: number | undefined;
  /**
   * Something that copies of this conversation share, such as the id of its
   * first record. Sources with the same root become one conversation: a fork
   * becomes a branch, and nothing is stored twice.
   */
  readonly root?: string | undefined;
  /** The conversation that started this one, if this is a sub-agent's. */
  readonly parent?: {
    readonly sourceId: string;
    /** The tool call that started it, if known. */
    readonly toolUse?: string | undefined;
    readonly agent?: string | undefined;
  };
  /** It begins with a copy of another source, which names the conversation if that one is imported too. */
  readonly isCopy?: true | undefined;
  /** Archived: the tool no longer lists it, and any other source of the conversation is shown instead. */
  readonly isHidden?: true | undefined;
  /** A conversation of Colloquy itself: its entries are written unchanged, and nothing is added to it. */
  readonly verbatim?: true | undefined;
  /** Its channel, if the source has one. Default: the format. */
  readonly channel?: string | undefined;
  /** Its profile and what its tool remembers of its context, if the source has them. */
  readonly profileId?: string | undefined;
  readonly contextState?: JsonObject | undefined;
  /** With `verbatim`: the final shape of its tree. */
  readonly tree?: SourceTree | undefined;
  /** Other facts: working directory, version, git branch … */
  readonly about?: JsonObject | undefined;
}

/** The branches of a conversation in another store. */
export interface SourceTree {
  readonly branches: readonly { readonly name: string; readonly head: string | null }[];
  /** The name of the checked-out branch. */
  readonly active: string;
  /** Compactions that were undone. */
  readonly undone: readonly string[];
}

/** One entry, from one or more records. */
export interface SourceEntry {
  /** The source's own id, or one made by `madeId` from values that never change. At most 256 bytes. */
  readonly id: string;
  /** The entry that it follows, by id or alias; `null` starts a new root. Default: the entry added before it. */
  readonly parent?: string | null | undefined;
  /** Other ids by which the source may refer to it, for example when several lines became one message. */
  readonly aliases?: readonly string[] | undefined;
  /** The name of the branch that starts with this entry, if one does. */
  readonly branch?: string | undefined;
  /** It starts a branch even if nothing else follows its parent. */
  readonly startsBranch?: true | undefined;
  /** Default `message`. */
  readonly kind?: "message" | "compaction" | "branch_summary" | "label" | "info" | "custom" | undefined;
  /** Epoch milliseconds; `undefined` when the source does not say. */
  readonly at?: number | undefined;
  /** For messages: role, content, model, usage, stopReason, extra. The writer adds `provenance`. */
  readonly message?: Message | undefined;
  /** For other kinds; `docs/format/imported.md` lists the properties of each. */
  readonly data?: JsonObject | undefined;
  /** An entry of Colloquy itself: written unchanged, without its record. */
  readonly verbatim?: true | undefined;
  /** The records that it comes from. Their bytes are kept with the conversation. */
  readonly records: readonly SourceRecord[];
  /** Files that would be in the message were not found, and nothing in it says so. */
  readonly lacksFiles?: true | undefined;
  /** Oddities such as `cut-off`. The writer adds others (`missing-parent`, `duplicate-id` …). */
  readonly flags?: readonly string[] | undefined;
}

export interface ConversationSink {
  add(entry: SourceEntry): void;
  /** Keep a record that is not an entry: a title, a snapshot, a counter. */
  note(record: SourceRecord): void;
  /** Bytes that entries refer to by their hash, in Base64. They are stored before the next entry. */
  blob(base64: string): void;
  /** Facts about the conversation from a later record. */
  update(patch: Pick<SourceConversation, "title" | "model" | "createdAt" | "about" | "tree">): void;
  /**
   * The entry that the source shows last: its branch is checked out, unless another source of the conversation was
   * used later. Default: the last one added.
   */
  leaf(entryId: string): void;
}

export interface Sink {
  /** The conversation with this `sourceId`: the same object for every call within one source. */
  conversation(start: SourceConversation): ConversationSink;
  /**
   * Whether this version of the conversation has been imported, so that it
   * need not be read again. `version` is anything that changes with the
   * conversation, such as the time of its last update.
   */
  isCurrent(sourceId: string, version: string): boolean;
  /**
   * Whether an answer, which its tool has begun and touched at these times, may still be completed. The reader then
   * leaves it out, with all that follows it, and the next import reads the conversation again.
   */
  waitsFor(sourceId: string, touchedMs: readonly number[]): boolean;
  /** An id by which another file may name this one, or the record of this one that it continues (`Base.awaits`). */
  offer(id: string): void;
  /** Report a record that cannot be used. Its bytes are kept with the conversation. */
  skip(record: Omit<SourceRecord, "value">, reason: string): void;
  /** Report a type of record that this reader does not know. The record itself is kept. */
  unknown(type: string): void;
  /** Report a reference to something that is missing: an asset, a parent conversation. */
  unresolved(reference: string): void;
}

/** The files around a source, in its folder or archive. Names are relative to the file being read, with `/`. */
export interface Surroundings {
  /** The file being read, as the report names it. */
  readonly path: string;
  /** The time of its last change, in epoch milliseconds. */
  readonly modifiedMs: number;
  /** `undefined` when it does not exist, is too large, or is outside the folder that the user named. */
  read(name: string, bytesMax?: number): Promise<Buffer | undefined>;
  /** Names in a folder, sorted; empty when the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** The records of a file of one record a line, uncompressed; none when it does not exist. Damage is left out. */
  records(name: string): AsyncIterable<SourceRecord>;
  /** Differs when a file or a folder was changed, or appeared. */
  stamp(name: string): string;
  /**
   * The same with all files below another folder, such as that of the tool, although the user may have named less.
   * Only for a file that the one being read names and that is imported with it.
   */
  beyond(folder: string): Surroundings;
  /** Another file, as the report names it. */
  pathOf(name: string): string;
}

/**
 * The source of a block that refers to a file beside the transcript. The writer
 * replaces it by the content of the file, or marks the block when the file is
 * missing.
 *
 * For an image or document: `{ type: "image", source: { type: "file", name, media_type? } }`.
 * For a long string such as a tool result, the file's text replaces the preview:
 * `{ type: "text", text: preview, source: { type: "file", name } }`.
 */
export interface FileSource {
  readonly type: "file";
  readonly name: string;
  readonly media_type?: string;
}

/** Reads a file of one record a line. It is synchronous; the writer works between chunks. */
export interface RecordReader {
  record(record: SourceRecord): void;
  /** No more records for now. Add held records, unless `final` is off: then more may come soon. */
  end(final: boolean): void;
  /**
   * The state needed to continue after the last record in a later import, as
   * JSON; small, however long the file. Called after `end`. When it is
   * `undefined`, the file is read from its beginning, with the same result.
   */
  state(): Json | undefined;
}

/** A SQLite file, opened for reading. */
export interface SourceDatabase {
  /** The columns of a table; empty when the table does not exist. */
  columns(table: string): readonly string[];
  /** Rows one at a time. Integers beyond 2^53 come as strings. */
  rows(sql: string, ...values: readonly (string | number)[]): Iterable<Readonly<Record<string, unknown>>>;
}
