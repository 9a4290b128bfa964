/** The rules that every engine applies inside its transaction to appends and to conversations. */
import { isDeepStrictEqual } from "node:util";
import { ColloquyError } from "../errors.ts";
import type { StoredEntry } from "../message/types.ts";
import { DEPTH_LIMITS } from "../tree/branches.ts";
import { checkTip, type LogEnd, placeEntries, type TreePlace, targetBranch } from "../tree/place-entries.ts";
import { headOf } from "../tree/tree.ts";
import { checkEpoch, type LeaseState } from "./leases.ts";
import type {
  AppendOperation,
  CreateOperation,
  NewEntry,
  PurgeOperation,
  SetKeyOperation,
  TrashOperation,
} from "./operations.ts";
import type { ConversationInfo, Facets, ListFilter } from "./queries.ts";

export function notFound(id: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no conversation ${id}`, { details: { id } });
}

/** The refusal of a method whose capability is off in `Engine.supports`. */
export function unsupported(engine: string, what: string): ColloquyError {
  return new ColloquyError("NOT_SUPPORTED", `The ${engine} engine does not support ${what}`);
}

/** How an engine looks up what an append may repeat or collide with. Each function is called only when needed. */
export interface AppendLookup {
  readonly logEnd: LogEnd;
  /** The entries of one append, in order, with their blobs as references. */
  byOperation(operationId: string): StoredEntry[];
  byEntryId(id: string): StoredEntry | undefined;
  lease(): LeaseState;
  hasBlob(hash: string): boolean;
}

/** The entries of the first try when an append is a retry; otherwise the places of its entries. */
export type AppendPlan =
  | { readonly replay: StoredEntry[] }
  | { readonly replay?: undefined; readonly places: readonly TreePlace[]; readonly logEnd: LogEnd };

/**
 * Decide what an append does, before any of it is written. Throws `CONFLICT`
 * when an id is reused with different content, when the lease was lost or when
 * the head moved, and whatever error the tree raises for its entries.
 */
export function planAppend(append: AppendOperation, lookup: AppendLookup): AppendPlan {
  const replay = findReplay(append, lookup);
  if (replay !== undefined) return { replay };
  const { conversation, branch, entries, epoch, expectedHead, after } = append;
  if (epoch !== undefined) checkEpoch(conversation, lookup.lease(), epoch);
  const { tree, last } = lookup.logEnd;
  if (after !== undefined) checkTip(after, lookup.logEnd);
  if (expectedHead !== undefined) {
    const head = headOf(tree, targetBranch(tree, branch), last);
    if (expectedHead !== head) throw headMoved(conversation, expectedHead, head);
  }
  checkBlobs(append, lookup);
  return placeEntries(lookup.logEnd, entries, branch, append.maxDepth ?? DEPTH_LIMITS.maxDepth);
}

function headMoved(conversation: string, expected: string | null, head: string | null): ColloquyError {
  return new ColloquyError(
    "CONFLICT",
    `Conversation ${conversation}: expected head ${expected ?? "none"}, but the head is ${head ?? "none"}`,
    { field: "expectedHead", details: { head } },
  );
}

/** A reference to a missing blob would be a loss that shows only when it is read. */
function checkBlobs({ entries, blobs }: AppendOperation, lookup: AppendLookup): void {
  for (const { blobs: refs = [] } of entries) {
    for (const { hash } of refs) {
      if (blobs?.some((blob) => blob.hash === hash) || lookup.hasBlob(hash)) continue;
      throw new ColloquyError("NOT_FOUND", `There is no blob ${hash}`, {
        field: "content",
        details: { hash },
      });
    }
  }
}

function findReplay(append: AppendOperation, lookup: AppendLookup): StoredEntry[] | undefined {
  const { operationId, operationGiven = true, entries } = append;
  if (operationId !== undefined && operationGiven) {
    const written = lookup.byOperation(operationId);
    if (written.length > 0) return sameContent(entries, written, `operation ${operationId}`);
  }
  const known = entries.flatMap((entry) => (entry.idGiven ? (lookup.byEntryId(entry.id) ?? []) : []));
  const [first] = known;
  if (first === undefined) return undefined;
  if (known.length === entries.length) return sameContent(entries, known, `entry ${first.id}`);
  throw new ColloquyError("CONFLICT", `Entry ${first.id} already exists, others of this append do not`, {
    field: "id",
    details: { id: first.id },
  });
}

function sameContent(wanted: readonly NewEntry[], written: StoredEntry[], what: string): StoredEntry[] {
  const same =
    wanted.length === written.length &&
    wanted.every((entry, index) => {
      const { id, kind, message, data, blobs = [] } = written[index] as StoredEntry;
      if (kind !== entry.kind || (entry.idGiven && entry.id !== id)) return false;
      if (!isDeepStrictEqual(entry.blobs ?? [], blobs)) return false;
      return isDeepStrictEqual(JSON.parse(entry.json), message ?? data);
    });
  if (!same) {
    throw new ColloquyError("CONFLICT", `Another append has used ${what} with different content`, {
      field: what.startsWith("operation") ? "operationId" : "id",
    });
  }
  return written;
}

/** How an engine finds the conversations that a creation or a move may collide with. */
export interface ConversationLookup {
  /** Even from the trash. */
  byId(id: string): ConversationInfo | undefined;
  /** Never from the trash. */
  byKey(key: string): ConversationInfo | undefined;
}

/**
 * The existing conversation that a creation refers to: that of a retry, or the
 * holder of the key with `resume`. `undefined` when a new one is to be created.
 * Throws `CONFLICT` otherwise.
 */
export function resolveCreate(
  create: CreateOperation,
  lookup: ConversationLookup,
): ConversationInfo | undefined {
  const existing = create.idGiven ? lookup.byId(create.id) : undefined;
  if (existing !== undefined) return checkRetry(create, existing);
  const holder = create.key === null ? undefined : lookup.byKey(create.key);
  if (holder === undefined || create.resume) return holder;
  throw keyTaken(holder);
}

/** A second creation with the same id must ask for the same conversation. */
function checkRetry(create: CreateOperation, existing: ConversationInfo): ConversationInfo {
  const properties = ["key", "title", "channel", "model", "profileId"] as const;
  const differs = properties.find((name) => create[name] !== null && create[name] !== existing[name]);
  if (differs === undefined && existing.deletedAt === null) return existing;
  throw new ColloquyError(
    "CONFLICT",
    differs === undefined
      ? `Conversation ${create.id} is in the trash`
      : `Conversation ${create.id} already exists with a different ${differs}`,
    { field: differs ?? "id", details: { id: create.id } },
  );
}

/** The conversation to be moved. Throws when it is not where it should be, or when its key is in use. */
export function checkMove(
  { type, conversation }: TrashOperation,
  lookup: ConversationLookup,
): ConversationInfo {
  const info = lookup.byId(conversation);
  if (info === undefined || (info.deletedAt === null) !== (type === "trash")) throw notFound(conversation);
  const holder = type === "restore" && info.key !== null ? lookup.byKey(info.key) : undefined;
  if (holder !== undefined) throw keyTaken(holder);
  return info;
}

/** Throws `CONFLICT` when another conversation has the key. */
export function checkKeyFree(
  { conversation, key }: SetKeyOperation,
  lookup: Pick<ConversationLookup, "byKey">,
): void {
  const holder = key === null ? undefined : lookup.byKey(key);
  if (holder !== undefined && holder.id !== conversation) throw keyTaken(holder);
}

/** The conversation to be purged. Decided inside the transaction: another process may restore it. */
export function checkPurge(
  { conversation, force }: PurgeOperation,
  lookup: Pick<ConversationLookup, "byId">,
): ConversationInfo {
  const info = lookup.byId(conversation);
  if (info === undefined) throw notFound(conversation);
  if (info.deletedAt !== null || force) return info;
  throw new ColloquyError("CONFLICT", `Conversation ${conversation} is not in the trash: delete it first`, {
    details: { id: conversation },
  });
}

function keyTaken({ key, id }: ConversationInfo): ColloquyError {
  return new ColloquyError("CONFLICT", `The session key ${key} is in use by conversation ${id}`, {
    field: "key",
    details: { key, id },
  });
}

/** The time that listings are ordered by. */
export function activeAt(info: Pick<ConversationInfo, "lastMessageAt" | "createdAt">): string {
  return info.lastMessageAt ?? info.createdAt;
}

/** Whether a listing with this filter names the conversation. */
export function passesFilter(info: ConversationInfo, filter: ListFilter): boolean {
  const { channel, keyPrefix, title, model, forked, activeFrom, activeBefore } = filter;
  const at = activeAt(info);
  return (
    (channel === undefined || info.channel === channel) &&
    (model === undefined || info.model === model) &&
    (keyPrefix === undefined || info.key?.startsWith(keyPrefix) === true) &&
    (title === undefined || info.title?.toLowerCase().includes(title) === true) &&
    (forked !== true || info.branchCount > 1) &&
    (activeFrom === undefined || at >= activeFrom) &&
    (activeBefore === undefined || at < activeBefore)
  );
}

/** For engines that have all conversations in memory. */
export function facetsOf(conversations: Iterable<Pick<ConversationInfo, "channel" | "model">>): Facets {
  const channels = new Set<string>();
  const models = new Set<string>();
  for (const { channel, model } of conversations) {
    if (channel !== null) channels.add(channel);
    if (model !== null) models.add(model);
  }
  return { channels: [...channels].sort(), models: [...models].sort() };
}

/** Newest first, then by id. */
export function compareForListing(
  a: { readonly at: string; readonly id: string },
  b: { readonly at: string; readonly id: string },
): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** How many conversations the statistics list. */
export const TOP_COUNT = 5;

/** Those with the most messages, for engines that have all conversations in memory. */
export function longest(conversations: readonly ConversationInfo[]): ConversationInfo[] {
  return conversations.toSorted((a, b) => b.messageCount - a.messageCount).slice(0, TOP_COUNT);
}
