/** The conversations and everything that belongs to them, and how operations change them. */

import { activeHead, type LogEnd } from "../../tree/place-entries.ts";
import { liveBranches, liveCompactions } from "../../tree/tree.ts";
import { type Claimant, checkEpoch, decideLease, type LeaseState, NO_LEASE, releaseOf } from "../leases.ts";
import type {
  AppendOperation,
  AppendResult,
  CreateOperation,
  Done,
  JournalOperation,
  LeaseGrant,
  LeaseOperation,
  Operation,
  PurgeOperation,
  RedactOperation,
  Removed,
  SetKeyOperation,
  SweepOperation,
  TrashOperation,
  UpdateOperation,
} from "../operations.ts";
import type { ConversationInfo } from "../queries.ts";
import { entryNotFound, keyReceipt, purgeMark, receipt } from "../removal-rules.ts";
import { checkKeyFree, checkMove, checkPurge, notFound, planAppend, resolveCreate } from "../rules.ts";
import { Blobs } from "./blobs.ts";
import { Feed } from "./feed.ts";
import { Jobs } from "./jobs.ts";
import { extended, type Journal } from "./journal.ts";
import { Log } from "./log.ts";

interface ConversationRecord {
  info: ConversationInfo;
  readonly log: Log;
  lease: LeaseState;
  journal: Journal | undefined;
}

export class Tables {
  readonly conversations: Map<string, ConversationRecord> = new Map();
  readonly blobs: Blobs = new Blobs();
  readonly feed: Feed = new Feed();
  readonly jobs: Jobs = new Jobs();
  /** Marks of what was purged. */
  readonly purged: Set<string> = new Set();
  readonly #keys = new Map<string, string>();

  byId(id: string): ConversationInfo | undefined {
    return this.conversations.get(id)?.info;
  }

  byKey(key: string): ConversationInfo | undefined {
    const id = this.#keys.get(key);
    return id === undefined ? undefined : this.byId(id);
  }

  /** Not in the trash. */
  readable(id: string): ConversationRecord | undefined {
    const record = this.conversations.get(id);
    return record?.info.deletedAt === null ? record : undefined;
  }

  apply(operation: Operation): Done {
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
        for (const mark of operation.marks) this.purged.add(mark);
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
        return { length: this.blobs.upload(operation) };
      case "collect":
        return { removed: receipt(0, 0, this.blobs.collect(operation)) };
      case "jobs":
        return { length: this.jobs.change(operation, this.#hasConversation) };
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
    this.conversations.set(id, { info, log: new Log(), lease: NO_LEASE, journal: undefined });
    if (key !== null) this.#keys.set(key, id);
    this.feed.add("created", id);
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
      hasBlob: (hash) => this.blobs.has(hash),
    });
    if (plan.replay !== undefined) {
      this.#release(append);
      return { replayed: true, entries: plan.replay };
    }
    const { jobs: put = [] } = append;
    if (put.length > 0) this.jobs.change({ put, remove: [], expect: [] }, this.#hasConversation);
    log.put(append, plan.places, plan.logEnd);
    for (const blob of append.blobs ?? []) this.blobs.put(blob, append.at);
    for (const { id, blobs = [] } of append.entries) {
      this.blobs.use(blobs.map(({ hash }) => hash));
      this.feed.add("entry", append.conversation, id);
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
    this.feed.add("updated", conversation);
    return record.info;
  }

  #moveToTrashOrBack(move: TrashOperation): ConversationInfo {
    const info = checkMove(move, this);
    const record = this.conversations.get(info.id) as ConversationRecord;
    const { key } = info;
    if (key !== null && move.type === "trash") this.#keys.delete(key);
    if (key !== null && move.type === "restore") this.#keys.set(key, info.id);
    record.info = { ...info, deletedAt: move.type === "trash" ? move.at : null, updatedAt: move.at };
    this.feed.add(move.type === "trash" ? "trashed" : "restored", info.id);
    return record.info;
  }

  #purge(purge: PurgeOperation): Removed {
    const { conversation } = purge;
    const info = checkPurge(purge, this);
    const { log } = this.conversations.get(conversation) as ConversationRecord;
    if (info.key !== null && info.deletedAt === null) this.#keys.delete(info.key);
    this.conversations.delete(conversation);
    this.jobs.removeOf(conversation);
    this.purged.add(purgeMark(conversation));
    this.feed.add("purged", conversation);
    return receipt(log.length, log.bytes, [this.blobs.release(log.hashes)]);
  }

  #redact({ conversation, entry, json, at, requires }: RedactOperation): Removed {
    const record = this.#live(conversation);
    if (requires !== undefined && record.log.seqOf(requires) === undefined) throw entryNotFound(requires);
    const { entries, bytes, hashes } = record.log.redact(entry, json);
    record.info = { ...record.info, ...summaryOf(record.log.end), contextState: null, updatedAt: at };
    this.feed.add("redacted", conversation);
    return receipt(entries, bytes, [this.blobs.release(hashes)]);
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
    this.feed.add(key === null ? "redacted" : "updated", conversation);
    return keyReceipt(former);
  }

  #sweep({ conversation, at }: SweepOperation): Removed {
    const record = this.#live(conversation);
    const { entries, messages, bytes, hashes } = record.log.sweep();
    if (entries > 0) {
      record.info = { ...record.info, messageCount: record.info.messageCount - messages, updatedAt: at };
      this.feed.add("swept", conversation);
    }
    return receipt(entries, bytes, [this.blobs.release(hashes)]);
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

  #live(id: string): ConversationRecord {
    const record = this.readable(id);
    if (record === undefined) throw notFound(id);
    return record;
  }

  readonly #hasConversation = (id: string): boolean => this.conversations.has(id);

  clear(): void {
    this.conversations.clear();
    this.#keys.clear();
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
