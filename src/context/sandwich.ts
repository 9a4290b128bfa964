/**
 * The sandwich: the beginning and the end of a conversation as they are, and a
 * summary of the middle.
 *
 * Everything here is pure. Whoever asks a model for the summary calls
 * `planSandwich` before and `sandwichState` after, and keeps the state.
 */
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { budgetOf, type ItemOptions } from "./budget.ts";
import { checkSummary } from "./compaction.ts";
import { type ContextItem, lastUserIndex } from "./item.ts";
import { summaryMessage } from "./notes.ts";
import { Prepared } from "./prepared.ts";
import { estimateTokens } from "./tokens.ts";
import { divisions } from "./units.ts";

/** The first and the last message that a summary stands for, both included, counted from 0. */
export type SummaryRange = readonly [from: number, to: number];

/** What is kept between requests, in a conversation's `contextState`. */
export interface SandwichState extends JsonObject {
  readonly strategy: "sandwich";
  readonly summary: string;
  readonly summary_range: SummaryRange;
  /** The id of the last message that it stands for: on another branch another message has that place. */
  readonly summary_until: string;
  /** ISO 8601. */
  readonly compressed_at: string;
}

export type SandwichPlan =
  /** Short enough: send everything as it is. */
  | { readonly kind: "none" }
  /** The summary at hand will do. */
  | { readonly kind: "cached"; readonly state: SandwichState }
  | {
      readonly kind: "summarise";
      /** What the new summary will stand for. */
      readonly range: SummaryRange;
      /** The id of the last message of the range. */
      readonly until: string;
      /** The summary at hand; the new one is made of it and of `items`. */
      readonly previous: string | undefined;
      /** The messages of `range` that `previous` does not cover. */
      readonly items: readonly ContextItem[];
    };

const FIRST = 5;
const LAST = 5;
const THRESHOLD = 0.7;

/**
 * What to do before a sandwich is sent. `items` is the whole conversation.
 *
 * Nothing is compressed while there are no more than ten messages, or while
 * they take no more than 0.7 of the room for messages. A summary at hand is
 * used for as long as it, with everything that it does not cover, stays below
 * the same line. A state that does not fit the conversation is not used.
 */
export function planSandwich(
  items: readonly ContextItem[],
  state: Json | undefined,
  options: ItemOptions,
): SandwichPlan {
  const { available, factor } = budgetOf(items, options);
  const line = available * THRESHOLD;
  if (items.length <= FIRST + LAST || tokensUpTo(items, options, line) <= line) return { kind: "none" };
  const [from, end] = middleOf(items);
  if (end <= from) return { kind: "none" };
  const cached = usableState(state, items, from, end);
  if (cached === undefined) return summarise(items, from, end);
  const covered = cached.summary_range[1] + 1;
  const around = estimateTokens(summaryMessage(cached.summary, "system"), factor);
  const rest = tokensUpTo(withoutRange(items, cached.summary_range), options, line);
  if (covered === end || around + rest <= line) return { kind: "cached", state: cached };
  return summarise(items, from, end, cached);
}

function summarise(
  items: readonly ContextItem[],
  from: number,
  end: number,
  cached?: SandwichState,
): SandwichPlan {
  const fresh = cached === undefined ? from : cached.summary_range[1] + 1;
  return {
    kind: "summarise",
    range: [from, end - 1],
    until: (items[end - 1] as ContextItem).id,
    previous: cached?.summary,
    items: items.slice(fresh, end),
  };
}

/** The state after a summary was made. Fails with `SERVICE_UNAVAILABLE` when the summary is empty. */
export function sandwichState(
  { range, until }: Extract<SandwichPlan, { kind: "summarise" }>,
  summary: unknown,
  compressedAt: string,
): SandwichState {
  return {
    strategy: "sandwich",
    summary: checkSummary(summary),
    summary_range: [range[0], range[1]],
    summary_until: until,
    compressed_at: compressedAt,
  };
}

/** The middle, from its first message to before its last, widened at neither side into a tool pair. */
export function middleOf(items: readonly ContextItem[]): [from: number, end: number] {
  const places = divisions(items);
  return [places.after(FIRST), places.before(items.length - LAST)];
}

/** The state, when its summary covers a beginning of the middle of this conversation. */
export function usableState(
  state: Json | undefined,
  items: readonly ContextItem[],
  from: number,
  end: number,
): SandwichState | undefined {
  if (!isPlainObject(state) || state.strategy !== "sandwich") return undefined;
  const { summary, summary_range: range, summary_until: until } = state;
  if (typeof summary !== "string" || summary.trim() === "" || !Array.isArray(range)) return undefined;
  const [first, last] = range;
  const covers =
    first === from && Number.isInteger(last) && last >= from && last < end && items[last]?.id === until;
  return covers ? (state as unknown as SandwichState) : undefined;
}

/** What is sent beside the summary. The user's last message is, even when the summary covers it. */
export function withoutRange(items: readonly ContextItem[], [from, to]: SummaryRange): ContextItem[] {
  const user = lastUserIndex(items);
  return items.filter((_, index) => index < from || index > to || index === user);
}

function tokensUpTo(items: readonly ContextItem[], options: ItemOptions, limit: number): number {
  return new Prepared(items, budgetOf(items, options), options).tokensFrom(0, limit);
}
