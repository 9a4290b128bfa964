/** Search over the conversations of a store. See `store.search`. */

import { asColloquyError, invalid } from "../../errors.ts";
import type { DocumentRow, IndexedConversation, RankedMessage, SearchSource } from "../../search/index.ts";
import { FIELDS, SearchIndex, type SemanticModel } from "../../search/index.ts";
import { parseQuery, type Query } from "../../text/query.ts";
import { encodeCursor } from "../read/cursor.ts";
import { Hits, type SearchHit } from "./hits.ts";
import { type CheckedSearch, checkSearch, type SearchOptions } from "./search-query.ts";
import { type SearchAccess, searchSource } from "./source.ts";

export interface SearchPage {
  readonly hits: SearchHit[];
  /** Pass it as `cursor` to continue. `null` at the end. */
  readonly cursor: string | null;
  /** Whether everything that the store has was searched. If not, the index is being built: search again later. */
  readonly indexed: boolean;
}

/** Hits that can be awaited for a page or iterated for all. */
export interface SearchListing extends Promise<SearchPage>, AsyncIterable<SearchHit> {}

/** A search answers with what it has when the index is not complete by then. */
const UPDATE_WAIT_MS = 2000;
/** So many more hits than a page has are compared by their text. The order of the others is that of the index. */
const COMPARED_MORE = 1;
/** Messages that are read for a page, though they may lack a phrase or be on another branch. */
const TRIES_MAX = 500;
const HITS_MAX = 1000;

export interface Searching {
  readonly store: SearchAccess;
  readonly source: SearchSource;
  readonly index: SearchIndex;
  /** Whether there is a model for search by meaning. */
  readonly isSemantic: boolean;
}

/** `path` is the file of the index, or `null`. */
export function openSearching(
  store: SearchAccess,
  path: string | null,
  semantic: SemanticModel | undefined,
): Searching {
  const source = searchSource(store);
  const index = new SearchIndex({ source, path, semantic, onProblem: (problem) => store.problem(problem) });
  return { store, source, index, isSemantic: semantic !== undefined };
}

export async function searchPage(
  searching: Searching,
  text: string,
  options: SearchOptions,
): Promise<SearchPage> {
  const { store, index } = searching;
  const checked = checkSearch(store, text, options);
  await store.ask(() => undefined);
  if (checked.mode !== "keyword" && !searching.isSemantic) {
    throw invalid(`mode ${checked.mode} needs an embedding model: openStore(target, { semantic })`, "mode");
  }
  let indexed = await isComplete(searching, checked);
  const { skip, limit } = checked;
  if (skip === undefined) return { hits: [], cursor: null, indexed };
  let hits = await hitsUpTo(searching, text, checked, skip + limit);
  if (index.hasFailed) {
    indexed = await isComplete(searching, checked);
    hits = await hitsUpTo(searching, text, checked, skip + limit);
    if (index.hasFailed) indexed = false;
  }
  // The index of a store that was closed meanwhile finds nothing.
  await store.ask(() => undefined);
  const page = hits.slice(skip, skip + limit);
  const more = hits.length > skip + limit;
  return { hits: page, cursor: more ? encodeCursor("s", skip + limit) : null, indexed };
}

/** Bring the index up to date. A model that fails is an error only if there is nothing else to search by. */
async function isComplete({ store, index }: Searching, { mode }: CheckedSearch): Promise<boolean> {
  const endMs = performance.now() + UPDATE_WAIT_MS;
  const hasWords = await index.update(UPDATE_WAIT_MS);
  if (mode === "keyword") return hasWords;
  try {
    return (await index.updateVectors(Math.max(0, endMs - performance.now()))) && hasWords;
  } catch (error) {
    if (mode === "semantic") throw error;
    store.problem(asColloquyError(error, "The embedding model failed"));
    return false;
  }
}

/** Some more than `count`, if there are. */
async function hitsUpTo(
  searching: Searching,
  text: string,
  checked: CheckedSearch,
  count: number,
): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  for await (const hit of ranked(searching, text, checked)) {
    hits.push(hit);
    if (hits.length > count || hits.length >= HITS_MAX) break;
  }
  return hits;
}

export async function* searchAll(
  searching: Searching,
  text: string,
  options: SearchOptions,
  first: Promise<SearchPage>,
): AsyncGenerator<SearchHit, void, undefined> {
  for (let page = await first; ; ) {
    yield* page.hits;
    if (page.cursor === null) return;
    page = await searchPage(searching, text, { limit: 100, ...options, cursor: page.cursor });
  }
}

/** Every hit in its order. */
async function* ranked(
  searching: Searching,
  text: string,
  checked: CheckedSearch,
): AsyncGenerator<SearchHit, void, undefined> {
  const { store, source, index } = searching;
  const parsed = parseQuery(text, index.languages);
  const query: Query = { ...parsed, filters: { ...parsed.filters, ...checked.filters } };
  const messages = await candidates(searching, text, query, checked);
  const hits = new Hits(store, source, index, query);
  const compared: SearchHit[] = [];
  let next = 0;
  const last = Math.min(messages.length, (checked.skip ?? 0) + TRIES_MAX);
  while (next < last && compared.length < checked.limit + COMPARED_MORE) {
    const hit = await hits.of(messages[next++] as RankedMessage);
    if (hit !== undefined) compared.push(hit);
  }
  compared.sort((one, other) =>
    checked.order === "newest" ? other.at.localeCompare(one.at) : other.score - one.score,
  );
  yield* compared;
  for (; next < last; next++) {
    const hit = await hits.of(messages[next] as RankedMessage);
    if (hit !== undefined) yield hit;
  }
}

async function candidates(
  searching: Searching,
  text: string,
  query: Query,
  { conversation, mode }: CheckedSearch,
): Promise<RankedMessage[]> {
  const { store, index } = searching;
  const { filters } = query;
  const conversations = await conversationsOf(store, index, query, conversation);
  if (conversations?.length === 0 || query.terms.length === 0) return [];
  const { role, model, tool, after, before } = filters;
  const months =
    after === undefined && before === undefined
      ? undefined
      : ([after?.slice(0, 7), before?.slice(0, 7)] as const);
  const scope = { conversations, role, model, tool, isCode: filters.is === "code", months };
  const accepts = rowFilter(query);
  const byMeaning = mode === "keyword" ? [] : await closest(searching, text, scope, accepts, mode);
  if (mode === "semantic") return byMeaning;
  // A title says what the messages after it are about; it is a hit itself only when titles are searched.
  const byWords = index
    .rank(query, scope, accepts)
    .filter(({ position }) => position > 0 || filters.in === "title");
  const ranked =
    filters.in !== undefined || isNarrow(query) ? byWords.filter(({ isMatch }) => isMatch) : byWords;
  return byMeaning.length === 0 ? ranked : fused(ranked, byMeaning);
}

/** Without the model, a search by both is one by words. */
async function closest(
  { store, index }: Searching,
  text: string,
  scope: Parameters<SearchIndex["closest"]>[1],
  accepts: (row: DocumentRow) => boolean,
  mode: "semantic" | "hybrid",
): Promise<RankedMessage[]> {
  try {
    return await index.closest(text, scope, accepts);
  } catch (error) {
    if (mode === "semantic") throw error;
    store.problem(asColloquyError(error, "The embedding model failed"));
    return [];
  }
}

/** A usual constant: the first few places do not count for everything. */
const RECIPROCAL_K = 20;

/** By the places in both lists, because their scores cannot be compared. */
function fused(byWords: readonly RankedMessage[], byMeaning: readonly RankedMessage[]): RankedMessage[] {
  const all = new Map<string, RankedMessage>();
  for (const list of [byWords, byMeaning]) {
    for (const [place, message] of list.entries()) {
      const key = `${message.conversation} ${message.position}`;
      const before = all.get(key);
      const score = (before?.score ?? 0) + 1 / (RECIPROCAL_K + place);
      all.set(key, { ...message, score, isMatch: message.isMatch || before?.isMatch === true });
    }
  }
  return [...all.values()].sort((one, other) => other.score - one.score);
}

/** From two words on, a query may be a question, and its answer need not repeat them. */
const QUESTION_WORDS_MIN = 2;

/** With one word, a phrase or filters on messages, a neighbour of a hit is not one itself. */
function isNarrow({ filters, terms }: Query): boolean {
  if (new Set(terms.map(({ group }) => group)).size < QUESTION_WORDS_MIN) return true;
  const { role, model, tool, is, after, before, branch } = filters;
  const isFiltered = [role, model, tool, is, after, before, branch].some((filter) => filter !== undefined);
  return isFiltered || terms.some(({ isRequired }) => isRequired);
}

function rowFilter({ filters }: Query): (row: DocumentRow) => boolean {
  const field = filters.in === undefined ? undefined : FIELDS.indexOf(filters.in);
  const from = filters.after === undefined ? undefined : Date.parse(filters.after) / 1000;
  const to = filters.before === undefined ? undefined : Date.parse(filters.before) / 1000;
  return (row) =>
    (field === undefined || row.field === field) &&
    (from === undefined || row.at >= Math.floor(from)) &&
    (to === undefined || row.at < to);
}

/** The numbers of the conversations that are searched; `undefined` for all. */
async function conversationsOf(
  store: SearchAccess,
  index: SearchIndex,
  { filters }: Query,
  conversation: string | undefined,
): Promise<number[] | undefined> {
  const { channel, key } = filters;
  const checks: ((found: IndexedConversation) => boolean)[] = [];
  if (conversation !== undefined) {
    const forms = conversation.includes(":") ? store.keys.forms(conversation) : [];
    checks.push(({ id, key: own }) => id === conversation || (own !== null && forms.includes(own)));
  }
  if (channel !== undefined) checks.push((found) => found.channel?.toLowerCase() === channel.toLowerCase());
  if (key !== undefined) {
    const prefix = resolvedPrefix(store, key);
    checks.push((found) => found.key?.startsWith(prefix) === true);
  }
  return checks.length === 0
    ? undefined
    : index.conversationsWhere((found) => checks.every((check) => check(found)));
}

/** A prefix that cannot be normalised is compared as it is. */
function resolvedPrefix({ keys }: SearchAccess, prefix: string): string {
  try {
    return keys.resolvePrefix(prefix);
  } catch {
    return prefix;
  }
}
