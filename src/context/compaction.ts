/** Which part of a conversation a summary may stand for. The summary itself is made and stored by others. */
import { unavailable } from "../errors.ts";
import { checkWhole } from "./budget.ts";
import { type ContextItem, lastUserIndex } from "./item.ts";
import { calibration, estimateTokens } from "./tokens.ts";
import { divisions } from "./units.ts";

export interface CompactionOptions {
  /** Keep about so many tokens of the end. Default: 20,000, unless `keepMessages` is given. */
  readonly keepTokens?: number;
  /** Keep about so many messages of the end. With `keepTokens` the shorter end counts. */
  readonly keepMessages?: number;
}

export interface CompactionPlan {
  /** The beginning, to be summarised. */
  readonly summarise: readonly ContextItem[];
  /** The end, that stays as it is. */
  readonly keep: readonly ContextItem[];
}

const KEEP_TOKENS = 20_000;
/** A summary of a single message would be no shorter. */
const SUMMARISE_MIN = 2;

/**
 * Divide a conversation into what to summarise and what to keep.
 *
 * The user's last message and all that follows it are kept, whatever they
 * take, and a tool call is never parted from its result. `undefined` when
 * fewer than two messages are left to summarise.
 */
export function planCompaction(
  items: readonly ContextItem[],
  options: CompactionOptions = {},
): CompactionPlan | undefined {
  const { keepMessages, keepTokens = keepMessages === undefined ? KEEP_TOKENS : undefined } = options;
  if (keepMessages !== undefined) checkWhole(keepMessages, "keepMessages", 0);
  if (keepTokens !== undefined) checkWhole(keepTokens, "keepTokens", 0);
  const byMessages = keepMessages === undefined ? 0 : items.length - keepMessages;
  const byTokens = keepTokens === undefined ? 0 : startOfLast(items, keepTokens);
  const user = lastUserIndex(items);
  const wanted = Math.min(Math.max(byMessages, byTokens), user === -1 ? items.length : user);
  if (wanted < SUMMARISE_MIN) return undefined;
  const at = divisions(items).before(wanted);
  return at < SUMMARISE_MIN ? undefined : { summarise: items.slice(0, at), keep: items.slice(at) };
}

/** Where the longest end of at most `tokens` begins. */
function startOfLast(items: readonly ContextItem[], tokens: number): number {
  const factor = calibration(items.map(({ message }) => message));
  let rest = tokens;
  for (let index = items.length - 1; index >= 0; index--) {
    rest -= estimateTokens((items[index] as ContextItem).message, factor);
    if (rest < 0) return index + 1;
  }
  return 0;
}

/** A summary as it may be stored, or `SERVICE_UNAVAILABLE`: an empty one would lose what it stands for. */
export function checkSummary(text: unknown): string {
  const summary = typeof text === "string" ? text.trim() : "";
  if (summary === "") throw unavailable("The summariser returned nothing");
  return summary;
}
