import { asColloquyError } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { type LogEnd, type LogTip, tipOf } from "../../tree/place-entries.ts";
import type { Engine, EngineSupports } from "../engine.ts";
import { endingPage, openingIn, openingPage } from "../opening-rules.ts";
import type { Erased, Operation, Outcome } from "../operations.ts";
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
import { NOTHING_ERASED } from "../removal-rules.ts";
import { activeAt, compareForListing, facetsOf, longest, passesFilter, unsupported } from "../rules.ts";
import { openTurn } from "./journal.ts";
import { Tables } from "./tables.ts";

/** Conversations in memory that end with the process. For tests and throw-away agents. */
export class EphemeralEngine implements Engine {
  readonly name = "ephemeral";
  readonly supports: EngineSupports = { backup: false, repair: false, legacy: false };
  readonly location = null;
  readonly #tables = new Tables();

  commit(operations: readonly Operation[]): Outcome[] {
    return operations.map((operation) => {
      try {
        return { ok: true, ...this.#tables.apply(operation) };
      } catch (error) {
        return { ok: false, error: asColloquyError(error, "Cannot write") };
      }
    });
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#tables.byId(id);
  }

  byKey(key: string): ConversationInfo | undefined {
    return this.#tables.byKey(key);
  }

  list({ trash, limit, after, filter = {} }: ListQuery): ConversationInfo[] {
    return [...this.#tables.conversations.values()]
      .map(({ info }) => ({ info, at: activeAt(info), id: info.id }))
      .filter(({ info }) => (info.deletedAt !== null) === trash && passesFilter(info, filter))
      .filter((item) => after === undefined || compareForListing(after, item) < 0)
      .sort(compareForListing)
      .slice(0, limit)
      .map(({ info }) => info);
  }

  facets(): Facets {
    return facetsOf(this.#listed());
  }

  openings(conversations: readonly string[]): StoredEntry[][] {
    return conversations.map((id) => openingIn(this.page(openingPage(id)).entries));
  }

  endings(conversations: readonly string[]): (StoredEntry | undefined)[] {
    return conversations.map((id) => this.page(endingPage(id)).entries[0]);
  }

  page(query: PageQuery): EntryPage {
    if (query.asStored) {
      const record = this.#tables.conversations.get(query.conversation);
      if (record === undefined) return { entries: [], more: false, branches: [] };
      return { ...record.log.stored(query), turn: record.journal?.turn };
    }
    return this.#tables.readable(query.conversation)?.log.page(query) ?? { entries: [], more: false };
  }

  pageText(query: TextQuery): PageText {
    return textOfPage(this.page({ ...query, kind: "message" }));
  }

  locate(conversation: string, entryId: string): number | undefined {
    return this.#tables.readable(conversation)?.log.seqOf(entryId);
  }

  logEnd(conversation: string): LogEnd | undefined {
    return this.#tables.readable(conversation)?.log.end;
  }

  logEnds(conversations: readonly string[]): (LogTip | undefined)[] {
    return conversations.map((conversation) => tipOf(this.logEnd(conversation)));
  }

  turn(conversation: string, from: number): OpenTurn | undefined {
    const journal = this.#tables.readable(conversation)?.journal;
    return journal === undefined ? undefined : openTurn(journal, from);
  }

  blob(hash: string, offset: number, length: number): BlobPart | undefined {
    return this.#tables.blobs.part(hash, offset, length);
  }

  jobs(query: JobQuery): QueuedJob[] {
    return this.#tables.jobs.page(query);
  }

  changes(after: FeedPlace | null, limit: number): { changes: Change[]; place: FeedPlace } {
    return this.#tables.feed.after(after, limit, (conversation, id) =>
      this.#tables.conversations.get(conversation)?.log.byId(id),
    );
  }

  backup(): never {
    throw unsupported(this.name, "backups: it keeps nothing");
  }

  purged(from: string, limit: number): string[] {
    return [...this.#tables.purged]
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
    const all = [...this.#tables.conversations.values()];
    const live = this.#listed();
    return {
      conversations: live.length,
      messages: live.reduce((sum, { messageCount }) => sum + messageCount, 0),
      bytes: all.reduce((sum, { log }) => sum + log.bytes, this.#tables.blobs.bytes),
    };
  }

  stats(): EngineStats {
    const all = [...this.#tables.conversations.values()];
    const sizes = all.map(
      ({ info, log }) => [info.id, log.bytes + this.#tables.blobs.bytesOf(log.hashes)] as const,
    );
    const trashed = sizes.filter(([id]) => this.#tables.readable(id) === undefined);
    return {
      ...this.counts(),
      entries: this.#count().entries,
      reclaimable: trashed.reduce((sum, [, bytes]) => sum + bytes, 0),
      top: longest(this.#listed()),
      sizes: Object.fromEntries(sizes),
    };
  }

  close(): void {
    this.#tables.clear();
  }

  /** Without the trash. */
  #listed(): ConversationInfo[] {
    return [...this.#tables.conversations.values()]
      .map(({ info }) => info)
      .filter(({ deletedAt }) => deletedAt === null);
  }

  #count(): { conversations: number; entries: number } {
    let entries = 0;
    for (const { log } of this.#tables.conversations.values()) entries += log.length;
    return { conversations: this.#tables.conversations.size, entries };
  }
}
