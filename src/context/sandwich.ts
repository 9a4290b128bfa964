/**
 * The sandwich: the beginning and the end of a conversation unchanged, and a
 * summary of the middle.
 *
 * Everything here is pure. The caller runs `planSandwich`, asks a model for the
 * summary, and stores the result of `sandwichState`.
 */
import { checkList, checkObject } from "../util/checked-arguments.ts";
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { budgetOf, type ItemOptions } from "./budget.ts";
import { checkSummary } from "./compaction.ts";
import { type ContextItem, checkItems, lastUserIndex } from "./item.ts";
import { summaryMessage } from "./notes.ts";
import { splitPoints } from "./split-points.ts";
import { estimateTokens } from "./tokens.ts";
import { UnitList } from "./unit-list.ts";

/** Positions of the first and last message that a summary covers, counted from 0. */
export type SummaryRange = readonly [from: number, to: number];

/** Kept between requests in the conversation's `contextState`. */
export interface SandwichState extends JsonObject {
  readonly strategy: "sandwich";
  readonly summary: string;
  readonly summary_range: SummaryRange;
  /** Id of the last message it covers: on another branch that position holds another message. */
  readonly summary_until: string;
  /** ISO 8601. */
  readonly compressed_at: string;
}

export type SandwichPlan =
  /** Short enough to send everything. */
  | { readonly kind: "none" }
  /** The existing summary is good enough. */
  | { readonly kind: "cached"; readonly state: SandwichState }
  | {
      readonly kind: "summarise";
      /** The messages that the new summary will cover. */
      readonly range: SummaryRange;
      /** Id of the last message in the range. */
      readonly until: string;
      /** The existing summary, to be merged with `items` into the new one. */
      readonly previous: string | undefined;
      /** The messages in `range` that `previous` does not cover. */
      readonly items: readonly ContextItem[];
    };

const FIRST = 5;
const LAST = 5;
const THRESHOLD = 0.7;

/**
 * Decide whether a summary is needed. `items` is the whole conversation.
 *
 * Nothing is summarised up to ten messages, or while they take at most 70% of
 * the tokens available for messages. An existing summary is reused while it and
 * everything that it does not cover stay below the same limit. A state that
 * does not match the conversation is ignored.
 */
export function planSandwich(
  items: readonly ContextItem[],
  state: Json | undefined,
  options: ItemOptions,
): SandwichPlan {
  checkItems(items);
  checkObject(options, "options");
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

/** The state to store with a new summary. Fails with `SERVICE_UNAVAILABLE` when the summary is empty. */
export function sandwichState(
  plan: Extract<SandwichPlan, { kind: "summarise" }>,
  summary: unknown,
  compressedAt: string,
): SandwichState {
  checkObject(plan, "plan");
  const { range, until } = plan;
  checkList(range, "plan");
  return {
    strategy: "sandwich",
    summary: checkSummary(summary),
    summary_range: [range[0], range[1]],
    summary_until: until,
    compressed_at: compressedAt,
  };
}

/** Start and end (exclusive) of the middle, narrowed so that it splits no tool pair. */
export function middleOf(items: readonly ContextItem[]): [from: number, end: number] {
  const points = splitPoints(items);
  return [points.after(FIRST), points.before(items.length - LAST)];
}

/** The state, if its summary covers a prefix of the middle of this conversation. */
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

/** The messages sent alongside the summary, always including the user's last message. */
export function withoutRange(items: readonly ContextItem[], [from, to]: SummaryRange): ContextItem[] {
  const user = lastUserIndex(items);
  return items.filter((_, index) => index < from || index > to || index === user);
}

function tokensUpTo(items: readonly ContextItem[], options: ItemOptions, limit: number): number {
  return new UnitList(items, budgetOf(items, options), options).tokensFrom(0, limit);
}
