/** Which part of a conversation a summary may replace. Callers write and store the summary. */
import { unavailable } from "../errors.ts";
import { checkObject } from "../util/checked-arguments.ts";
import { checkInteger } from "./budget.ts";
import { type ContextItem, checkItems, lastUserIndex } from "./item.ts";
import { splitPoints } from "./split-points.ts";
import { calibration, estimateTokens } from "./tokens.ts";

export interface CompactionOptions {
  /** Keep about the last N tokens. Default: 20,000, unless `keepMessages` is given. */
  readonly keepTokens?: number;
  /** Keep about the last N messages. With `keepTokens`, the shorter suffix wins. */
  readonly keepMessages?: number;
}

export interface CompactionPlan {
  /** The prefix to summarise. */
  readonly summarise: readonly ContextItem[];
  /** The suffix that stays unchanged. */
  readonly keep: readonly ContextItem[];
}

const KEEP_TOKENS = 20_000;
/** A summary of one message would not be shorter. */
const SUMMARISE_MIN = 2;

/**
 * Split a conversation into a prefix to summarise and a suffix to keep.
 *
 * The user's last message and everything after it are kept, whatever their
 * size, and a tool call is never separated from its result. Returns `undefined`
 * when fewer than two messages are left to summarise.
 */
export function planCompaction(
  items: readonly ContextItem[],
  options: CompactionOptions = {},
): CompactionPlan | undefined {
  checkItems(items);
  checkObject(options, "options");
  const { keepMessages, keepTokens = keepMessages === undefined ? KEEP_TOKENS : undefined } = options;
  if (keepMessages !== undefined) checkInteger(keepMessages, "keepMessages", 0);
  if (keepTokens !== undefined) checkInteger(keepTokens, "keepTokens", 0);
  const byMessages = keepMessages === undefined ? 0 : items.length - keepMessages;
  const byTokens = keepTokens === undefined ? 0 : startOfLast(items, keepTokens);
  const user = lastUserIndex(items);
  const wanted = Math.min(Math.max(byMessages, byTokens), user === -1 ? items.length : user);
  if (wanted < SUMMARISE_MIN) return undefined;
  const at = splitPoints(items).before(wanted);
  return at < SUMMARISE_MIN ? undefined : { summarise: items.slice(0, at), keep: items.slice(at) };
}

/** Start of the longest suffix of at most `tokens`. */
function startOfLast(items: readonly ContextItem[], tokens: number): number {
  const factor = calibration(items.map(({ message }) => message));
  let rest = tokens;
  for (let index = items.length - 1; index >= 0; index--) {
    rest -= estimateTokens((items[index] as ContextItem).message, factor);
    if (rest < 0) return index + 1;
  }
  return 0;
}

/** Trim a summary. Fails with `SERVICE_UNAVAILABLE` if it is empty, which would lose the messages it replaces. */
export function checkSummary(text: unknown): string {
  const summary = typeof text === "string" ? text.trim() : "";
  if (summary === "") throw unavailable("The summariser returned no text");
  return summary;
}
