import { asColloquyError } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import type {
  AppendOperation,
  AppendResult,
  ConversationInfo,
  CreateOperation,
  Engine,
  EngineStats,
  EntryPage,
  ListQuery,
  NewEntry,
  Operation,
  Outcome,
  PageQuery,
  TrashOperation,
  UpdateOperation,
  VerifyReport,
} from "../engine.ts";
import {
  activeAt,
  checkAppend,
  checkMove,
  compareForListing,
  longest,
  notFound,
  resolveCreate,
} from "../rules.ts";

interface Kept {
  info: ConversationInfo;
  /** Stored as text, so that nobody holds a reference into the store. */
  readonly entries: { readonly entry: Entry; readonly json: string }[];
  readonly indexById: Map<string, number>;
}

/** Conversations in memory, gone with the process. For tests and throw-away agents. */
export class EphemeralEngine implements Engine {
  readonly name = "ephemeral";
  readonly location = null;
  readonly #kept = new Map<string, Kept>();
  readonly #keys = new Map<string, string>();

  commit(operations: readonly Operation[]): Outcome[] {
    return operations.map((operation) => {
      try {
        return { ok: true, ...this.#apply(operation) };
      } catch (error) {
        return { ok: false, error: asColloquyError(error, "Cannot write") };
      }
    });
  }

  #apply(operation: Operation): { info?: ConversationInfo; append?: AppendResult } {
    switch (operation.type) {
      case "create":
        return { info: this.#create(operation) };
      case "append":
        return { append: this.#append(operation) };
      case "update":
        return { info: this.#update(operation) };
      default:
        return { info: this.#moveToTrashOrBack(operation) };
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
      head: null,
      createdAt: at,
      updatedAt: at,
      lastMessageAt: null,
      deletedAt: null,
    };
    this.#kept.set(id, { info, entries: [], indexById: new Map() });
    if (key !== null) this.#keys.set(key, id);
    return info;
  }

  #append(append: AppendOperation): AppendResult {
    const kept = this.#live(append.conversation);
    const replay = checkAppend(append, {
      head: kept.info.head,
      byOperation: (operationId) =>
        kept.entries.filter(({ entry }) => entry.operationId === operationId).map(restored),
      byEntryId: (id) => {
        const found = kept.entries[kept.indexById.get(id) ?? -1];
        return found === undefined ? undefined : restored(found);
      },
    });
    if (replay !== undefined) return { replayed: true, entries: replay };
    const parentId = kept.info.head;
    const firstSeq = kept.entries.length + 1;
    for (const entry of append.entries) this.#put(kept, entry, append.operationId);
    kept.info = { ...kept.info, updatedAt: append.at };
    return { replayed: false, firstSeq, parentId };
  }

  #put(kept: Kept, { id, kind, at, json }: NewEntry, operationId: string | undefined): void {
    const { info, entries } = kept;
    const entry: Entry = { id, seq: entries.length + 1, parentId: info.head, kind, at };
    kept.indexById.set(id, entries.length);
    entries.push({ entry: operationId === undefined ? entry : { ...entry, operationId }, json });
    const isMessage = kind === "message";
    const { lastMessageAt } = info;
    kept.info = {
      ...info,
      head: id,
      messageCount: info.messageCount + (isMessage ? 1 : 0),
      lastMessageAt: isMessage && (lastMessageAt === null || at > lastMessageAt) ? at : lastMessageAt,
    };
  }

  #update({ conversation, patch, at }: UpdateOperation): ConversationInfo {
    const kept = this.#live(conversation);
    kept.info = { ...kept.info, ...patch, updatedAt: at };
    return kept.info;
  }

  #moveToTrashOrBack(move: TrashOperation): ConversationInfo {
    const info = checkMove(move, this);
    const kept = this.#kept.get(info.id) as Kept;
    const { key } = info;
    if (key !== null && move.type === "trash") this.#keys.delete(key);
    if (key !== null && move.type === "restore") this.#keys.set(key, info.id);
    kept.info = { ...info, deletedAt: move.type === "trash" ? move.at : null, updatedAt: move.at };
    return kept.info;
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#kept.get(id)?.info;
  }

  byKey(key: string): ConversationInfo | undefined {
    const id = this.#keys.get(key);
    return id === undefined ? undefined : this.byId(id);
  }

  list({ trash, limit, after }: ListQuery): ConversationInfo[] {
    return [...this.#kept.values()]
      .map(({ info }) => ({ info, at: activeAt(info), id: info.id }))
      .filter((item) => (item.info.deletedAt !== null) === trash)
      .filter((item) => after === undefined || compareForListing(after, item) < 0)
      .sort(compareForListing)
      .slice(0, limit)
      .map(({ info }) => info);
  }

  page(query: PageQuery): EntryPage {
    const { entries } = this.#readable(query.conversation) ?? { entries: [] };
    const forward = query.direction === "forward";
    const step = forward ? 1 : -1;
    const page: Entry[] = [];
    let bytes = 0;
    // The place of an entry is its seq less one, because every entry is kept.
    let index = query.from === null ? (forward ? 0 : entries.length - 1) : query.from - 1 + step;
    for (; index >= 0 && index < entries.length; index += step) {
      const kept = entries[index] as Kept["entries"][number];
      if (query.kind !== undefined && kept.entry.kind !== query.kind) continue;
      bytes += Buffer.byteLength(kept.json);
      if (page.length >= query.limit || (page.length > 0 && bytes > query.bytesMax)) {
        return { entries: forward ? page : page.reverse(), more: true };
      }
      page.push(restored(kept));
    }
    return { entries: forward ? page : page.reverse(), more: false };
  }

  locate(conversation: string, entryId: string): number | undefined {
    const index = this.#readable(conversation)?.indexById.get(entryId);
    return index === undefined ? undefined : index + 1;
  }

  verify(): VerifyReport {
    return { ok: true, ...this.#count(), findings: [] };
  }

  stats(): EngineStats {
    const live = [...this.#kept.values()]
      .map(({ info }) => info)
      .filter(({ deletedAt }) => deletedAt === null);
    return { ...this.#count(), conversations: live.length, bytes: 0, reclaimable: 0, top: longest(live) };
  }

  close(): void {
    this.#kept.clear();
    this.#keys.clear();
  }

  #count(): { conversations: number; entries: number } {
    let entries = 0;
    for (const kept of this.#kept.values()) entries += kept.entries.length;
    return { conversations: this.#kept.size, entries };
  }

  #readable(id: string): Kept | undefined {
    const kept = this.#kept.get(id);
    return kept?.info.deletedAt === null ? kept : undefined;
  }

  #live(id: string): Kept {
    const kept = this.#readable(id);
    if (kept === undefined) throw notFound(id);
    return kept;
  }
}

function restored({ entry, json }: Kept["entries"][number]): Entry {
  const value = JSON.parse(json);
  const { operationId, ...place } = entry;
  const whole = entry.kind === "message" ? { ...place, message: value } : { ...place, data: value };
  return operationId === undefined ? whole : { ...whole, operationId };
}
