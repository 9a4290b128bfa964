/** What a store and a memory know about a question. */
import type { Memory } from "../../../memory/memory.ts";
import type { FoundChunk } from "../../../memory/recall/searcher.ts";
import { textOf } from "../../../message/text.ts";
import { firstWordsOf } from "../../../message/title.ts";
import type { SearchHit } from "../../../store/search/hits.ts";
import type { Store } from "../../../store/store.ts";
import { defined } from "../../../util/json.ts";

export const OFFLINE_NAME = "offline/recall";

/** Where answers are looked for. */
interface Places {
  readonly store: Store;
  readonly memory?: Memory | undefined;
  readonly conversation?: string | undefined;
}

/** Words of a question that say what is wanted, not what it is about. */
const ASKING =
  /\b(?:say|says|said|tell|told|talk|talked|speak|spoke|discuss|discussed|mention|mentioned|write|wrote|know|find|show|remember|recall|please)\b/gi;

export interface Answers {
  readonly hits: readonly SearchHit[];
  readonly chunks: readonly FoundChunk[];
  /** Whether there is anything to find answers in. */
  readonly isEmpty: boolean;
}

const HITS_MAX = 5;
const CHUNKS_MAX = 3;
/** Of one conversation: others may know more. */
const HITS_OF_ONE_MAX = 2;
/** Hits that are looked at. Answers of this model, which repeat what they cite, are often among the best. */
const SEEN_MAX = 100;
/** A conversation can begin with words that no person wrote. */
const FIRST_MAX = 8;
/** Longer questions are searched by their beginning. */
const SEARCHED_CHARS_MAX = 2000;

export async function findAnswers(
  { store, memory, conversation }: Places,
  question: string,
  signal: AbortSignal | undefined,
): Promise<Answers> {
  const text = subjectOf(question.slice(0, SEARCHED_CHARS_MAX));
  const hits = await findHits(store, { text, conversation }, question, signal);
  const query = { limit: CHUNKS_MAX, ...(signal === undefined ? {} : { signal }) };
  const chunks = (await memory?.search(text, query))?.chunks ?? [];
  const isEmpty = hits.length === 0 && chunks.length === 0 && (await holdsNothing(store));
  return { hits, chunks, isEmpty };
}

async function findHits(
  store: Store,
  { text, conversation }: { readonly text: string; readonly conversation: string | undefined },
  question: string,
  signal: AbortSignal | undefined,
): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  const counts = new Map<string, number>();
  let seen = 0;
  for await (const hit of store.search(text, { in: "text", limit: 20, ...defined({ conversation }) })) {
    signal?.throwIfAborted();
    seen += 1;
    const count = counts.get(hit.conversation) ?? 0;
    if (count < HITS_OF_ONE_MAX && (await isWorthCiting(store, hit, question))) {
      counts.set(hit.conversation, count + 1);
      hits.push(hit.title === null ? { ...hit, title: await firstWordsIn(store, hit) } : hit);
    }
    if (hits.length === HITS_MAX || seen === SEEN_MAX) break;
  }
  return hits;
}

/** The whole question if it has no other words. */
function subjectOf(question: string): string {
  const subject = question.replace(ASKING, " ");
  return /[\p{L}\p{N}]{3}/u.test(subject) ? subject : question;
}

/** What a conversation without a title is known by. */
async function firstWordsIn(store: Store, hit: SearchHit): Promise<string | null> {
  const conversation = await store.get(hit.conversation);
  const page = await conversation?.messages({ limit: FIRST_MAX, blobs: "references" });
  for (const { message } of page?.items ?? []) {
    const words = firstWordsOf(message);
    if (words !== undefined) return words;
  }
  return null;
}

/** Neither an answer of this model nor the question itself. */
async function isWorthCiting(store: Store, hit: SearchHit, question: string): Promise<boolean> {
  const conversation = hit.entry === null ? undefined : await store.get(hit.conversation);
  const entry = await conversation?.entry(hit.entry ?? "");
  if (entry?.kind !== "message") return false;
  const { message } = entry;
  if (message.role === "assistant") return message.model !== OFFLINE_NAME;
  return textOf(message).trim().toLowerCase() !== question.toLowerCase();
}

/** The conversation in which this is asked may be there already. */
async function holdsNothing(store: Store): Promise<boolean> {
  const { items } = await store.list({ limit: 2 });
  return items.length < 2;
}
