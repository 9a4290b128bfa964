import { asColloquyError } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { activeHead, type LogEnd, type LogTip, tipOf } from "../../tree/place-entries.ts";
import { liveBranches, liveCompactions } from "../../tree/tree.ts";
import type { Engine, EngineSupports } from "../engine.ts";
import { type Claimant, checkEpoch, decideLease, type LeaseState, NO_LEASE, releaseOf } from "../leases.ts";
import { endingPage, openingIn, openingPage } from "../opening-rules.ts";
import type {
  AppendOperation,
  AppendResult,
  CreateOperation,
  Done,
  Erased,
  JournalOperation,
  LeaseGrant,
  LeaseOperation,
  Operation,
  Outcome,
  PurgeOperation,
  RedactOperation,
  Removed,
  SetKeyOperation,
  SweepOperation,
  TrashOperation,
  UpdateOperation,
} from "../operations.ts";
import { textOfPage } from "../page-text.ts";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  Counts,
  EngineStats,
  EntryPage,
  Facets,
  FeedPlace,
  JobQuery,
  ListQuery,
  OpenTurn,
  PageQuery,
  PageText,
  QueuedJob,
  TextQuery,
  VerifyReport,
} from "../queries.ts";
import { keyReceipt, NOTHING_ERASED, purgeMark, receipt } from "../removal-rules.ts";
import {
  activeAt,
  checkKeyFree,
  checkMove,
  checkPurge,
  compareForListing,
  facetsOf,
  longest,
  notFound,
  passesFilter,
  planAppend,
  resolveCreate,
  unsupported,
} from "../rules.ts";
import { Blobs } from "./blobs.ts";
import { Feed } from "./feed.ts";
import { Jobs } from "./jobs.ts";
import { extended, type Journal, openTurn } from "./journal.ts";
import { Log } from "./log.ts";

interface ConversationRecord {
  info: ConversationInfo;
  readonly log: Log;
  lease: LeaseState;
  journal: Journal | undefined;
}

/** Conversations in memory that end with the process. For tests and throw-away agents. */
export class EphemeralEngine implements Engine {
  readonly name = "ephemeral";
  readonly supports: EngineSupports = { backup: false, repair: false, legacy: false };
  readonly location = null;
  readonly #conversations = new Map<string, ConversationRecord>();
  readonly #keys = new Map<string, string>();
  readonly #blobs = new Blobs();
  readonly #feed = new Feed();
  readonly #purged = new Set<string>();
  readonly #jobs = new Jobs();

  commit(operations: readonly Operation[]): Outcome[] {
    return operations.map((operation) => {
      try {
        return { ok: true, ...this.#apply(operation) };
      } catch (error) {
        return { ok: false, error: asColloquyError(error, "Cannot write") };
      }
    });
  }

  #apply(operation: Operation): Done {
    switch (operation.type) {
      case "create":
        return { info: this.#create(operation) };
      case "append":
        return { append: this.#append(operation) };
      case "update":
        return { info: this.#update(operation) };
      case "trash":
      case "restore":
        return { info: this.#moveToTrashOrBack(operation) };
      case "purge":
        return { removed: this.#purge(operation) };
      case "mark-purged":
        for (const mark of operation.marks) this.#purged.add(mark);
        return { length: operation.marks.length };
      case "redact":
        return { removed: this.#redact(operation) };
      case "set-key":
        return { removed: this.#setKey(operation) };
      case "sweep":
        return { removed: this.#sweep(operation) };
      case "lease":
        return { lease: this.#decide(operation) };
      case "journal":
        return { length: this.#journal(operation) };
      case "blob":
        return { length: this.#blobs.upload(operation) };
      case "collect":
        return { removed: receipt(0, 0, this.#blobs.collect(operation)) };
      case "jobs":
        return { length: this.#jobs.change(operation, this.#hasConversation) };
    }
  }

  #create(create: CreateOperation): ConversationInfo {
    const existing = resolveCreate(create, this);
    if (existing !== undefined) return existing;
    const { id, key, title, channel, model, profileId, at } = create;
    const info: ConversationInfo = {
      id,
      key,
      title,
      channel,
      model,
      profileId,
      contextState: null,
      messageCount: 0,
      branchCount: 1,
      compactionCount: 0,
      head: null,
      createdAt: at,
      updatedAt: at,
      lastMessageAt: null,
      deletedAt: null,
    };
    this.#conversations.set(id, { info, log: new Log(), lease: NO_LEASE, journal: undefined });
    if (key !== null) this.#keys.set(key, id);
    this.#feed.add("created", id);
    return info;
  }

  #append(append: AppendOperation): AppendResult {
    const record = this.#live(append.conversation);
    const { log } = record;
    const plan = planAppend(append, {
      logEnd: log.end,
      byOperation: (operationId) => log.byOperation(operationId),
      byEntryId: (id) => log.byId(id),
      lease: () => record.lease,
      hasBlob: (hash) => this.#blobs.has(hash),
    });
    if (plan.replay !== undefined) {
      this.#release(append);
      return { replayed: true, entries: plan.replay };
    }
    const { jobs: put = [] } = append;
    if (put.length > 0) this.#jobs.change({ put, remove: [], expect: [] }, this.#hasConversation);
    log.put(append, plan.places, plan.logEnd);
    for (const blob of append.blobs ?? []) this.#blobs.put(blob, append.at);
    for (const { id, blobs = [] } of append.entries) {
      this.#blobs.use(blobs.map(({ hash }) => hash));
      this.#feed.add("entry", append.conversation, id);
    }
    if (record.journal?.turn === append.endsTurn) record.journal = undefined;
    record.info = grown(record.info, append, plan.logEnd);
    this.#release(append);
    return { replayed: false, places: plan.places };
  }

  #release({ conversation, releases }: AppendOperation): void {
    if (releases !== undefined) this.#decide(releaseOf(conversation, releases));
  }

  #update({ conversation, patch, at }: UpdateOperation): ConversationInfo {
    const record = this.#live(conversation);
    record.info = { ...record.info, ...patch, updatedAt: at };
    this.#feed.add("updated", conversation);
    return record.info;
  }

  #moveToTrashOrBack(move: TrashOperation): ConversationInfo {
    const info = checkMove(move, this);
    const record = this.#conversations.get(info.id) as ConversationRecord;
    const { key } = info;
    if (key !== null && move.type === "trash") this.#keys.delete(key);
    if (key !== null && move.type === "restore") this.#keys.set(key, info.id);
    record.info = { ...info, deletedAt: move.type === "trash" ? move.at : null, updatedAt: move.at };
    this.#feed.add(move.type === "trash" ? "trashed" : "restored", info.id);
    return record.info;
  }

  #purge(purge: PurgeOperation): Removed {
    const { conversation } = purge;
    const info = checkPurge(purge, this);
    const { log } = this.#conversations.get(conversation) as ConversationRecord;
    if (info.key !== null && info.deletedAt === null) this.#keys.delete(info.key);
    this.#conversations.delete(conversation);
    this.#jobs.removeOf(conversation);
    this.#purged.add(purgeMark(conversation));
    this.#feed.add("purged", conversation);
    return receipt(log.length, log.bytes, [this.#blobs.release(log.hashes)]);
  }

  #redact({ conversation, entry, json, at }: RedactOperation): Removed {
    const record = this.#live(conversation);
    const { entries, bytes, hashes } = record.log.redact(entry, json);
    record.info = { ...record.info, ...summaryOf(record.log.end), contextState: null, updatedAt: at };
    this.#feed.add("redacted", conversation);
    return receipt(entries, bytes, [this.#blobs.release(hashes)]);
  }

  #setKey(operation: SetKeyOperation): Removed {
    const { conversation, key, at } = operation;
    const record = this.#live(conversation);
    const former = record.info.key;
    if (former === key) return keyReceipt(null);
    checkKeyFree(operation, this);
    if (former !== null) this.#keys.delete(former);
    if (key !== null) this.#keys.set(key, conversation);
    record.info = { ...record.info, key, updatedAt: at };
    this.#feed.add(key === null ? "redacted" : "updated", conversation);
    return keyReceipt(former);
  }

  #sweep({ conversation, at }: SweepOperation): Removed {
    const record = this.#live(conversation);
    const { entries, messages, bytes, hashes } = record.log.sweep();
    if (entries > 0) {
      record.info = { ...record.info, messageCount: record.info.messageCount - messages, updatedAt: at };
      this.#feed.add("swept", conversation);
    }
    return receipt(entries, bytes, [this.#blobs.release(hashes)]);
  }

  #decide(operation: LeaseOperation): LeaseGrant {
    const record = this.#live(operation.conversation);
    const { state, lease } = decideLease(record.lease, operation, HERE);
    record.lease = state;
    return lease;
  }

  #journal(piece: JournalOperation): number {
    const record = this.#live(piece.conversation);
    checkEpoch(piece.conversation, record.lease, piece.epoch);
    record.journal = extended(record.journal, piece);
    return record.journal.text.length;
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#conversations.get(id)?.info;
  }

  byKey(key: string): ConversationInfo | undefined {
    const id = this.#keys.get(key);
    return id === undefined ? undefined : this.byId(id);
  }

  list({ trash, limit, after, filter = {} }: ListQuery): ConversationInfo[] {
    return [...this.#conversations.values()]
      .map(({ info }) => ({ info, at: activeAt(info), id: info.id }))
      .filter(({ info }) => (info.deletedAt !== null) === trash && passesFilter(info, filter))
      .filter((item) => after === undefined || compareForListing(after, item) < 0)
      .sort(compareForListing)
      .slice(0, limit)
      .map(({ info }) => info);
  }

  facets(): Facets {
    const infos = [...this.#conversations.values()].map(({ info }) => info);
    return facetsOf(infos.filter(({ deletedAt }) => deletedAt === null));
  }

  openings(conversations: readonly string[]): StoredEntry[][] {
    return conversations.map((id) => openingIn(this.page(openingPage(id)).entries));
  }

  endings(conversations: readonly string[]): (StoredEntry | undefined)[] {
    return conversations.map((id) => this.page(endingPage(id)).entries[0]);
  }

  page(query: PageQuery): EntryPage {
    if (query.asStored) {
      const record = this.#conversations.get(query.conversation);
      if (record === undefined) return { entries: [], more: false, branches: [] };
      return { ...record.log.stored(query), turn: record.journal?.turn };
    }
    return this.#readable(query.conversation)?.log.page(query) ?? { entries: [], more: false };
  }

  pageText(query: TextQuery): PageText {
    return textOfPage(this.page({ ...query, kind: "message" }));
  }

  locate(conversation: string, entryId: string): number | undefined {
    return this.#readable(conversation)?.log.seqOf(entryId);
  }

  logEnd(conversation: string): LogEnd | undefined {
    return this.#readable(conversation)?.log.end;
  }

  logEnds(conversations: readonly string[]): (LogTip | undefined)[] {
    return conversations.map((conversation) => tipOf(this.logEnd(conversation)));
  }

  turn(conversation: string, from: number): OpenTurn | undefined {
    const journal = this.#readable(conversation)?.journal;
    return journal === undefined ? undefined : openTurn(journal, from);
  }

  blob(hash: string, offset: number, length: number): BlobPart | undefined {
    return this.#blobs.part(hash, offset, length);
  }

  jobs(query: JobQuery): QueuedJob[] {
    return this.#jobs.page(query);
  }

  changes(after: FeedPlace | null, limit: number): { changes: Change[]; place: FeedPlace } {
    return this.#feed.after(after, limit, (conversation, id) =>
      this.#conversations.get(conversation)?.log.byId(id),
    );
  }

  backup(): never {
    throw unsupported(this.name, "backups: it keeps nothing");
  }

  purged(from: string, limit: number): string[] {
    return [...this.#purged]
      .filter((mark) => mark >= from)
      .sort()
      .slice(0, limit);
  }

  verify(): VerifyReport {
    return { ok: true, ...this.#count(), findings: [] };
  }

  repair(): never {
    throw unsupported(this.name, "repair: it keeps nothing that could be damaged");
  }

  legacyConversations(): never {
    throw unsupported(this.name, "files of legacy formats");
  }

  migrateLegacy(): never {
    throw unsupported(this.name, "files of legacy formats");
  }

  erase(): Erased {
    return NOTHING_ERASED;
  }

  counts(): Counts {
    const all = [...this.#conversations.values()];
    const live = this.#listed();
    return {
      conversations: live.length,
      messages: live.reduce((sum, { messageCount }) => sum + messageCount, 0),
      bytes: all.reduce((sum, { log }) => sum + log.bytes, this.#blobs.bytes),
    };
  }

  stats(): EngineStats {
    const all = [...this.#conversations.values()];
    const sizes = all.map(({ info, log }) => [info.id, log.bytes + this.#blobs.bytesOf(log.hashes)] as const);
    const trashed = sizes.filter(([id]) => this.#readable(id) === undefined);
    return {
      ...this.counts(),
      entries: this.#count().entries,
      reclaimable: trashed.reduce((sum, [, bytes]) => sum + bytes, 0),
      top: longest(this.#listed()),
      sizes: Object.fromEntries(sizes),
    };
  }

  close(): void {
    this.#conversations.clear();
    this.#keys.clear();
  }

  /** Without the trash. */
  #listed(): ConversationInfo[] {
    return [...this.#conversations.values()]
      .map(({ info }) => info)
      .filter(({ deletedAt }) => deletedAt === null);
  }

  #count(): { conversations: number; entries: number } {
    let entries = 0;
    for (const { log } of this.#conversations.values()) entries += log.length;
    return { conversations: this.#conversations.size, entries };
  }

  readonly #hasConversation = (id: string): boolean => this.#conversations.has(id);

  #readable(id: string): ConversationRecord | undefined {
    const record = this.#conversations.get(id);
    return record?.info.deletedAt === null ? record : undefined;
  }

  #live(id: string): ConversationRecord {
    const record = this.#readable(id);
    if (record === undefined) throw notFound(id);
    return record;
  }
}

/** No other process can hold a lease here, and the caller is alive. */
const HERE: Claimant = { id: "here", nowMs: () => performance.now(), isAlive: () => true };

/** What listings show of the tree. */
function summaryOf(logEnd: LogEnd): Pick<ConversationInfo, "head" | "branchCount" | "compactionCount"> {
  const { tree } = logEnd;
  return {
    head: activeHead(logEnd),
    branchCount: liveBranches(tree).length,
    compactionCount: liveCompactions(tree).length,
  };
}

/** The conversation after an append. */
function grown(info: ConversationInfo, { entries, at }: AppendOperation, logEnd: LogEnd): ConversationInfo {
  const times = entries.flatMap((entry) => (entry.kind === "message" ? entry.at : []));
  const { lastMessageAt } = info;
  return {
    ...info,
    ...summaryOf(logEnd),
    messageCount: info.messageCount + times.length,
    updatedAt: at,
    lastMessageAt: times.reduce(
      (latest, time) => (latest === null || time > latest ? time : latest),
      lastMessageAt,
    ),
  };
}
