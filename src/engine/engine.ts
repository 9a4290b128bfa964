/**
 * What an engine must do.
 *
 * The store in front of it validates, makes ids and times, collects what
 * arrives together and maps errors. An engine gets checked values only and
 * keeps them. Contracts are written here, once, and proved for every engine
 * by the conformance suite.
 */
import type { ColloquyError } from "../errors.ts";
import type { Entry } from "../message/types.ts";
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
  readonly branchCount: number;
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

/** An entry without its place. `json` is the text of its message, or of its data for other kinds. */
export interface NewEntry {
  readonly id: string;
  /** The id came from the caller, so an entry with it may exist. Ids that the store made are new. */
  readonly idGiven: boolean;
  readonly kind: string;
  readonly at: string;
  readonly json: string;
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
  readonly operationId: string | undefined;
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

export type Operation = CreateOperation | AppendOperation | UpdateOperation | TrashOperation;

/** Where the entries of an append came to stand, or what a first try of it had written. */
export type AppendResult =
  | { readonly replayed: false; readonly firstSeq: number; readonly parentId: string | null }
  | { readonly replayed: true; readonly entries: Entry[] };

export type Outcome =
  | { readonly ok: true; readonly info?: ConversationInfo; readonly append?: AppendResult }
  | { readonly ok: false; readonly error: ColloquyError };

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
}

export interface EntryPage {
  /** In ascending `seq`, whatever the direction. */
  readonly entries: Entry[];
  /** Whether there are further entries in the direction of reading. */
  readonly more: boolean;
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
}

/** What an engine was opened with; the same for all. */
export interface EngineOptions {
  readonly readonly: boolean;
  /** `full`: resolved means it survives a power cut. `process`: it survives a killed process. */
  readonly durability: "full" | "process";
  readonly lockWaitMs: number;
  /** Damage that was found and worked around. Reported once for each place. */
  readonly onProblem: (problem: ColloquyError) => void;
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
   * entries, then `expectedHead` (`checkAppend` in `rules.ts`).
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

  /** Read everything and say what is wrong. Changes nothing. */
  verify(): Awaitable<VerifyReport>;
  stats(): Awaitable<EngineStats>;
  close(): Awaitable<void>;
}
