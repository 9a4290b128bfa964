/** The conversations of a store, a page at a time or all of them. Reads no messages. */
import { activeAt, type ConversationInfo } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { parseTime } from "../../util/time.ts";
import { checkCount, copyOf, type StoreAccess } from "../access.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Page } from "./listing.ts";

export interface ConversationQuery {
  /** The conversations in the trash instead of the others. */
  readonly trash?: boolean;
  /** At most this many in a page. Default 50, at most 10,000. */
  readonly limit?: number;
  /** From the page before. `null`, as the last page has it, is an empty page. */
  readonly cursor?: string | null;
}

const LIMIT_DEFAULT = 50;
const ITERATED_LIMIT = 1000;
const QUERY_PROPERTIES: ReadonlySet<string> = new Set(["trash", "limit", "cursor"]);

export async function listPage(
  store: StoreAccess,
  query: ConversationQuery,
): Promise<Page<ConversationInfo>> {
  checkProperties(query, QUERY_PROPERTIES, "query");
  const { trash = false, cursor } = query;
  const limit = checkCount(query.limit ?? LIMIT_DEFAULT, "limit");
  const after = typeof cursor === "string" ? placeOf(cursor) : undefined;
  const found = await store.ask((engine) =>
    cursor === null ? [] : engine.list({ trash: trash === true, limit: limit + 1, after }),
  );
  const items = found.slice(0, limit).map(copyOf);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items, cursor: more ? encodeCursor("c", activeAt(last), last.id) : null };
}

export async function* listAll(
  store: StoreAccess,
  query: ConversationQuery,
  first: Promise<Page<ConversationInfo>>,
): AsyncGenerator<ConversationInfo, void, undefined> {
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
