/**
 * Everything that changes a store, as plain data, and what comes of it.
 *
 * `Engine.commit` takes a list of these. The store has validated them, and has
 * chosen every id and time that is not the caller's.
 */
import type { ColloquyError } from "../errors.ts";
import type { BlobRef, StoredEntry } from "../message/types.ts";
import type { LogTip, SourcePlace } from "../tree/place-entries.ts";
import type { JsonObject } from "../util/json.ts";
import type { ConversationInfo } from "./queries.ts";

/** How stored bytes encode the original ones: not at all, or as one or more zstd frames. */
export type BlobEncoding = "none" | "zstd";

/** Bytes that are stored once, under the SHA-256 of the original bytes. */
export interface NewBlob {
  /** 64 lowercase hexadecimal digits. */
  readonly hash: string;
  /** Before encoding. */
  readonly size: number;
  readonly encoding: BlobEncoding;
  readonly data: Uint8Array;
}

/** An entry without its place. `json` is its message, or its data for other kinds. */
export interface NewEntry {
  readonly id: string;
  /** The caller chose the id, so an entry with it may exist. Ids that the store made are new. */
  readonly idGiven: boolean;
  readonly kind: string;
  readonly at: string;
  readonly json: string;
  /** `json`, parsed. Present for kinds other than `message`. */
  readonly data?: JsonObject | undefined;
  /** Parts of the message that are stored as blobs. Those that this append does not bring must exist. */
  readonly blobs?: readonly BlobRef[] | undefined;
  /** The place it had in the log it was copied from. It keeps that place, or the append is a `CONFLICT`. */
  readonly sourcePlace?: SourcePlace | undefined;
}

export interface CreateOperation {
  readonly type: "create";
  readonly id: string;
  /** As with `NewEntry`: only an id from outside can be a retry. */
  readonly idGiven: boolean;
  readonly key: string | null;
  readonly title: string | null;
  readonly channel: string | null;
  readonly model: string | null;
  readonly profileId: string | null;
  readonly at: string;
  /** When the key is in use: return that conversation instead of `CONFLICT`. */
  readonly resume: boolean;
  /** Entries of any kind follow, from elsewhere: a legacy format could not hold them. */
  readonly copied?: true;
}

export interface AppendOperation {
  readonly type: "append";
  readonly conversation: string;
  readonly entries: readonly NewEntry[];
  /** Blobs that the entries refer to. One that is stored already is not stored again. */
  readonly blobs?: readonly NewBlob[] | undefined;
  /** The branch by name, or by id, which survives a rename; `undefined` is the checked-out branch. */
  readonly branch?: string | number | undefined;
  /** A branch that would be deeper is refused. */
  readonly maxDepth?: number | undefined;
  /** The fencing number of the writer's lease: refused when a newer lease has been granted. */
  readonly epoch?: number | undefined;
  /** The journal of this turn ends with this append. */
  readonly endsTurn?: string | undefined;
  /** Once the entries are written, the lease with this token is released. */
  readonly releases?: string | undefined;
  readonly operationId: string | undefined;
  /** As with `NewEntry`: an operation id that the store made cannot be a retry. */
  readonly operationGiven?: boolean | undefined;
  /** The head that the caller has seen; `null` is an empty conversation, `undefined` any. */
  readonly expectedHead: string | null | undefined;
  /** The end of the log: refused when it ends with another entry. */
  readonly after?: LogTip | undefined;
  /** Put together with the entries, or earlier: never later. A retry does not put them again (`planJobs`). */
  readonly jobs?: readonly NewJob[] | undefined;
  /** The time of the append. Entries have their own times, which may be in the past. */
  readonly at: string;
}

export interface UpdatePatch {
  readonly title?: string | null;
  readonly channel?: string | null;
  readonly model?: string | null;
  readonly profileId?: string | null;
  readonly contextState?: JsonObject | null;
}

export interface UpdateOperation {
  readonly type: "update";
  readonly conversation: string;
  readonly patch: UpdatePatch;
  readonly at: string;
}

/** Move to the trash, or back. The first frees the key, the second claims it again. */
export interface TrashOperation {
  readonly type: "trash" | "restore";
  readonly conversation: string;
  readonly at: string;
}

/**
 * Permanently remove the conversation, its journal and lease, and blobs that nothing else refers to.
 * Its mark stays, in the same commit (`Engine.purged`).
 */
export interface PurgeOperation {
  readonly type: "purge";
  readonly conversation: string;
  /** Even when it is not in the trash (`checkPurge` of `rules.ts`). */
  readonly force: boolean;
  readonly at: string;
}

/** Adopt the marks of conversations that were purged from the store that this one is a copy of. */
export interface MarkPurgedOperation {
  readonly type: "mark-purged";
  /** See `purgeMark` of `removal-rules.ts`. */
  readonly marks: readonly string[];
}

/** Replace the content of an entry with `json` everywhere. Its blobs go, and the context state, which may repeat it. */
export interface RedactOperation {
  readonly type: "redact";
  readonly conversation: string;
  readonly entry: string;
  readonly json: string;
  readonly at: string;
  /** An entry of an append before it in the same commit. If that was refused, this is `NOT_FOUND`. */
  readonly requires?: string | undefined;
}

/**
 * Replace the session key everywhere, so that the former one is free and nowhere to be read. `null` leaves the
 * conversation without one. A key in use is a `CONFLICT` (`checkKeyFree` of `rules.ts`).
 */
export interface SetKeyOperation {
  readonly type: "set-key";
  readonly conversation: string;
  readonly key: string | null;
  readonly at: string;
}

/**
 * Remove entries that no branch leads to any more (`planSweep` of `removal-rules.ts`).
 * An entry that begins a run stays as an empty entry of kind `removed`,
 * because the tree is counted from it.
 */
export interface SweepOperation {
  readonly type: "sweep";
  readonly conversation: string;
  readonly at: string;
}

/** Acquire, renew or release the right to run a conversation. Decided by `decideLease` of `leases.ts`. */
export interface LeaseOperation {
  readonly type: "lease";
  readonly action: "acquire" | "renew" | "release";
  readonly conversation: string;
  /** Chosen by the caller, and repeated with every later call. */
  readonly token: string;
  readonly ttlMs: number;
  /** Queue when the lease is taken. Waiters are served first in, first out. */
  readonly wait: boolean;
}

/** Keep the text of an answer while it is streamed. */
export interface JournalOperation {
  readonly type: "journal";
  readonly conversation: string;
  readonly epoch: number;
  /** The turn. A different one that is still open is a `CONFLICT`. */
  readonly turn: string;
  /** What the answer will become, as JSON: with the first piece, or later to replace it. */
  readonly header: JsonObject | undefined;
  /** Where `text` begins, in UTF-16 units. A part that is stored already is not written again. */
  readonly position: number;
  readonly text: string;
}

/** Upload a blob piece by piece: pieces at growing positions, then `keep`. */
export interface BlobOperation {
  readonly type: "blob";
  readonly upload: string;
  readonly position: number;
  readonly data: Uint8Array;
  readonly at: string;
  /** With the last piece. */
  readonly keep:
    | { readonly hash: string; readonly size: number; readonly encoding: BlobEncoding }
    | undefined;
}

/**
 * Remove blobs that no entry refers to and that were stored before `before`, and unfinished uploads. With `hashes`,
 * only those of them that no entry refers to, however new they are.
 */
export interface CollectOperation {
  readonly type: "collect";
  readonly before: string;
  readonly hashes?: readonly string[];
  readonly at: string;
}

/** Something that is still to be done. Its name is `queue` and `id`. */
export interface NewJob extends JobName {
  /** It is removed with this conversation, which must exist. */
  readonly conversation: string | null;
  readonly at: string;
  /** Its data, as JSON. */
  readonly json: string;
}

export interface JobName {
  readonly queue: string;
  readonly id: string;
}

/** Put and remove jobs, all of them or none (`planJobs` of `job-rules.ts`). */
export interface JobsOperation {
  readonly type: "jobs";
  /** One with the same name is replaced, and keeps its place. */
  readonly put: readonly NewJob[];
  /** Those that do not exist are passed over. */
  readonly remove: readonly JobName[];
  /** `CONFLICT` unless all of these exist. */
  readonly expect: readonly JobName[];
}

export type Operation =
  | CreateOperation
  | AppendOperation
  | UpdateOperation
  | TrashOperation
  | PurgeOperation
  | MarkPurgedOperation
  | RedactOperation
  | SetKeyOperation
  | SweepOperation
  | LeaseOperation
  | JournalOperation
  | BlobOperation
  | CollectOperation
  | JobsOperation;

/** What was permanently removed. */
export interface Removed {
  readonly entries: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Files that may still hold the same words: copies that were made earlier, and those of `Erased`. */
  readonly copies: readonly string[];
  /** Only a part was removed, so that no other writer waits long. The store repeats the operation. */
  readonly more?: boolean;
}

/** What `Engine.erase` has done. */
export interface Erased {
  /** Files that may still hold something that was removed. Without any, its bytes are gone. */
  readonly files: readonly string[];
  /** Blobs that nothing refers to any more, and that were removed now. Of calls that run together, one counts them. */
  readonly blobs: number;
  readonly bytes: number;
}

/** The answer to a lease operation: granted, or the caller's place in the queue. */
export interface LeaseGrant {
  readonly granted: boolean;
  /** Grows with every lease of the conversation. */
  readonly epoch: number;
  /** How long the holder has it without a renewal; 0 if there is no holder. */
  readonly leftMs: number;
  /** How many are ahead of the caller, including the holder. */
  readonly ahead: number;
}

/** The places of the appended entries, or the entries that a first try of the append has written. */
export type AppendResult =
  | { readonly replayed: false; readonly places: readonly EntryPlace[] }
  | { readonly replayed: true; readonly entries: StoredEntry[] };

export interface EntryPlace {
  readonly seq: number;
  readonly parentId: string | null;
}

/** The result of an operation. Its type says which properties are present. */
export interface Done {
  /** Of create, update, trash, restore. */
  readonly info?: ConversationInfo;
  readonly append?: AppendResult;
  /** Of purge, redact, set-key, sweep, collect. */
  readonly removed?: Removed;
  readonly lease?: LeaseGrant;
  /** Of journal: how long the text is. Of blob: bytes stored. Of mark-purged: marks it had. Of jobs: jobs changed. */
  readonly length?: number;
}

export type Outcome = ({ readonly ok: true } & Done) | { readonly ok: false; readonly error: ColloquyError };
