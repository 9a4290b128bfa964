/** Strategies for building a context. Every result is within the budget. */

import { checkObject } from "../util/checked-arguments.ts";
import { checkInteger, type ItemOptions } from "./budget.ts";
import { type FittedContext, fitItems } from "./fit.ts";
import { type ContextItem, checkItems } from "./item.ts";
import { middleOf, type SandwichState, usableState, withoutRange } from "./sandwich.ts";
import { splitPoints } from "./split-points.ts";

/**
 * Everything, with tool pairs repaired and nothing cut. Fails with
 * `VALIDATION_ERROR` when that does not fit; `details` has the token counts.
 */
export function full(items: readonly ContextItem[], options: ItemOptions): FittedContext {
  return fitItems(items, options, { whole: true });
}

const SLIDING_MESSAGES = 50;

/** The last 50 messages by default, extended so that no tool pair is split, then fitted. */
export function sliding(
  items: readonly ContextItem[],
  options: ItemOptions,
  last: number = SLIDING_MESSAGES,
): FittedContext {
  checkInteger(last, "last", 1);
  checkItems(items);
  const from = items.length <= last ? 0 : splitPoints(items).before(items.length - last);
  return fitItems(items, options, { from });
}

/**
 * The first five messages, the summary of `state` as one system message, and
 * the messages that it does not cover. Without a state that matches the
 * conversation, a plain fit.
 */
export function sandwich(
  items: readonly ContextItem[],
  state: SandwichState | undefined,
  options: ItemOptions,
): FittedContext {
  checkItems(items);
  checkObject(options, "options");
  const usable = usableState(state, items, ...middleOf(items));
  if (usable === undefined) return fitItems(items, options);
  const sent = withoutRange(items, usable.summary_range);
  const covered = items.length - sent.length;
  const earlier = { messages: covered + (options.earlier?.messages ?? 0), summarised: covered };
  const summary = { text: usable.summary, id: null };
  const head = usable.summary_range[0];
  const fitted = fitItems(sent, { ...options, earlier, summary }, { head, summaryRole: "system" });
  // If the summary did not fit, its messages are missing and the ledger has to say so.
  return fitted.ledger.summarised.count > 0 ? fitted : fitItems(items, options);
}
