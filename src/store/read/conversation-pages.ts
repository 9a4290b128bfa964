/** The conversations of a store, by page or by iteration. Reads no messages. */
import { activeAt, type ConversationInfo, type ListFilter } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { checkLabel, checkProperties } from "../../message/validate.ts";
import { parseTime } from "../../util/time.ts";
import { checkCount, checkTime, type StoreAccess } from "../access.ts";
import { withContextState } from "./context-state.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { firstWords } from "./first-words.ts";
import { lastWords } from "./last-words.ts";
import type { Page } from "./listing.ts";

export interface ConversationQuery {
  /** Conversations in the trash instead. */
  readonly trash?: boolean;
  /** Exactly this channel. */
  readonly channel?: string;
  /** Session keys that begin with this. It is normalised like a key. */
  readonly keyPrefix?: string;
  /** Part of the title, case-insensitive. */
  readonly title?: string;
  /** Exactly this model. */
  readonly model?: string;
  /** Only those with more branches than `main`. */
  readonly forked?: boolean;
  /** Active at this time or later, by `lastMessageAt ?? createdAt`. ISO 8601. */
  readonly after?: string;
  /** Active before this time. */
  readonly before?: string;
  /** Also return `firstWords`, which reads the first messages of conversations without a title. */
  readonly firstWords?: boolean;
  /** Also return `lastWords`, which reads the last message of each conversation. */
  readonly lastWords?: boolean;
  /** Page size. Default: 50, at most 10,000. */
  readonly limit?: number;
  /** From the previous page. `null`, as on the last page, returns an empty page. */
  readonly cursor?: string | null;
}

/** A conversation in a list. */
export interface ListedConversation extends ConversationInfo {
  /** With `firstWords`: the first words of the user, if there is no title. Not stored. */
  readonly firstWords?: string | null;
  /** With `lastWords`: the last words on the checked-out branch, in any role. Not stored. */
  readonly lastWords?: string | null;
}

const LIMIT_DEFAULT = 50;
const ITERATED_LIMIT = 1000;
const QUERY_PROPERTIES: ReadonlySet<string> = new Set([
  ...["trash", "limit", "cursor", "firstWords", "lastWords"],
  ...["channel", "keyPrefix", "title", "model", "forked", "after", "before"],
]);

export async function listPage(
  store: StoreAccess,
  query: ConversationQuery,
): Promise<Page<ListedConversation>> {
  checkProperties(query, QUERY_PROPERTIES, "query");
  const { trash = false, cursor } = query;
  const limit = checkCount(query.limit ?? LIMIT_DEFAULT, "limit");
  const filter = filterOf(store, query);
  const after = typeof cursor === "string" ? placeOf(cursor) : undefined;
  const found = await store.ask((engine) =>
    cursor === null ? [] : engine.list({ trash: trash === true, limit: limit + 1, after, filter }),
  );
  const page = found.slice(0, limit);
  const first = query.firstWords === true ? await firstWords(store, page) : undefined;
  const ending = query.lastWords === true ? await lastWords(store, page) : undefined;
  const items: ListedConversation[] = await Promise.all(
    page.map(async (info) => ({
      ...(await withContextState(store, info)),
      ...(first && { firstWords: first.get(info.id) ?? null }),
      ...(ending && { lastWords: ending.get(info.id) ?? null }),
    })),
  );
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items, cursor: more ? encodeCursor("c", activeAt(last), last.id) : null };
}

export async function* listAll(
  store: StoreAccess,
  query: ConversationQuery,
  first: Promise<Page<ListedConversation>>,
): AsyncGenerator<ListedConversation, void, undefined> {
  for (let page = await first; ; ) {
    yield* page.items;
    if (page.cursor === null) return;
    page = await listPage(store, { limit: ITERATED_LIMIT, ...query, cursor: page.cursor });
  }
}

function placeOf(cursor: string): { at: string; id: string } {
  const [at, id] = decodeCursor("c", cursor, ["string", "string"]) as [string, string];
  if (parseTime(at) === undefined) throw invalid("Invalid cursor", "cursor");
  return { at, id };
}

function filterOf({ keys }: StoreAccess, query: ConversationQuery): ListFilter | undefined {
  const { channel, keyPrefix, title, model, forked, after, before } = query;
  const filter: ListFilter = {
    ...(channel !== undefined && { channel: checkLabel(channel, "channel") }),
    ...(keyPrefix !== undefined && { keyPrefix: keys.resolvePrefix(keyPrefix) }),
    ...(title !== undefined && { title: checkLabel(title, "title").toLowerCase() }),
    ...(model !== undefined && { model: checkLabel(model, "model") }),
    ...(forked === true && { forked }),
    ...(after !== undefined && { activeFrom: checkTime(after, "after") }),
    ...(before !== undefined && { activeBefore: checkTime(before, "before") }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
