/** Everything behind a store that is more than opened and listed. Loaded when it is first needed. */
import type { DatabaseSync } from "node:sqlite";
import { Liveness } from "../../disk/liveness.ts";
import { sqliteError } from "../../sqlite/busy.ts";
import type { LogEnd } from "../../tree/place.ts";
import { timeOf } from "../../util/time.ts";
import { checkEpoch } from "../leases.ts";
import type {
  CreateOperation,
  Done,
  JournalOperation,
  Operation,
  TrashOperation,
  UpdateOperation,
} from "../operations.ts";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  EntryPage,
  FeedPlace,
  OpenTurn,
  PageQuery,
} from "../queries.ts";
import { checkMove, checkPurge, resolveCreate } from "../rules.ts";
import { Blobs } from "./blobs/blobs.ts";
import { Removals, removed } from "./erase/removals.ts";
import { Appends } from "./log/appends.ts";
import { Feed } from "./log/feed.ts";
import type { Infos } from "./log/infos.ts";
import { readPage, readStored } from "./log/pages.ts";
import { loadLogEnd, Tails } from "./log/tree-cache.ts";
import type { Row } from "./rows.ts";
import type { Statements } from "./statements.ts";
import { Journals } from "./turns/journals.ts";
import { Leases } from "./turns/leases.ts";

export interface AccessUse {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly infos: Infos;
  readonly location: string;
  damaged(problem: string): void;
}

export class Access {
  readonly #use: AccessUse;
  readonly #liveness: Liveness;
  readonly #tails: Tails;
  readonly #feed: Feed;
  readonly #blobs: Blobs;
  readonly #journals: Journals;
  readonly #leases: Leases;
  readonly #appends: Appends;
  readonly #removals: Removals;

  constructor(use: AccessUse) {
    const { database, sql, location } = use;
    this.#use = use;
    this.#liveness = new Liveness(`${location}-alive`);
    this.#tails = new Tails(sql);
    this.#feed = new Feed(sql, this.#tails);
    this.#blobs = new Blobs(sql);
    this.#journals = new Journals(sql);
    this.#leases = new Leases(sql, this.#liveness);
    this.#appends = new Appends(database, sql, this.#tails, this.#blobs, this.#journals, this.#leases);
    this.#removals = new Removals(sql, this.#tails, this.#feed, this.#blobs, this.#journals);
  }

  /** Another connection may have written since: to be called first in every transaction. */
  refresh(): void {
    this.#tails.refresh();
  }

  /** What was noted in a transaction that was rolled back is not so. */
  forget(): void {
    this.#tails.clear();
  }

  /** Inside a transaction. A refusal of ours comes before the operation's first write. */
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
        checkPurge(operation, this.#use.infos);
        return { removed: this.#removals.purge(operation) };
      case "redact":
        return { removed: this.#removals.redact(operation) };
      case "sweep":
        return { removed: this.#removals.sweep(operation) };
      case "lease":
        return { lease: this.#leases.decide(this.#tails.get(operation.conversation).n, operation) };
      case "journal":
        return { length: this.#journal(operation) };
      case "blob":
        return { length: this.#blobs.take(operation) };
      case "collect":
        return { removed: removed(0, 0, this.#blobs.collect(operation.before)) };
    }
  }

  #create(create: CreateOperation): ConversationInfo {
    const { sql, infos } = this.#use;
    const existing = resolveCreate(create, infos);
    if (existing !== undefined) return existing;
    const { id, key, title, channel, model, profileId, at } = create;
    sql.create.run(id, key, title, channel, model, profileId, timeOf(at));
    this.#feed.note("created", id);
    return infos.existing(id);
  }

  #update({ conversation, patch, at }: UpdateOperation): ConversationInfo {
    const { sql, infos } = this.#use;
    const { title, channel, model, profileId, contextState } = { ...infos.live(conversation), ...patch };
    const state = contextState === null ? null : JSON.stringify(contextState);
    sql.update.run(title, channel, model, profileId, state, timeOf(at), conversation);
    this.#feed.note("updated", conversation);
    return infos.existing(conversation);
  }

  #moveToTrashOrBack(move: TrashOperation): ConversationInfo {
    const { sql, infos } = this.#use;
    const { id } = checkMove(move, infos);
    this.#tails.forget(id);
    const atMs = timeOf(move.at);
    sql.setDeleted.run(move.type === "trash" ? atMs : null, atMs, id);
    this.#feed.note(move.type === "trash" ? "trashed" : "restored", id);
    return infos.existing(id);
  }

  #journal(operation: JournalOperation): number {
    const { conversation, epoch } = operation;
    const { n } = this.#tails.get(conversation);
    checkEpoch(conversation, this.#leases.state(n), epoch);
    return this.#journals.write(n, operation);
  }

  page(query: PageQuery): EntryPage {
    if (query.asStored) return this.#snapshot(() => this.#storedPage(query));
    return this.#snapshot(() => readPage(this.#use.sql, this.#tails, query, this.#use.damaged));
  }

  #storedPage(query: PageQuery): EntryPage {
    const { sql, damaged } = this.#use;
    const row = sql.numberAndLast.get(query.conversation) as Row | undefined;
    if (row === undefined) return { entries: [], more: false, branches: [] };
    const [n, lastSeq] = row as [number, number];
    // That of a conversation in the trash is counted for each page: nobody reads there often.
    const { tree } = this.#tails.find(query.conversation)?.logEnd ?? loadLogEnd(sql, n, lastSeq);
    return {
      ...readStored(sql, n, tree, query, damaged),
      turn: this.#journals.read(n, Number.MAX_SAFE_INTEGER)?.id,
    };
  }

  logEnd(conversation: string): LogEnd | undefined {
    return this.#snapshot(() => this.#tails.find(conversation)?.logEnd);
  }

  turn(conversation: string, from: number): OpenTurn | undefined {
    return this.#snapshot(() => {
      const known = this.#tails.find(conversation);
      return known === undefined ? undefined : this.#journals.read(known.n, from);
    });
  }

  blob(hash: string, offset: number, length: number): BlobPart | undefined {
    return this.#snapshot(() => this.#blobs.part(hash, offset, length));
  }

  changes(after: FeedPlace | null, limit: number): { changes: Change[]; place: FeedPlace } {
    return this.#snapshot(() => this.#feed.after(after, limit, this.#use.damaged));
  }

  close(): void {
    this.#liveness.close();
  }

  /** Everything that is asked here is as of one moment. */
  #snapshot<T>(work: () => T): T {
    const { database, sql, location } = this.#use;
    try {
      sql.beginRead.run();
      try {
        this.#tails.refresh();
        return work();
      } finally {
        if (database.isTransaction) sql.commit.run();
      }
    } catch (error) {
      throw sqliteError(error, location);
    }
  }
}
