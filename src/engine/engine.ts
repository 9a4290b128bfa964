/**
 * What an engine must do.
 *
 * The store in front of it validates, makes ids and times, collects what
 * arrives together and maps errors. An engine gets checked values only and
 * keeps them. Contracts are written here, once, and proved for every engine
 * by the conformance suite.
 */
import type { ColloquyError } from "../errors.ts";
import type { BlobRef, Entry } from "../message/types.ts";
import type { Placed, Tail } from "../tree/place.ts";
import type { JsonObject } from "../util/json.ts";

export type Awaitable<T> = T | Promise<T>;

/** Everything known of a conversation without reading its messages. */
export interface ConversationInfo {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
  readonly channel: string | null;
  readonly model: string | null;
  readonly profileId: string | null;
  readonly contextState: JsonObject | null;
  /** Message entries on all branches. */
  readonly messageCount: number;
  /** With `main`, without those that were pruned. */
  readonly branchCount: number;
  /** Compactions that were not undone. */
  readonly compactionCount: number;
  /** The last entry of the checked-out branch. */
  readonly head: string | null;
  readonly createdAt: string;
  /** Moves with messages and with metadata. */
  readonly updatedAt: string;
  /** Moves with messages only. */
  readonly lastMessageAt: string | null;
  /** When it was moved to the trash. */
  readonly deletedAt: string | null;
}

/** Bytes that are kept once, by the SHA-256 of what they were before encoding. */
export interface NewBlob {
  /** 64 hexadecimal digits, in lower case. */
  readonly hash: string;
  /** Before encoding. */
  readonly size: number;
  readonly encoding: BlobEncoding;
  readonly data: Uint8Array;
}

/** How stored bytes stand for the original ones: as they are, or as one or more zstd frames. */
export type BlobEncoding = "none" | "zstd";

/** Stored bytes of a blob, from where they were asked for. */
export interface BlobPart {
  readonly size: number;
  readonly encoding: BlobEncoding;
  readonly storedBytes: number;
  readonly data: Uint8Array;
}

/** An entry without its place. `json` is the text of its message, or of its data for other kinds. */
export interface NewEntry {
  readonly id: string;
  /** The id came from the caller, so an entry with it may exist. Ids that the store made are new. */
  readonly idGiven: boolean;
  readonly kind: string;
  readonly at: string;
  readonly json: string;
  /** The same as `json`, parsed: there for kinds other than `message`. */
  readonly data?: JsonObject | undefined;
  /** Parts of the message that stand elsewhere. Those that are no part of this append must exist. */
  readonly blobs?: readonly BlobRef[] | undefined;
  /** The place that it had in the log it was copied from. It gets the same one, or the append is a `CONFLICT`. */
  readonly placed?: Placed | undefined;
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
  /** When the key is in use: return that conversation, instead of `CONFLICT`. */
  readonly resume: boolean;
}

export interface AppendOperation {
  readonly type: "append";
  readonly conversation: string;
  readonly entries: readonly NewEntry[];
  /** What the entries refer to. A blob that is stored already is not stored again. */
  readonly blobs?: readonly NewBlob[] | undefined;
  /** The branch by its name, or by its id, which it keeps when it is renamed; `undefined` is the checked-out one. */
  readonly branch?: string | number | undefined;
  /** Branches that would lie deeper are refused. */
  readonly maxDepth?: number | undefined;
  /** The fencing number of the writer's lease: refused when another lease has been given out since. */
  readonly epoch?: number | undefined;
  /** The journal of this turn ends with this append. */
  readonly endsTurn?: string | undefined;
  readonly operationId: string | undefined;
  /** As with `NewEntry`: a name that the store made up cannot be a retry. */
  readonly operationGiven?: boolean | undefined;
  /** The head that the caller has seen; `null` is an empty conversation, `undefined` any. */
  readonly expectedHead: string | null | undefined;
  /** When it happens. The entries have times of their own, which may lie in the past. */
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

/** To the trash, or back. The key is freed with the first and claimed again with the second. */
export interface TrashOperation {
  readonly type: "trash" | "restore";
  readonly conversation: string;
  readonly at: string;
}

/** For good: the conversation, its journal and lease, and blobs that nothing else refers to. */
export interface PurgeOperation {
  readonly type: "purge";
  readonly conversation: string;
  /** Also when it is not in the trash (`checkPurge` of `rules.ts`). */
  readonly force: boolean;
  readonly at: string;
}

/** Put `json` in the place of what the entry holds, everywhere; forget its blobs, and the context state, which may repeat it. */
export interface RedactOperation {
  readonly type: "redact";
  readonly conversation: string;
  readonly entry: string;
  readonly json: string;
  readonly at: string;
}

/**
 * Take away entries that no branch leads to any more (`unreachable` of the
 * tree). One that begins a run stays as an empty entry of the kind `removed`,
 * because the tree is counted from it.
 */
export interface SweepOperation {
  readonly type: "sweep";
  readonly conversation: string;
  readonly at: string;
}

/** Take, keep or give back the right to run a conversation. Decided by `decideLease` of `leases.ts`. */
export interface LeaseOperation {
  readonly type: "lease";
  readonly action: "acquire" | "renew" | "release";
  readonly conversation: string;
  /** Made by the one who asks, and named again with every later call. */
  readonly token: string;
  readonly ttlMs: number;
  /** Stay in line when it is not free: those who wait are served in the order of their coming. */
  readonly wait: boolean;
  readonly nowMs: number;
}

/** Keep the text of an answer while it is streamed. */
export interface JournalOperation {
  readonly type: "journal";
  readonly conversation: string;
  readonly epoch: number;
  /** The turn. Another one that is still there is a `CONFLICT`. */
  readonly turn: string;
  /** What the answer will become, as JSON; with the first piece only. */
  readonly header: JsonObject | undefined;
  /** Where `text` begins, in UTF-16 units. What is there already is not written again. */
  readonly position: number;
  readonly text: string;
}

/** Take in a blob piece by piece: pieces at growing positions, then `keep`. */
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

/** Take away blobs that no entry refers to and that were stored before `before`, and unfinished ones. */
export interface CollectOperation {
  readonly type: "collect";
  readonly before: string;
  readonly at: string;
}

export type Operation =
  | CreateOperation
  | AppendOperation
  | UpdateOperation
  | TrashOperation
  | PurgeOperation
  | RedactOperation
  | SweepOperation
  | LeaseOperation
  | JournalOperation
  | BlobOperation
  | CollectOperation;

/** What was taken away for good. */
export interface Removed {
  readonly entries: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Copies that Colloquy made earlier and that may hold the same words: backups, lines set aside. */
  readonly copies: readonly string[];
}

/** The answer to a lease: given, or where the asker stands. */
export interface LeaseGrant {
  readonly granted: boolean;
  /** Grows with every lease of the conversation. */
  readonly epoch: number;
  readonly expiresMs: number;
  /** How many stand before the asker, the holder included. */
  readonly ahead: number;
}

/** Where the entries of an append came to stand, or what a first try of it had written. */
export type AppendResult =
  | { readonly replayed: false; readonly places: readonly EntryPlace[] }
  | { readonly replayed: true; readonly entries: Entry[] };

export interface EntryPlace {
  readonly seq: number;
  readonly parentId: string | null;
}

/** What came of an operation. Which members are there follows from its type. */
export interface Done {
  /** Of create, update, trash, restore. */
  readonly info?: ConversationInfo;
  readonly append?: AppendResult;
  /** Of purge, redact, sweep, collect. */
  readonly removed?: Removed;
  readonly lease?: LeaseGrant;
  /** Of journal: how far it reaches. Of blob: how many bytes there are. */
  readonly length?: number;
}

export type Outcome = ({ readonly ok: true } & Done) | { readonly ok: false; readonly error: ColloquyError };

export interface ListQuery {
  readonly trash: boolean;
  readonly limit: number;
  /** Start behind this place of the order: newest `lastMessageAt ?? createdAt` first, then id. */
  readonly after: { readonly at: string; readonly id: string } | undefined;
}

export interface PageQuery {
  readonly conversation: string;
  readonly direction: "forward" | "backward";
  /** Entries after (forward) or before (backward) this `seq`; `null` from the start or the end. */
  readonly from: number | null;
  readonly limit: number;
  /** A page ends before the JSON of its messages would exceed this, but holds one entry at least. */
  readonly bytesMax: number;
  /** Only entries of this kind. */
  readonly kind: string | undefined;
  /** The path of this branch, by name or id; `undefined` that of the checked-out one; `null` the whole log. */
  readonly branch?: string | number | null | undefined;
  /** For a copy: the whole log, also of a conversation in the trash, and where each entry lies. */
  readonly asStored?: boolean | undefined;
}

export interface EntryPage {
  /** In ascending `seq`, whatever the direction. */
  readonly entries: Entry[];
  /** Whether there are further entries in the direction of reading. */
  readonly more: boolean;
  /** The id of the branch whose path was read: the next page goes on there, whatever is checked out by then. */
  readonly branch?: number | undefined;
  /** With `asStored`: the branch of each entry. */
  readonly branches?: readonly number[] | undefined;
  /** With `asStored`: the turn that was begun and has not ended, if there is one. */
  readonly turn?: string | undefined;
}

/** A turn that was begun and has not ended. */
export interface OpenTurn {
  readonly id: string;
  readonly header: JsonObject;
  /** From the position that was asked for. */
  readonly text: string;
  /** Of the whole text so far, in UTF-16 units. */
  readonly length: number;
}

/** Where a feed of changes stands. Only the engine that made it can read it. */
export type FeedPlace = readonly [number, number];

/** Something that was committed. */
export interface Change {
  /** Behind this change: to go on from. */
  readonly place: FeedPlace;
  readonly type: "entry" | "created" | "updated" | "trashed" | "restored" | "purged" | "redacted" | "swept";
  readonly conversation: string;
  /** With `entry`. */
  readonly entry?: Entry;
}

/** Something wrong with what is stored. */
export interface Finding {
  /** Short and stable, such as `bad-line` or `wrong-count`. */
  readonly code: string;
  readonly conversation: string | null;
  /** The file. */
  readonly source: string | null;
  readonly line: number | null;
  readonly message: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly conversations: number;
  readonly entries: number;
  readonly findings: Finding[];
}

export interface EngineStats {
  /** Without the trash. */
  readonly conversations: number;
  readonly entries: number;
  readonly bytes: number;
  /** What the trash, free pages and leftovers take. */
  readonly reclaimable: number;
  /** The conversations with the most messages, at most `TOP_COUNT` of `rules.ts`. */
  readonly top: ConversationInfo[];
  /** What each conversation takes, those in the trash too, by id: the bytes of its entries, and of its blobs as they are stored. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** What happens when somebody writes to a file of an older format: it is migrated, goes on as it is, or stays. */
export type OlderFiles = "migrate" | "append" | "refuse";

/** A conversation that still stands in a file of an older format. */
export interface OlderConversation {
  readonly conversation: string;
  readonly source: string;
  /** Lines that cannot become entries, or not as they say. */
  readonly findings: readonly Finding[];
}

/** What an engine was opened with; the same for all. */
export interface EngineOptions {
  readonly readonly: boolean;
  /** `full`: resolved means it survives a power cut. `process`: it survives a killed process. */
  readonly durability: "full" | "process";
  readonly lockWaitMs: number;
  /** Damage that was found and worked around. Reported once for each place. */
  readonly onProblem: (problem: ColloquyError) => void;
  /** For engines that can read files of older formats. Default `migrate`. */
  readonly older?: OlderFiles | undefined;
}

export interface Engine {
  /** `sqlite`, `jsonl` … */
  readonly name: string;
  /** The file or folder, or `null` when there is none. */
  readonly location: string | null;

  /**
   * Do all operations, in order, and make them durable together.
   *
   * Contract: when this resolves, every operation with `ok: true` survives
   * what `durability` says; one with `ok: false` has changed nothing. An
   * operation that is refused does not hinder the others. The store never
   * calls this again before the last call has resolved.
   *
   * For an append the operation id is looked at first, then the ids of the
   * entries, then the lease and `expectedHead` (`planAppend` in `rules.ts`).
   */
  commit(operations: readonly Operation[]): Awaitable<Outcome[]>;

  /** The conversation, also from the trash, or `undefined`. */
  byId(id: string): Awaitable<ConversationInfo | undefined>;
  /** The conversation that has the key now. Never one from the trash. */
  byKey(key: string): Awaitable<ConversationInfo | undefined>;
  /** A page of conversations. Reads no messages. */
  list(query: ListQuery): Awaitable<ConversationInfo[]>;

  /**
   * A page of entries; empty for a conversation that is not there or in the
   * trash. The cost does not depend on the length of the conversation.
   */
  page(query: PageQuery): Awaitable<EntryPage>;
  /** The `seq` of an entry, or `undefined`. May have to search where no index of ids is kept. */
  locate(conversation: string, entryId: string): Awaitable<number | undefined>;

  /** Where the log of a conversation ends, and its tree. `undefined` when it is not there or in the trash. */
  tail(conversation: string): Awaitable<Tail | undefined>;
  /** The turn that is under way, with its text from `from` on. `undefined` when there is none. */
  turn(conversation: string, from: number): Awaitable<OpenTurn | undefined>;
  /** At most `length` stored bytes of a blob, from `offset` on. `undefined` when there is no such blob. */
  blob(hash: string, offset: number, length: number): Awaitable<BlobPart | undefined>;
  /**
   * The changes after a place, in the order of their commit, at most `limit`.
   * Nothing is left out and nothing comes twice. `null` asks for the place
   * behind the last change, and gives no changes.
   */
  changes(after: FeedPlace | null, limit: number): Awaitable<{ changes: Change[]; place: FeedPlace }>;
  /** Write a copy that can be opened like the store itself, as of one moment. `path` must not exist. */
  backup(path: string): Awaitable<void>;

  /** Read everything and say what is wrong. Changes nothing. */
  verify(): Awaitable<VerifyReport>;
  /**
   * Put right what `verify` finds and what can be put right without losing
   * anything: bad lines are set aside, counts are made again. Gives what was
   * done, as findings whose message says so. Left out by engines that cannot
   * be damaged.
   */
  repair?(): Awaitable<Finding[]>;
  /** Conversations in files of older formats. Left out by engines that know none. */
  older?(): Awaitable<OlderConversation[]>;
  /** Rewrite such a conversation in the format of today. The former file is kept. Gives where. */
  upgrade?(conversation: string): Awaitable<string | undefined>;
  stats(): Awaitable<EngineStats>;
  close(): Awaitable<void>;
}
