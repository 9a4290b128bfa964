/** Entries of one conversation, by page or by iteration. */
import type { EntryPage } from "../../engine/index.ts";
import { toEntry } from "../../message/entry.ts";
import type { Entry } from "../../message/types.ts";
import { LIMIT_MAX, type StoreAccess } from "../access.ts";
import { encodeCursor } from "./cursor.ts";
import { readEntries } from "./entries.ts";
import { type EntryQuery, type PagePlan, planPage, WHOLE_LOG } from "./entry-query.ts";
import type { Page } from "./listing.ts";
import { infoOf, noEntry } from "./lookups.ts";

/** Pages of an iteration: large enough to be fast, small enough for memory. */
const ITERATED_ENTRIES = 500;
const ITERATED_BYTES = 8 * 1024 * 1024;

export async function readPage(
  store: StoreAccess,
  id: string,
  query: EntryQuery,
  kind: string | undefined,
): Promise<Page<Entry>> {
  const plan = planPage(query);
  const page = await storedPage(store, id, plan, await startOf(store, id, plan), kind);
  const { entries } = page;
  const edge = plan.direction === "forward" ? entries.at(-1) : entries[0];
  return { items: await presented(store, entries, plan), cursor: cursorAfter(plan, page, edge?.seq) };
}

/** A page of messages, as the JSON text of `readPage`. */
export async function readPageText(store: StoreAccess, id: string, query: EntryQuery): Promise<string> {
  const plan = planPage(query);
  const { direction, limit, bytesMax, branch, inline, ended } = plan;
  if (!ended) {
    const from = await startOf(store, id, plan);
    const selected = { conversation: id, direction, from, limit, bytesMax, branch };
    const page = await store.ask((engine) => engine.pageText(selected));
    const { json, ends, hasBlobs } = page;
    const edge = ends?.[direction === "forward" ? 1 : 0];
    if (edge !== undefined && !(hasBlobs && inline)) {
      return `{"items":${json},"cursor":${JSON.stringify(cursorAfter(plan, page, edge))}}`;
    }
  }
  // Large parts are put in place, or there is nothing: perhaps not even the conversation.
  return JSON.stringify(await readPage(store, id, query, "message"));
}

/** `edge` is the `seq` of the last entry in the direction of reading. */
function cursorAfter(
  { direction }: PagePlan,
  { more, branch = WHOLE_LOG }: Pick<EntryPage, "more" | "branch">,
  edge: number | undefined,
): string | null {
  return more && edge !== undefined ? encodeCursor("e", direction, edge, branch) : null;
}

/** Everything that the query selects, in ascending order whatever the direction of its pages. */
export async function* readAll(
  store: StoreAccess,
  id: string,
  query: EntryQuery,
  kind: string | undefined,
  first: Promise<Page<Entry>>,
): AsyncGenerator<Entry, void, undefined> {
  const iterated = { limit: ITERATED_ENTRIES, maxBytes: ITERATED_BYTES, ...query };
  const plan = planPage(iterated, Number.MAX_SAFE_INTEGER);
  if (query.last !== undefined) yield* last(store, id, plan, query.last, kind, first);
  else if (plan.direction === "forward") {
    const { items, cursor } = await first;
    yield* items;
    if (cursor === null) return;
    const { before: _, after: __, branch: ___, ...rest } = iterated;
    yield* ascending(store, id, planPage({ ...rest, cursor }), Number.POSITIVE_INFINITY, kind);
  } else {
    const end = (await startOf(store, id, plan)) ?? 0;
    yield* ascending(store, id, { ...plan, direction: "forward", from: null }, end, kind);
  }
}

/** From the start of the plan up to `end`. */
async function* ascending(
  store: StoreAccess,
  id: string,
  plan: PagePlan,
  end: number,
  kind: string | undefined,
): AsyncGenerator<Entry, void, undefined> {
  let { from, branch } = plan;
  for (let more = true; more; ) {
    const page: EntryPage = await storedPage(store, id, { ...plan, branch }, from, kind);
    const wanted = page.entries.filter(({ seq }) => seq < end);
    yield* await presented(store, wanted, plan);
    more = page.more && wanted.length === page.entries.length;
    from = page.entries.at(-1)?.seq ?? from;
    // By id: another branch may be checked out in the meantime.
    branch = page.branch ?? branch;
  }
}

/** The last `count` entries: usually one page, which has been read already. */
async function* last(
  store: StoreAccess,
  id: string,
  plan: PagePlan,
  count: number,
  kind: string | undefined,
  first: Promise<Page<Entry>>,
): AsyncGenerator<Entry, void, undefined> {
  // A page of more than that is refused, an iteration is not.
  const page = count <= LIMIT_MAX ? await first : undefined;
  if (page !== undefined && (page.cursor === null || page.items.length >= count)) yield* page.items;
  else yield* newest(store, id, plan, count, kind);
}

/** The last `count` entries. Found backwards, so they are held until the first of them is known. */
async function* newest(
  store: StoreAccess,
  id: string,
  plan: PagePlan,
  count: number,
  kind: string | undefined,
): AsyncGenerator<Entry, void, undefined> {
  const pages: Entry[][] = [];
  let { branch, limit } = plan;
  let left = count;
  for (let from: number | null = null; left > 0; ) {
    limit = Math.min(limit, left);
    const page: EntryPage = await storedPage(store, id, { ...plan, branch, limit }, from, kind);
    pages.unshift(await presented(store, page.entries, plan));
    left -= page.entries.length;
    from = page.entries[0]?.seq ?? null;
    branch = page.branch ?? branch;
    if (!page.more) break;
  }
  for (const page of pages) yield* page;
}

async function startOf(store: StoreAccess, id: string, { anchor, from }: PagePlan): Promise<number | null> {
  if (anchor === undefined) return from;
  const seq = await store.ask((engine) => engine.locate(id, anchor));
  if (seq === undefined) throw noEntry(id, anchor);
  return seq;
}

async function storedPage(
  store: StoreAccess,
  conversation: string,
  { direction, limit, bytesMax, branch, ended }: PagePlan,
  from: number | null,
  kind: string | undefined,
): Promise<EntryPage> {
  const page = ended
    ? { entries: [], more: false }
    : await store.ask((engine) =>
        engine.page({ conversation, direction, from, limit, bytesMax, kind, branch }),
      );
  // An engine has no entries of a conversation that was deleted or never existed; nor has an empty one.
  if (page.entries.length === 0) await infoOf(store, conversation);
  return page;
}

async function presented(
  store: StoreAccess,
  entries: EntryPage["entries"],
  { inline }: PagePlan,
): Promise<Entry[]> {
  return inline ? readEntries(store, entries) : entries.map(toEntry);
}
