import type { ConversationInfo, UpdatePatch } from "../engine/index.ts";
import { invalid } from "../errors.ts";
import type { ModelApi } from "../message/apis/index.ts";
import { toEntry } from "../message/entry.ts";
import type {
  BranchSummaryEntry,
  CompactionEntry,
  CustomEntry,
  Entry,
  InfoEntry,
  LabelEntry,
  MessageEntry,
  MessageInput,
} from "../message/types.ts";
import {
  checkEntryId,
  checkLabel,
  checkOperationId,
  checkProperties,
  checkTitle,
} from "../message/validate.ts";
import { assertJson, isPlainObject, type JsonObject } from "../util/json.ts";
import { isoTime } from "../util/time.ts";
import { epochOf, type StoreAccess } from "./access.ts";
import {
  type BranchInfo,
  Branching,
  type BranchOptions,
  type BranchResult,
  type Comparison,
  type EditOptions,
} from "./branches/branching.ts";
import { type Pruned, type PruneOptions, prune } from "./branches/pruning.ts";
import {
  type CompactOptions,
  compact,
  type SummarizeBranchOptions,
  summarizeBranch,
  undoCompaction,
} from "./context/compaction.ts";
import { type Context, type ContextOptions, contextOf } from "./context/context.ts";
import { type JobInput, jobsOf } from "./jobs/jobs.ts";
import { withContextState } from "./read/context-state.ts";
import { readEntries } from "./read/entries.ts";
import { readAll, readPage, readPageText } from "./read/entry-pages.ts";
import { checkBlobs, type EntryQuery } from "./read/entry-query.ts";
import { type Listing, listing } from "./read/listing.ts";
import { findEntry, infoOf, logEndOf } from "./read/lookups.ts";
import { type RedactTarget, redact } from "./retention/erasure.ts";
import type { Receipt } from "./retention/receipt.ts";
import { type FollowEvent, type FollowOptions, follow } from "./turns/follow.ts";
import { Lease, type LeaseOptions } from "./turns/lease.ts";
import { beginTurn, type Turn, type TurnOptions } from "./turns/turn.ts";
import { describeTurn, type TurnUnderWay } from "./turns/turn-end.ts";
import { type Appended, pendingMessages, pendingRecord, type WriteOptions, write } from "./write/writing.ts";

export interface AppendOptions {
  /** Default: the checked-out branch. */
  readonly branch?: string;
  /** Identifies this append, so that a retry writes nothing and returns the result of the first attempt. */
  readonly operationId?: string;
  /** The head that the caller expects; `null` for an empty conversation. Any other head is a `CONFLICT`. */
  readonly expectedHead?: string | null;
  /** `CONFLICT` if another holder has taken the lease. */
  readonly lease?: Lease;
  /** Jobs of this conversation, put in the same write. A retry does not put them again. */
  readonly jobs?: readonly Omit<JobInput, "conversation">[];
}

export interface ConversationPatch {
  /** At most 120 characters; `null` clears it, as for the other properties. */
  readonly title?: string | null;
  readonly channel?: string | null;
  readonly model?: string | null;
  readonly profileId?: string | null;
  /** State that a context strategy keeps between runs. */
  readonly contextState?: ConversationInfo["contextState"];
}

/** One conversation of a store. Holds no messages: every call reads the store. */
export class Conversation {
  readonly id: string;
  readonly #store: StoreAccess;

  constructor(store: StoreAccess, id: string) {
    this.#store = store;
    this.id = id;
  }

  /**
   * Append messages durably.
   *
   * Contract: once this resolves, the messages survive a power cut. All are
   * written or none. With `operationId`, or with ids in the messages, a retry
   * returns what was written first; the same id with other content is a
   * `CONFLICT`, and so is an `expectedHead` that is no longer the head (the
   * actual one is in `details.head`).
   */
  async append(
    messages: MessageInput | readonly MessageInput[],
    options: AppendOptions = {},
  ): Promise<Appended> {
    const nowMs = this.#store.nowMs();
    const pending = pendingMessages(this.#store, messages, nowMs);
    const checked = this.#checkAppend(options, nowMs);
    this.#store.assertWritable();
    return (await write(this.#store, this.id, pending, checked, nowMs)) as Appended;
  }

  /**
   * Append data of a program's own, durably. Models do not see it. Messages are cheaper: the tree
   * of a conversation counts every other entry, so record what is rare.
   */
  async record(data: JsonObject, options: AppendOptions = {}): Promise<CustomEntry> {
    const nowMs = this.#store.nowMs();
    const pending = pendingRecord(this.#store, data, nowMs);
    const checked = this.#checkAppend(options, nowMs);
    this.#store.assertWritable();
    const {
      entries: [entry],
    } = await write(this.#store, this.id, [pending], checked, nowMs);
    return entry as CustomEntry;
  }

  /** Messages in ascending order: await a page, or iterate over all that match the query. */
  messages(query: EntryQuery = {}): Listing<MessageEntry> {
    return this.#list(query, "message") as Listing<MessageEntry>;
  }

  /** The page that `messages` resolves to, as JSON text: faster, for a program that only passes it on. */
  async messagesText(query: EntryQuery = {}): Promise<string> {
    return readPageText(this.#store, this.id, query);
  }

  /** Entries of every kind in ascending order: await a page, or iterate over all that match the query. */
  entries(query: EntryQuery = {}): Listing<Entry> {
    return this.#list(query, undefined);
  }

  /** One entry, on any branch, or `undefined`. */
  async entry(id: string, query: Pick<EntryQuery, "blobs"> = {}): Promise<Entry | undefined> {
    const inline = checkBlobs(query);
    const found = await findEntry(this.#store, this.id, checkEntryId(id));
    if (found === undefined) return undefined;
    return inline ? (await readEntries(this.#store, [found]))[0] : toEntry(found);
  }

  /** Information about the conversation. `NOT_FOUND` if it was deleted. */
  async info(): Promise<ConversationInfo> {
    return withContextState(this.#store, await infoOf(this.#store, this.id));
  }

  /** Change title, model and other properties. Messages do not change. */
  async update(patch: ConversationPatch): Promise<ConversationInfo> {
    const checked = checkPatch(patch);
    this.#store.assertWritable();
    const at = isoTime(this.#store.nowMs());
    const info = await this.#store.queue.push({ type: "update", conversation: this.id, patch: checked, at });
    return withContextState(this.#store, info);
  }

  /**
   * The messages that fit a model's context window, with complete tool pairs,
   * and a ledger that accounts for the others. `as` returns them in the shape of
   * one API, ready to send.
   */
  async context<Api extends ModelApi | undefined = undefined>(
    options: ContextOptions<Api>,
  ): Promise<Context<Api>> {
    return contextOf(this.#store, this.id, options);
  }

  /**
   * Replace the beginning with a summary, in contexts only: every
   * message is kept. `undefined` if there is too little to summarise. A
   * summariser that fails, or returns nothing, changes nothing.
   */
  async compact(options: CompactOptions): Promise<CompactionEntry | undefined> {
    return compact(this.#store, this.id, options);
  }

  /** Undo a compaction: its messages are included in contexts again. */
  async undoCompaction(entryId: string): Promise<InfoEntry> {
    return undoCompaction(this.#store, this.id, entryId);
  }

  /** Start a branch after an entry; `null` is before the first one. */
  async branch(fromEntryId: string | null, options: BranchOptions = {}): Promise<BranchResult> {
    return this.#branching.branch(fromEntryId, options);
  }

  /** Every branch, `main` first. */
  async branches(): Promise<BranchInfo[]> {
    return this.#branching.branches();
  }

  /** Check out a branch. Applies to every process until the next checkout. `NOT_FOUND` if it was pruned. */
  async checkout(name: string): Promise<BranchResult> {
    return this.#branching.checkout(name);
  }

  /** Make the checked-out path the branch `main`. The others are kept until they are pruned. */
  async flatten(): Promise<BranchResult> {
    return this.#branching.flatten();
  }

  /** Permanently remove branches: never `main`, the checked-out one, or entries that another branch shares. */
  async pruneBranches(options: PruneOptions): Promise<Pruned> {
    return prune(this.#store, this.id, options);
  }

  /** Add another version of a message, as its sibling on a new branch, which is checked out. */
  async edit(
    entryId: string,
    messages: MessageInput | readonly MessageInput[],
    options: EditOptions = {},
  ): Promise<BranchResult> {
    return this.#branching.edit(entryId, messages, options);
  }

  /** Prepare another answer beside this one: a new branch before it, which is checked out. */
  async regenerate(entryId: string, options: { readonly name?: string } = {}): Promise<BranchResult> {
    return this.#branching.regenerate(entryId, options);
  }

  /** Label an entry; `null` removes the label. */
  async label(entryId: string, label: string | null): Promise<LabelEntry> {
    return this.#branching.label(entryId, label);
  }

  async labels(): Promise<{ readonly entry: string; readonly label: string }[]> {
    return this.#branching.labels();
  }

  /** Where two branches diverge, and the entries of each after that. */
  async compare(a: string, b: string): Promise<Comparison> {
    return this.#branching.compare(a, b);
  }

  /** Add a summary of another branch to the checked-out one. */
  async summarizeBranch(
    name: string,
    options: SummarizeBranchOptions,
  ): Promise<BranchResult<BranchSummaryEntry>> {
    const entry = await summarizeBranch(this.#store, this.id, name, options);
    return this.#branching.resultOf(entry);
  }

  /** Start over with these messages; the previous transcript is kept as a branch. */
  async replaceTranscript(messages: MessageInput | readonly MessageInput[]): Promise<BranchResult> {
    return this.#branching.replaceTranscript(messages);
  }

  /**
   * Permanently erase content: of an entry, which stays in place without it, the name of a branch, which is called
   * `redacted-<n>` from then on, all labels with a text, or the session key: the conversation is then found by its id.
   */
  async redact(target: RedactTarget): Promise<Receipt> {
    return redact(this.#store, this.id, target);
  }

  /** Start an answer: messages are durable at once, and streamed text survives a crash of the process. */
  async beginTurn(options: TurnOptions = {}): Promise<Turn> {
    return beginTurn(this.#store, this.id, options);
  }

  /** The turn in progress, in this process or another one. */
  async turn(): Promise<TurnUnderWay | undefined> {
    return describeTurn(this.#store, this.id);
  }

  /** The compactions on all branches, including undone ones. */
  async compactions(): Promise<{ readonly id: string; readonly seq: number; readonly undone: boolean }[]> {
    const { tree } = await logEndOf(this.#store, this.id);
    return tree.compactions.map(({ id, seq, undone }) => ({ id, seq, undone }));
  }

  /** The text of the turn in progress, as it is streamed. */
  follow(options: FollowOptions = {}): AsyncGenerator<FollowEvent, void, undefined> {
    // Read immediately, so that a turn that ends before the first read is not missed.
    const turn = this.#store.ask((engine) => engine.turn(this.id, 0));
    turn.catch(() => {});
    return follow(this.#store, this.id, options, turn);
  }

  /** The exclusive right to run this conversation, across processes. `CONFLICT` if it is not free in time. */
  async lease(options: LeaseOptions = {}): Promise<Lease> {
    return Lease.acquire(this.#store, this.id, options);
  }

  get #branching(): Branching {
    return new Branching(this.#store, this.id);
  }

  #checkAppend(options: AppendOptions, nowMs: number): WriteOptions {
    checkProperties(options, APPEND_MEMBERS, "options");
    const { operationId, expectedHead, branch, lease, jobs } = options;
    return {
      operationId: operationId === undefined ? undefined : checkOperationId(operationId),
      expectedHead:
        expectedHead === undefined || expectedHead === null
          ? expectedHead
          : checkEntryId(expectedHead, "expectedHead"),
      ...(branch === undefined ? {} : { branch: checkLabel(branch, "branch") }),
      ...(lease === undefined ? {} : { epoch: epochOf(lease, this.id) }),
      ...(jobs === undefined ? {} : { jobs: jobsOf(jobs, this.id, nowMs) }),
    };
  }

  #list(query: EntryQuery, kind: string | undefined): Listing<Entry> {
    const first = readPage(this.#store, this.id, query, kind);
    return listing(first, () => readAll(this.#store, this.id, query, kind, first));
  }
}

const APPEND_MEMBERS: ReadonlySet<string> = new Set([
  "branch",
  "operationId",
  "expectedHead",
  "lease",
  "jobs",
]);

function checkPatch(patch: ConversationPatch): UpdatePatch {
  if (!isPlainObject(patch)) throw invalid("A patch must be an object", "patch");
  const checked: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const check = PATCH_MEMBERS.get(member);
    if (check === undefined) throw invalid(`${member} cannot be changed`, member);
    checked[member] = value === null ? null : check(value, member);
  }
  return checked;
}

const PATCH_MEMBERS: ReadonlyMap<string, (value: unknown, member: string) => unknown> = new Map([
  ["title", checkTitle],
  ["channel", checkLabel],
  ["model", checkLabel],
  ["profileId", checkLabel],
  ["contextState", checkObject],
]);

function checkObject(value: unknown, member: string): unknown {
  if (!isPlainObject(value)) throw invalid(`${member} must be an object`, member);
  assertJson(value, member);
  return structuredClone(value);
}
