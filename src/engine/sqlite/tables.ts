/**
 * The tables of a store, as operations and queries. Every method runs inside a
 * transaction of the caller, which has called `refresh` first.
 */

import type { DatabaseSync } from "node:sqlite";
import { Liveness } from "../../disk/liveness.ts";
import type { StoredEntry } from "../../message/types.ts";
import { type LogEnd, type LogTip, tipOf } from "../../tree/place-entries.ts";
import { timeOf } from "../../util/time.ts";
import { checkEpoch } from "../leases.ts";
import type {
  CreateOperation,
  Done,
  JournalOperation,
  Operation,
  Removed,
  TrashOperation,
  UpdateOperation,
} from "../operations.ts";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  EntryPage,
  FeedPlace,
  JobQuery,
  OpenTurn,
  PageQuery,
  PageText,
  QueuedJob,
  TextQuery,
} from "../queries.ts";
import { receipt } from "../removal-rules.ts";
import { checkKeyFree, checkMove, checkPurge, resolveCreate } from "../rules.ts";
import { Blobs } from "./blobs/blobs.ts";
import { takeUnused, type UnusedBlobs } from "./blobs/unused-blobs.ts";
import type { Damage } from "./damage.ts";
import { Removals } from "./erase/removals.ts";
import { Jobs } from "./jobs/jobs.ts";
import { Appends } from "./log/appends.ts";
import { CheckedRows } from "./log/checked-rows.ts";
import { Feed } from "./log/feed.ts";
import type { Infos } from "./log/infos.ts";
import { readOpening } from "./log/openings.ts";
import { readPage, readPageText, readStored } from "./log/pages.ts";
import { TreeCache } from "./log/tree-cache.ts";
import type { Statements } from "./statements.ts";
import { Journals } from "./turns/journals.ts";
import { Leases } from "./turns/leases.ts";

export interface TablesOptions {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly infos: Infos;
  readonly location: string;
  readonly damage: Damage;
}

export class Tables {
  readonly #options: TablesOptions;
  readonly #liveness: Liveness;
  readonly #trees: TreeCache;
  readonly #checked = new CheckedRows();
  readonly #feed: Feed;
  readonly #blobs: Blobs;
  readonly #journals: Journals;
  readonly #leases: Leases;
  readonly #jobs: Jobs;
  readonly #appends: Appends;
  readonly #removals: Removals;

  constructor(options: TablesOptions) {
    const { database, sql, location } = options;
    this.#options = options;
    this.#liveness = new Liveness(`${location}-alive`);
    this.#trees = new TreeCache(sql, options.damage);
    this.#feed = new Feed(sql, this.#trees);
    this.#blobs = new Blobs(sql);
    this.#journals = new Journals(sql, options.damage.damaged);
    this.#leases = new Leases(sql, this.#liveness);
    this.#jobs = new Jobs(sql, options.damage.damaged);
    this.#appends = new Appends(database, sql, {
      trees: this.#trees,
      blobs: this.#blobs,
      journals: this.#journals,
      leases: this.#leases,
      jobs: this.#jobs,
    });
    this.#removals = new Removals(sql, this.#trees, this.#feed, this.#blobs, this.#journals, this.#jobs);
  }

  /** Another connection may have written since the last transaction. */
  refresh(): void {
    this.#trees.refresh();
  }

  /** After a rollback, what was remembered from the transaction is wrong. */
  forget(): void {
    this.#trees.clear();
  }

  apply(operation: Operation): Done {
    switch (operation.type) {
      case "create":
        return { info: this.#create(operation) };
      case "append":
        return { append: this.#appends.append(operation) };
      case "update":
        return { info: this.#update(operation) };
      case "trash":
      case "restore":
        return { info: this.#moveToTrashOrBack(operation) };
      case "purge":
        checkPurge(operation, this.#options.infos);
        return { removed: this.#removed(this.#removals.purge(operation), true) };
      case "mark-purged":
        return { length: this.#removals.markPurged(operation.marks) };
      case "redact":
        return { removed: this.#removed(this.#removals.redact(operation)) };
      case "set-key": {
        const { key } = this.#options.infos.live(operation.conversation);
        checkKeyFree(operation, this.#options.infos);
        return { removed: this.#removed(this.#removals.setKey(operation, key), key !== operation.key) };
      }
      case "sweep":
        return { removed: this.#removed(this.#removals.sweep(operation)) };
      case "lease":
        return { lease: this.#leases.decide(this.#trees.get(operation.conversation).n, operation) };
      case "journal":
        return { length: this.#journal(operation) };
      case "blob":
        return { length: this.#blobs.upload(operation) };
      case "collect":
        return { removed: this.#removed(receipt(0, 0, [this.#blobs.collect(operation)])) };
      case "jobs":
        return { length: this.#jobs.change(operation) };
    }
  }

  /** Notes that traces must be erased: `always`, because even a conversation without entries had a title. */
  #removed(removed: Removed, always = false): Removed {
    if (always || removed.entries + removed.blobs > 0) this.#options.sql.insertErasure.run();
    return removed;
  }

  #create(create: CreateOperation): ConversationInfo {
    const { sql, infos } = this.#options;
    const existing = resolveCreate(create, infos);
    if (existing !== undefined) return existing;
    const { id, key, title, channel, model, profileId, at } = create;
    sql.insertConversation.run(id, key, title, channel, model, profileId, timeOf(at));
    sql.sealConversation.run(id);
    this.#feed.add("created", id);
    return infos.existing(id);
  }

  #update({ conversation, patch, at }: UpdateOperation): ConversationInfo {
    const { sql, infos } = this.#options;
    const { title, channel, model, profileId, contextState } = { ...infos.live(conversation), ...patch };
    const state = contextState === null ? null : JSON.stringify(contextState);
    sql.updateConversation.run(title, channel, model, profileId, state, timeOf(at), conversation);
    this.#feed.add("updated", conversation);
    return infos.existing(conversation);
  }

  #moveToTrashOrBack(move: TrashOperation): ConversationInfo {
    const { sql, infos } = this.#options;
    const { id } = checkMove(move, infos);
    this.#trees.forget(id);
    const atMs = timeOf(move.at);
    sql.setDeleted.run(move.type === "trash" ? atMs : null, atMs, id);
    this.#feed.add(move.type === "trash" ? "trashed" : "restored", id);
    return infos.existing(id);
  }

  #journal(operation: JournalOperation): number {
    const { conversation, epoch } = operation;
    const { n } = this.#trees.get(conversation);
    checkEpoch(conversation, this.#leases.state(n), epoch);
    return this.#journals.write(n, operation);
  }

  openings(conversations: readonly string[]): StoredEntry[][] {
    return conversations.map((id) => readOpening(this.#options.sql, id, this.#checked.isIntact));
  }

  page(query: PageQuery): EntryPage {
    const { sql, damage } = this.#options;
    if (!query.asStored) return readPage(sql, this.#trees, query, damage, this.#checked);
    const cached = this.#trees.findAnywhere(query.conversation);
    if (cached === undefined) return { entries: [], more: false, branches: [] };
    return {
      ...readStored(sql, cached, query, damage),
      turn: this.#journals.read(cached.n, Number.MAX_SAFE_INTEGER)?.id,
    };
  }

  pageText(query: TextQuery): PageText {
    const { sql, damage } = this.#options;
    return readPageText(sql, this.#trees, query, damage, this.#checked);
  }

  logEnd(conversation: string): LogEnd | undefined {
    return this.#trees.find(conversation)?.logEnd;
  }

  /** Most logs end with a message, whose row tells enough. */
  logTip(conversation: string): LogTip | undefined {
    const row = this.#options.sql.logTip.get<[number, string | null, string | null]>(conversation);
    if (row === undefined) return undefined;
    const [lastSeq, last, kind] = row;
    return kind === "message" ? { lastSeq, last } : tipOf(this.logEnd(conversation));
  }

  turn(conversation: string, from: number): OpenTurn | undefined {
    const cached = this.#trees.find(conversation);
    return cached === undefined ? undefined : this.#journals.read(cached.n, from);
  }

  blob(hash: string, offset: number, length: number): BlobPart | undefined {
    return this.#blobs.part(hash, offset, length);
  }

  jobs(query: JobQuery): QueuedJob[] {
    return this.#jobs.page(query);
  }

  takeUnused(isLeft: boolean): UnusedBlobs | undefined {
    return takeUnused(this.#options.sql, this.#blobs, isLeft);
  }

  /** Delete a part of the blobs that were removed. Returns whether there may be more. */
  dropReleased(): boolean {
    return this.#blobs.dropReleased();
  }

  changes(after: FeedPlace | null, limit: number): { changes: Change[]; place: FeedPlace } {
    return this.#feed.after(after, limit, this.#options.damage.damaged);
  }

  close(): void {
    this.#liveness.close();
  }
}
