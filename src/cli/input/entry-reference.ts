import { ColloquyError, invalid } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import { checkEntryId } from "../../message/validate.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Listing } from "../../store/index.ts";
import { encodeCursor } from "../../store/read/cursor.ts";
import { WHOLE_LOG } from "../../store/read/entry-query.ts";

/** The path of a branch, or the whole log. Default: the path of the checked-out branch. */
export interface Scope {
  readonly branch?: string;
  readonly all?: boolean;
}

/** Resolve an entry that was named by its id, its number in `sessions show`, or its label. */
export async function entryIdOf(conversation: Conversation, text: string): Promise<string> {
  if (await hasEntry(conversation, text)) return text;
  const found = (await byNumber(conversation, text)) ?? (await byLabel(conversation, text));
  if (found === undefined) throw noEntry(text);
  return found;
}

/** For changes that cannot be undone: a number meant as an id must not match another entry. */
export async function exactEntryId(conversation: Conversation, text: string): Promise<string> {
  if (await hasEntry(conversation, text)) return text;
  const meant = await entryIdOf(conversation, text);
  throw invalid(`This cannot be undone and requires the id of the entry: "${text}" is ${meant}`, "ENTRY");
}

export function checkEntry(text: string): string {
  return checkEntryId(text, "ENTRY");
}

async function hasEntry(conversation: Conversation, id: string): Promise<boolean> {
  try {
    await conversation.entries({ after: id, limit: 1, all: true });
    return true;
  } catch (error) {
    if (error instanceof ColloquyError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

async function byNumber(conversation: Conversation, text: string): Promise<string | undefined> {
  if (!/^[1-9]\d{0,14}$/.test(text)) return undefined;
  return (await entryAt(conversation, Number(text), { all: true }))?.id;
}

/** The entry with this number, if it is in the scope. */
export async function entryAt(
  conversation: Conversation,
  seq: number,
  scope: Scope,
): Promise<Entry | undefined> {
  const [entry] = (await entriesAfter(conversation, seq - 1, scope, { limit: 1 })).items;
  return entry?.seq === seq ? entry : undefined;
}

/** The entries after this number, which itself may be pruned. */
export function entriesAfter(
  conversation: Conversation,
  seq: number,
  scope: Scope,
  limit: { readonly limit?: number } = {},
): Listing<Entry> {
  return conversation.entries({ ...scope, ...limit, cursor: encodeCursor("e", "forward", seq, WHOLE_LOG) });
}

/** The entry with this id, on any branch. */
export async function entryOf(conversation: Conversation, id: string): Promise<Entry | undefined> {
  const [next] = (await conversation.entries({ after: id, limit: 1, all: true })).items;
  const place = next === undefined ? { last: 1 } : { before: next.id, limit: 1 };
  const [entry] = (await conversation.entries({ ...place, all: true })).items;
  return entry?.id === id ? entry : undefined;
}

async function byLabel(conversation: Conversation, text: string): Promise<string | undefined> {
  const [found, another] = (await conversation.labels()).filter(({ label }) => label === text);
  if (another !== undefined) throw invalid(`Several entries have the label "${text}"; use an id`, "ENTRY");
  return found?.entry;
}

function noEntry(text: string): ColloquyError {
  const expected = 'use an id, a number from "sessions show", or a label';
  return new ColloquyError("NOT_FOUND", `Entry "${text}" not found: ${expected}`, { field: "ENTRY" });
}
