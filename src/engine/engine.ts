/**
 * What an engine must do.
 *
 * The store in front of it validates, makes ids and times, collects what
 * arrives together and maps errors. An engine gets checked values only and
 * keeps them. Contracts are written here, once, and proved for every engine
 * by the conformance suite.
 */
import type { ColloquyError } from "../errors.ts";
import type { LogEnd } from "../tree/place.ts";
import type { Operation, Outcome } from "./operations.ts";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  EngineStats,
  EntryPage,
  FeedPlace,
  Finding,
  ListQuery,
  OpenTurn,
  PageQuery,
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

/** What an engine was opened with; the same for all. */
export interface EngineOptions {
  readonly readonly: boolean;
  /** `full`: resolved means it survives a power cut. `process`: it survives a killed process. */
  readonly durability: "full" | "process";
  readonly lockWaitMs: number;
  /** Damage that was found and worked around. Reported once for each place. */
  readonly onProblem: (problem: ColloquyError) => void;
  /** For engines that can read files of legacy formats. Default `migrate`. */
  readonly legacy?: LegacyPolicy | undefined;
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
  logEnd(conversation: string): Awaitable<LogEnd | undefined>;
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
  /** Conversations in files of legacy formats. Left out by engines that know none. */
  legacyConversations?(): Awaitable<LegacyConversation[]>;
  /** Rewrite such a conversation in the format of today. The former file is kept. Gives where. */
  migrateLegacy?(conversation: string): Awaitable<string | undefined>;
  stats(): Awaitable<EngineStats>;
  close(): Awaitable<void>;
}
