/**
 * Which documents have the terms of a query, and how much each term says.
 *
 * The lists are bounded: of a word that half of all messages have, only the newest and those that repeat it are
 * looked at, and those that have another term, too.
 */

import type { Condition } from "../sqlite/vectors/vector-table.ts";
import { PROMINENT } from "../text/index-words.ts";
import { ENGLISH } from "../text/languages.ts";
import type { Query, Term } from "../text/query.ts";
import { stem } from "../text/stem.ts";
import { editDistance } from "../util/closest-word.ts";
import { FACETS } from "./fields.ts";
import type { IndexFile } from "./index-file.ts";

/** A term and the documents that have it. */
export interface TermMatches {
  /** Terms of one group are alternatives. */
  readonly group: number;
  /** How rare it is, with the weight of the term. */
  readonly weight: number;
  /** Ids of documents, with how often they have it, as far as that is known. */
  readonly documents: ReadonlyMap<number, number>;
}

/** Only documents within these. */
export interface Scope {
  /** Conversations by number. */
  readonly conversations?: readonly number[] | undefined;
  readonly role?: string | undefined;
  /** A part of the name of a model. */
  readonly model?: string | undefined;
  readonly tool?: string | undefined;
  readonly isCode?: boolean | undefined;
  /** `2026-01`, inclusive. */
  readonly months?: readonly [from: string | undefined, to: string | undefined] | undefined;
}

const LIST_MAX = 1000;
/** What a word that is repeated counts as. */
const REPEATED = 4;
const ONCE = 1.2;

/** The terms of a query with the documents that have them. */
export function findCandidates(file: IndexFile, query: Query, scope: Scope): TermMatches[] {
  const count = file.lastDocument;
  if (count === 0) return [];
  const within = scopeExpression(file, scope);
  if (within === undefined) return [];
  const excluded = query.excluded.map(expressionOf).join(" OR ");
  const lists = new Lists(file, within, excluded, scope.conversations);
  const found = query.terms.map((term) => {
    const text = expressionOf(term);
    return { term, text, ...lists.newest(text) };
  });
  const spread = found.map((one) => alike(file, lists, one));
  const rare = spread.filter(({ isCut }) => !isCut);
  const cut = spread.filter(({ isCut }) => isCut);
  const matches = spread.map(({ term, text, ids, isCut, lowest, weight }) => {
    const documents = new Map(ids.map((id) => [id, ONCE]));
    const more = !isCut
      ? []
      : lists.together(text, rare.length > 0 ? rare : cut.filter((one) => one.text !== text));
    for (const id of more) documents.set(id, ONCE);
    for (const id of repeatedIn(lists, term)) documents.set(id, REPEATED);
    const frequency = isCut ? (ids.length * count) / Math.max(1, count - lowest + 1) : documents.size;
    return { group: term.group, weight: weight * rarity(Math.min(frequency, count), count), documents };
  });
  return [...matches, ...roleMatches(lists, spread)];
}

const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "system"]);
/** Half of all messages have the same role: it only decides between messages that are alike. */
const ROLE_WEIGHT = 0.7;

/** "What did the assistant say about …": the role of a message is as good as the word, if it has other terms. */
function roleMatches(lists: Lists, found: readonly Found[]): TermMatches[] {
  return found
    .filter(({ term: { kind, words } }) => kind === "word" && ROLES.has(words[0] as string))
    .map((one) => {
      const others = found.filter(({ term }) => term.group !== one.term.group);
      const ids = lists.together(quoted(FACETS.role(one.term.words[0] as string)), others);
      return {
        group: one.term.group,
        weight: ROLE_WEIGHT,
        documents: new Map(ids.map((id) => [id, ONCE])),
      };
    });
}

function rarity(frequency: number, count: number): number {
  return Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5));
}

interface Found {
  readonly term: Term;
  readonly text: string;
  readonly ids: readonly number[];
  readonly isCut: boolean;
  readonly lowest: number;
}

const ALIKE_WEIGHT = 0.6;

/** A word that no document has may have been mistyped. */
function alike(file: IndexFile, lists: Lists, found: Found): Found & { readonly weight: number } {
  const { term, ids } = found;
  if (ids.length > 0 || term.kind !== "word") return { ...found, weight: term.weight };
  const words = similarWords(file, term.words[0] as string);
  if (words.length === 0) return { ...found, weight: term.weight };
  const text = words.map(quoted).join(" OR ");
  return { term, text, ...lists.newest(text), weight: term.weight * ALIKE_WEIGHT };
}

function repeatedIn(lists: Lists, { kind, sequences }: Term): readonly number[] {
  if (kind !== "word") return [];
  const text = sequences.map(([word]) => quoted(PROMINENT + word)).join(" OR ");
  return lists.newest(text).ids;
}

/** As a MATCH expression. */
function expressionOf({ kind, sequences }: Term): string {
  const texts = sequences.map((words) => quoted(words.join(" ")) + (kind === "prefix" ? "*" : ""));
  return texts.length === 1 ? (texts[0] as string) : `(${texts.join(" OR ")})`;
}

function quoted(words: string): string {
  return `"${words.replaceAll('"', '""')}"`;
}

/** Queries of the lists of `words`. */
class Lists {
  readonly #file: IndexFile;
  readonly #within: string;
  readonly #excluded: string;
  readonly #conversations: readonly number[] | undefined;

  constructor(
    file: IndexFile,
    within: string,
    excluded: string,
    conversations: readonly number[] | undefined,
  ) {
    this.#file = file;
    this.#within = within;
    this.#excluded = excluded;
    this.#conversations = conversations;
  }

  newest(text: string): { ids: number[]; isCut: boolean; lowest: number } {
    const ids = this.#ids(text);
    return { ids, isCut: ids.length === LIST_MAX, lowest: ids.at(-1) ?? 0 };
  }

  /** Documents that have one of the other terms, too. */
  together(text: string, others: readonly Found[]): number[] {
    if (others.length === 0) return [];
    return this.#ids(`${text} AND (${others.map((other) => other.text).join(" OR ")})`);
  }

  #ids(text: string): number[] {
    const inScope = this.#within === "" ? text : `(${text}) AND ${this.#within}`;
    const match = this.#excluded === "" ? inScope : `(${inScope}) NOT (${this.#excluded})`;
    if (this.#conversations !== undefined) return this.#idsWithin(match, this.#conversations);
    return this.#read(
      "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
      match,
      LIST_MAX,
    );
  }

  /** Of some conversations: by the ranges of their documents, which are few. */
  #idsWithin(match: string, conversations: readonly number[]): number[] {
    const ranges = rangesOf(this.#file, conversations);
    if (ranges === undefined) {
      const sql = `SELECT words.rowid AS rowid FROM words JOIN documents ON documents.id = words.rowid
        WHERE words MATCH ? AND conversation IN (SELECT value FROM json_each(?)) ORDER BY words.rowid DESC LIMIT ?`;
      return this.#read(sql, match, JSON.stringify(conversations), LIST_MAX);
    }
    const sql =
      "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?";
    return ranges.flatMap(([from, to]) => this.#read(sql, match, from, to, LIST_MAX)).slice(0, LIST_MAX);
  }

  #read(sql: string, ...parameters: (string | number)[]): number[] {
    // Numbers would be bound as REAL, which FTS5 does not compare with row numbers.
    const bound = parameters.map((value) => (typeof value === "number" ? BigInt(value) : value));
    return this.#file.rows<{ readonly rowid: number }>(sql, ...bound).map(({ rowid }) => rowid);
  }
}

const RANGES_MAX = 64;

/** From the newest to the oldest; `undefined` when there are too many, or when one is spread far. */
function rangesOf(file: IndexFile, conversations: readonly number[]): [number, number][] | undefined {
  if (conversations.length > 4) return undefined;
  const ranges: [number, number][] = [];
  for (const conversation of conversations) {
    for (const { id } of file.documentsIn(conversation)) {
      const last = ranges.at(-1);
      if (last !== undefined && id === last[1] + 1) last[1] = id;
      else ranges.push([id, id]);
      if (ranges.length > RANGES_MAX) return undefined;
    }
  }
  return ranges.sort((one, other) => other[0] - one[0]);
}

/** Filters as a MATCH expression; `undefined` when nothing can match. */
function scopeExpression(file: IndexFile, { role, model, tool, isCode, months }: Scope): string | undefined {
  const all: string[] = [];
  if (role !== undefined) all.push(quoted(FACETS.role(role)));
  if (tool !== undefined) all.push(quoted(FACETS.tool(tool)));
  if (isCode) all.push(quoted(FACETS.code));
  if (model !== undefined) {
    const prefix = FACETS.model("");
    const names = facetsFrom(file, prefix).filter((name) =>
      name.includes(model.toLowerCase(), prefix.length),
    );
    if (names.length === 0) return undefined;
    all.push(`(${names.map(quoted).join(" OR ")})`);
  }
  if (months !== undefined) {
    const [from = "", to = "~"] = months;
    const names = facetsFrom(file, FACETS.month("")).filter(
      (name) => name >= FACETS.month(from) && name <= FACETS.month(to),
    );
    if (names.length === 0) return undefined;
    all.push(`(${names.map(quoted).join(" OR ")})`);
  }
  return all.join(" AND ");
}

/** The same as a condition on `item`, which is a document. */
export function vectorCondition(file: IndexFile, scope: Scope): Condition | undefined {
  const match = scopeExpression(file, scope);
  if (match === undefined) return undefined;
  const all: [string, string][] = [];
  if (match !== "") all.push(["item IN (SELECT rowid FROM words WHERE words MATCH ?)", match]);
  if (scope.conversations !== undefined) {
    const sql = "item IN (SELECT id FROM documents WHERE conversation IN (SELECT value FROM json_each(?)))";
    all.push([sql, JSON.stringify(scope.conversations)]);
  }
  return { sql: all.map(([sql]) => sql).join(" AND ") || "TRUE", values: all.map(([, value]) => value) };
}

/** Every facet that begins with this. */
function facetsFrom(file: IndexFile, prefix: string): string[] {
  const found: string[] = [];
  // One by one: `vocabulary` would read every document of each.
  const next = file.prepare("SELECT term FROM instances WHERE term > ? AND term < ? LIMIT 1");
  for (let last = prefix; ; ) {
    const term = next.get(last, `${prefix}\uffff`)?.term as string | undefined;
    if (term === undefined) return found;
    found.push(term);
    last = term;
  }
}

const SIMILAR_MAX = 8;
const SIMILAR_SCAN = 20_000;
const SIMILAR_CHARS_MIN = 4;

/** Indexed words that may be meant: those that begin with it, or else those in which few letters differ. */
function similarWords(file: IndexFile, word: string): string[] {
  if (word.length < SIMILAR_CHARS_MIN) return [];
  // Somebody is still typing: the search below would take longer than the answer may after each key.
  const begun = termsFrom(file, word, SIMILAR_MAX);
  if (begun.length > 0) return begun;
  const limit = word.length < 8 ? 1 : 2;
  const typed = [word, stem(word, ENGLISH)];
  const stepsTo = (term: string): number => Math.min(...typed.map((form) => editDistance(form, term)));
  return termsFrom(file, word.slice(0, 2), SIMILAR_SCAN)
    .map((term) => ({ term, steps: stepsTo(term) }))
    .filter(({ steps }) => steps <= limit)
    .sort((one, other) => one.steps - other.steps)
    .slice(0, SIMILAR_MAX)
    .map(({ term }) => term);
}

/** Indexed words with this beginning. */
function termsFrom(file: IndexFile, start: string, max: number): string[] {
  return file
    .prepare("SELECT term FROM vocabulary WHERE term >= ? AND term < ? LIMIT ?")
    .all(start, `${start}\uffff`, max)
    .map(({ term }) => String(term));
}
