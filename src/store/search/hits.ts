/** Turns ranked messages into hits. The store decides: what it no longer has is not a hit. */
import type { ConversationInfo } from "../../engine/index.ts";
import type { Role } from "../../message/types.ts";
import {
  type Field,
  fieldTexts,
  type RankedMessage,
  type SearchIndex,
  type SearchSource,
} from "../../search/index.ts";
import type { Query } from "../../text/query.ts";
import { findTerms, type Match, phraseTest, type Span, snippetOf } from "../../text/snippet.ts";
import { holds, pathOf, unreachable } from "../../tree/path.ts";
import type { LogEnd } from "../../tree/place-entries.ts";
import { branchById, branchByName, ownerOf } from "../../tree/tree.ts";
import { entryAt } from "../read/lookups.ts";
import type { SearchAccess } from "./source.ts";

export interface SearchHit {
  /** The id of the conversation. */
  readonly conversation: string;
  readonly key: string | null;
  readonly title: string | null;
  /** The id of the message, to show it in its place. For a title, the first message; `null` if there is none. */
  readonly entry: string | null;
  readonly seq: number | null;
  /** The branch that the message is on. */
  readonly branch: string;
  /** Whether it is on the checked-out branch. */
  readonly active: boolean;
  readonly role: Role | null;
  /** The model that wrote it, if the message says so. */
  readonly model: string | null;
  readonly at: string;
  /** A part of the text, on one line. */
  readonly snippet: string;
  /** Where the words of the query are in the snippet, from and to, in UTF-16 units. */
  readonly highlights: readonly Span[];
  /** Higher is better; comparable within one search. */
  readonly score: number;
}

/** How much the words as they were typed add to a score, over other forms of them. */
const EXACT_PART = 0.2;
const MAIN_NAME = "main";

/** Looks up hits, and what it has read of their conversations. */
export class Hits {
  readonly #store: SearchAccess;
  readonly #source: SearchSource;
  readonly #index: SearchIndex;
  readonly #query: Query;
  /** Of phrases without an alternative. */
  readonly #phrases: readonly ((text: string) => boolean)[];
  readonly #infos = new Map<string, Promise<ConversationInfo | undefined>>();
  readonly #ends = new Map<string, Promise<LogEnd | undefined>>();

  constructor(store: SearchAccess, source: SearchSource, index: SearchIndex, query: Query) {
    this.#store = store;
    this.#source = source;
    this.#index = index;
    this.#query = query;
    const single = query.terms.filter(
      (term) => term.isRequired && query.terms.every((other) => other === term || other.group !== term.group),
    );
    this.#phrases = single.map(phraseTest).filter((test) => test !== undefined);
  }

  /** `undefined` if it is not one: it was erased, lacks a phrase, has an excluded word or is on another branch. */
  async of(message: RankedMessage): Promise<SearchHit | undefined> {
    const id = this.#index.conversationByNumber(message.conversation)?.id;
    if (id === undefined) return undefined;
    return message.position === 0 ? this.#titleHit(id, message) : this.#messageHit(id, message);
  }

  async #titleHit(id: string, message: RankedMessage): Promise<SearchHit | undefined> {
    const info = await this.#infoOf(id);
    if (info === undefined) return undefined;
    const { key, title, createdAt } = info;
    const found = this.#found({ title: title ?? "" });
    if (title === null || found === undefined || found.matches.length === 0) return undefined;
    const [first] = this.#index.documentsAt({ ...message, position: 1 });
    const entry = first && (await entryAt(this.#store, id, first.seq));
    return {
      ...{ conversation: id, key, title, entry: entry?.id ?? null, seq: entry?.seq ?? null },
      ...{ branch: MAIN_NAME, active: true, role: null, model: null, at: entry?.at ?? createdAt },
      ...snippetOf(title, found.matches),
      score: message.score * (1 + found.bonus),
    };
  }

  async #messageHit(id: string, message: RankedMessage): Promise<SearchHit | undefined> {
    const seq = message.seq ?? this.#index.documentsAt(message)[0]?.seq;
    if (seq === undefined) return undefined;
    const stored = await entryAt(this.#store, id, seq);
    if (stored?.message === undefined) return undefined;
    const entry = stored.blobs === undefined ? stored : await this.#source.fill(stored);
    // First of all, because most candidates of a phrase do not have it.
    const found = this.#found(entry.message === undefined ? {} : fieldTexts(entry.message));
    const info = found && (await this.#infoOf(id));
    const place = info && (await this.#placeOf(id, seq));
    if (found === undefined || info === undefined || place === undefined) return undefined;
    return {
      ...{
        conversation: id,
        key: info.key,
        title: info.title,
        entry: stored.id,
        seq: stored.seq,
        ...place,
      },
      ...{ role: stored.message.role, model: stored.message.model ?? null, at: stored.at },
      ...snippetOf(found.text, found.matches),
      score: message.score * (1 + found.bonus),
    };
  }

  /** The field with the most terms. `undefined` if a phrase is missing, or an excluded word is there. */
  #found(
    texts: Readonly<Partial<Record<Field, string>>>,
  ): { text: string; matches: Match[]; bonus: number } | undefined {
    const { terms, excluded } = this.#query;
    if (this.#phrases.some((test) => !Object.values(texts).some(test))) return undefined;
    const found = Object.values(texts).map((text) => ({ text, matches: findTerms(text, terms) }));
    const has = new Set(found.flatMap(({ matches }) => matches.map(({ term }) => term)));
    const required = terms.flatMap(({ isRequired, group }, index) => (isRequired ? [{ group, index }] : []));
    const isMissing = required.some(
      ({ group, index }) =>
        !has.has(index) && !terms.some((other, at) => other.group === group && has.has(at)),
    );
    if (isMissing) return undefined;
    if (excluded.length > 0 && found.some(({ text }) => findTerms(text, excluded).length > 0))
      return undefined;
    const distinct = ({ matches }: { matches: readonly Match[] }): number =>
      new Set(matches.map(({ term }) => term)).size;
    const best = found.reduce(
      (one, other) => (distinct(other) > distinct(one) ? other : one),
      found[0] ?? NOTHING,
    );
    const exact = new Set(best.matches.filter(({ isExact }) => isExact).map(({ term }) => term)).size;
    return { ...best, bonus: (EXACT_PART * exact) / Math.max(1, terms.length) };
  }

  async #placeOf(id: string, seq: number): Promise<{ branch: string; active: boolean } | undefined> {
    const end = await this.#endOf(id);
    if (end === undefined) return undefined;
    const { tree, lastSeq } = end;
    if (holds(unreachable(tree, lastSeq), seq)) return undefined;
    const active = holds(pathOf(tree, tree.active, lastSeq), seq);
    const { branch: wanted } = this.#query.filters;
    if (wanted === "active" && !active) return undefined;
    if (wanted !== undefined && wanted !== "active") {
      const branch = branchByName(tree, wanted);
      if (branch === undefined || !holds(pathOf(tree, branch.id, lastSeq), seq)) return undefined;
    }
    return { branch: branchById(tree, ownerOf(tree, seq))?.name ?? MAIN_NAME, active };
  }

  /** Of a conversation that is not in the trash. */
  #infoOf(id: string): Promise<ConversationInfo | undefined> {
    let known = this.#infos.get(id);
    if (known === undefined) {
      known = this.#source.info(id).then((info) => (info?.deletedAt === null ? info : undefined));
      this.#infos.set(id, known);
    }
    return known;
  }

  #endOf(id: string): Promise<LogEnd | undefined> {
    let known = this.#ends.get(id);
    if (known === undefined) {
      known = this.#store.ask((engine) => engine.logEnd(id));
      this.#ends.set(id, known);
    }
    return known;
  }
}

const NOTHING: { text: string; matches: Match[] } = { text: "", matches: [] };
