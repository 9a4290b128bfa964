/** Rules that every engine applies inside its transaction, written once. */
import { isDeepStrictEqual } from "node:util";
import { ColloquyError } from "../errors.ts";
import type { Entry } from "../message/types.ts";
import type {
  AppendOperation,
  ConversationInfo,
  CreateOperation,
  NewEntry,
  TrashOperation,
} from "./engine.ts";

export function notFound(id: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no conversation ${id}`, { details: { id } });
}

/** How an engine looks up what an append may repeat. Called only where the caller gave an id. */
export interface AppendLookup {
  readonly head: string | null;
  byOperation(operationId: string): Entry[];
  byEntryId(id: string): Entry | undefined;
}

/**
 * Decide what an append is: the entries of its first try when it is a retry,
 * `undefined` when it is new. Throws `CONFLICT` when the same id comes with
 * other content, or when the head moved.
 */
export function checkAppend(append: AppendOperation, lookup: AppendLookup): Entry[] | undefined {
  const { operationId, entries, expectedHead } = append;
  if (operationId !== undefined) {
    const written = lookup.byOperation(operationId);
    if (written.length > 0) return sameContent(entries, written, `operation ${operationId}`);
  }
  const known = entries.flatMap((entry) => (entry.idGiven ? (lookup.byEntryId(entry.id) ?? []) : []));
  const [first] = known;
  if (first !== undefined) {
    if (known.length === entries.length) return sameContent(entries, known, `entry ${first.id}`);
    throw new ColloquyError("CONFLICT", `Entry ${first.id} exists already, others of this append do not`, {
      field: "id",
      details: { id: first.id },
    });
  }
  if (expectedHead !== undefined && expectedHead !== lookup.head) {
    throw new ColloquyError(
      "CONFLICT",
      `Conversation ${append.conversation} has moved on: its head is ${lookup.head ?? "none"}`,
      { field: "expectedHead", details: { head: lookup.head } },
    );
  }
  return undefined;
}

function sameContent(wanted: readonly NewEntry[], written: Entry[], what: string): Entry[] {
  const same =
    wanted.length === written.length &&
    wanted.every((entry, index) => {
      const { id, kind, message, data } = written[index] as Entry;
      if (kind !== entry.kind || (entry.idGiven && entry.id !== id)) return false;
      return isDeepStrictEqual(JSON.parse(entry.json), message ?? data);
    });
  if (!same) {
    throw new ColloquyError("CONFLICT", `Another append has used ${what} with different content`, {
      field: what.startsWith("operation") ? "operationId" : "id",
    });
  }
  return written;
}

/** How an engine finds what a creation or a move may collide with. */
export interface ConversationLookup {
  /** Also from the trash. */
  byId(id: string): ConversationInfo | undefined;
  /** Never from the trash. */
  byKey(key: string): ConversationInfo | undefined;
}

/**
 * The conversation that a creation means, when it exists already: a retry, or
 * the holder of the key where that is asked for. `undefined` when it is to be
 * made. Throws `CONFLICT` otherwise.
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

/** Creating again with the same id asks for nothing else than what is there. */
function checkRetry(create: CreateOperation, existing: ConversationInfo): ConversationInfo {
  const members = ["key", "title", "channel", "model", "profileId"] as const;
  const differs = members.find((member) => create[member] !== null && create[member] !== existing[member]);
  if (differs === undefined && existing.deletedAt === null) return existing;
  throw new ColloquyError(
    "CONFLICT",
    `Conversation ${create.id} exists already with another ${differs ?? "state"}`,
    { field: differs ?? "id", details: { id: create.id } },
  );
}

/** The conversation that is to be moved. Throws when it is not where it should be, or its key is in use. */
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

function keyTaken({ key, id }: ConversationInfo): ColloquyError {
  return new ColloquyError("CONFLICT", `The session key ${key} is in use by conversation ${id}`, {
    field: "key",
    details: { key, id },
  });
}

/** The place of a conversation in listings. */
export function activeAt(info: Pick<ConversationInfo, "lastMessageAt" | "createdAt">): string {
  return info.lastMessageAt ?? info.createdAt;
}

/** Newest first, then by id. */
export function compareForListing(
  a: { readonly at: string; readonly id: string },
  b: { readonly at: string; readonly id: string },
): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** How many conversations the statistics name. */
export const TOP_COUNT = 5;

/** Those with the most messages, for engines that have all of them at hand. */
export function longest(conversations: readonly ConversationInfo[]): ConversationInfo[] {
  return conversations.toSorted((a, b) => b.messageCount - a.messageCount).slice(0, TOP_COUNT);
}
