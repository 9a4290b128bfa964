/**
 * What an engine must do.
 *
 * The store in front of it validates, makes ids and times, groups operations
 * that arrive together and maps errors. An engine receives only checked values
 * and stores them. The contracts are written here, once, and the conformance
 * suite proves them for every engine.
 */

import type { ColloquyError } from "../errors.ts";
import type { StoredEntry } from "../message/types.ts";
import type { LogEnd, LogTip } from "../tree/place-entries.ts";
import type { Erased, Operation, Outcome } from "./operations.ts";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  Counts,
  EngineStats,
  EntryPage,
  Facets,
  FeedPlace,
  Finding,
  JobQuery,
  ListQuery,
  OpenTurn,
  PageQuery,
  PageText,
  QueuedJob,
  TextQuery,
  VerifyReport,
} from "./queries.ts";

export type Awaitable<T> = T | Promise<T>;

/** What a write to a file in a legacy format does: migrate it, append in that format, or fail. */
export type LegacyPolicy = "migrate" | "append" | "refuse";

/** A conversation in a file of a legacy format. */
export interface LegacyConversation {
  readonly conversation: string;
  readonly source: string;
  /** Lines that do not convert to entries, or not faithfully. */
  readonly findings: readonly Finding[];
}

/** The options that every engine is opened with. */
export interface EngineOptions {
  readonly readonly: boolean;
  /** `full`: a resolved commit survives a power cut. `process`: it survives a killed process. */
  readonly durability: "full" | "process";
  readonly lockWaitMs: number;
  /** Receives damage that was found and worked around, once for each place. */
  readonly onProblem: (problem: ColloquyError) => void;
  /** For engines that can read files of legacy formats. Default `migrate`. */
  readonly legacy?: LegacyPolicy | undefined;
}

/**
 * What an engine can do beyond what every engine must do. The methods are
 * always there; those of a capability that is off refuse with `NOT_SUPPORTED`
 * (`unsupported` of `rules.ts`).
 */
export interface EngineSupports {
  /** `backup` */
  readonly backup: boolean;
  /** `repair` */
  readonly repair: boolean;
  /** `legacyConversations` and `migrateLegacy` */
  readonly legacy: boolean;
}

export interface Engine {
  /** `sqlite`, `jsonl` … */
  readonly name: string;
  readonly supports: EngineSupports;
  /** The file or folder, or `null` when there is none. */
  readonly location: string | null;

  /**
   * Apply all operations, in order, and make them durable together.
   *
   * Contract: when this resolves, every operation with `ok: true` survives
   * what `durability` says; one with `ok: false` has changed nothing. A
   * refused operation does not stop the others. The store never calls this
   * again before the last call has resolved.
   *
   * An append is checked for its operation id first, then for the ids of its
   * entries, then for the lease and `expectedHead` (`planAppend` in `rules.ts`).
   */
  commit(operations: readonly Operation[]): Awaitable<Outcome[]>;

  /**
   * Erase the traces of everything that was removed, and the blobs that
   * nothing refers to any more, as far as `commit` has not done so.
   *
   * The store calls this beside `commit`, and other operations must not wait
   * for it. What a killed process has not erased is erased by the next opener.
   */
  erase(): Awaitable<Erased>;

  /** The conversation, even from the trash, or `undefined`. */
  byId(id: string): Awaitable<ConversationInfo | undefined>;
  /** The conversation that has the key now. Never one from the trash. */
  byKey(key: string): Awaitable<ConversationInfo | undefined>;
  /** A page of conversations. Reads no messages. */
  list(query: ListQuery): Awaitable<ConversationInfo[]>;
  /** The channels and models of all conversations outside the trash. */
  facets(): Awaitable<Facets>;

  /**
   * A page of entries; empty for a conversation that is missing or in the
   * trash. The cost does not depend on the length of the conversation.
   */
  page(query: PageQuery): Awaitable<EntryPage>;
  /**
   * A page of messages as JSON text, for callers that pass it on: an engine that keeps JSON does not parse it. The same
   * entries as those of `page`, and damage is treated in the same way (`textOfPage` of `page-text.ts`).
   */
  pageText(query: TextQuery): Awaitable<PageText>;
  /**
   * For lists: the first messages of conversations, in their order, also from the trash. Of each at most
   * `OPENING_MESSAGES` (`opening-rules.ts`), and none after the first with words of the user. Damaged ones are left out.
   */
  openings(conversations: readonly string[]): Awaitable<StoredEntry[][]>;
  /** For lists: the last message on the checked-out branch of each conversation, in their order. `undefined` if none. */
  endings(conversations: readonly string[]): Awaitable<(StoredEntry | undefined)[]>;
  /** The `seq` of an entry, or `undefined`. An engine without an index of ids may have to search. */
  locate(conversation: string, entryId: string): Awaitable<number | undefined>;

  /** Where the log of a conversation ends, and its tree. `undefined` when it is missing or in the trash. */
  logEnd(conversation: string): Awaitable<LogEnd | undefined>;
  /** The same for many conversations, in their order, without their trees: to compare them with an earlier state. */
  logEnds(conversations: readonly string[]): Awaitable<(LogTip | undefined)[]>;
  /** The open turn, with its text from `from` on. `undefined` when there is none. */
  turn(conversation: string, from: number): Awaitable<OpenTurn | undefined>;
  /** At most `length` stored bytes of a blob, from `offset` on. `undefined` when there is no such blob. */
  blob(hash: string, offset: number, length: number): Awaitable<BlobPart | undefined>;
  /** A page of jobs. Those that are damaged are left out and reported to `onProblem`. */
  jobs(query: JobQuery): Awaitable<QueuedJob[]>;
  /**
   * The changes after a place, in commit order, at most `limit`. None is left
   * out and none is repeated. `null` returns the place after the last change,
   * and no changes.
   */
  changes(after: FeedPlace | null, limit: number): Awaitable<{ changes: Change[]; place: FeedPlace }>;
  /**
   * The marks of purged conversations (`purgeMark` of `removal-rules.ts`) from `from` on, in order, at most `limit`.
   * They are kept for ever, and a backup has them, so that no import brings a purged conversation back.
   */
  purged(from: string, limit: number): Awaitable<string[]>;
  /**
   * Write a copy of one moment that can be opened like the store itself.
   * `path` must not exist. A damaged store is copied as far as it can be read;
   * returns what is not in the copy.
   */
  backup(path: string): Awaitable<readonly Finding[]>;

  /** Read everything and report what is wrong. Changes nothing. */
  verify(): Awaitable<VerifyReport>;
  /**
   * Repair what `verify` finds, as far as nothing is lost by it: bad lines are
   * quarantined, counts are made again. Returns what was done, as findings
   * whose message says so. `from` is a backup for what cannot be read any
   * more; an engine that cannot use one refuses with `NOT_SUPPORTED`.
   */
  repair(from?: string): Awaitable<Finding[]>;
  /** Conversations in files of legacy formats. */
  legacyConversations(): Awaitable<LegacyConversation[]>;
  /** Rewrite such a conversation in the current format. Returns where the former file is kept. */
  migrateLegacy(conversation: string): Awaitable<string | undefined>;
  /** Reads no entries: pages and monitors ask for it often. */
  counts(): Awaitable<Counts>;
  stats(): Awaitable<EngineStats>;
  close(): Awaitable<void>;
}
