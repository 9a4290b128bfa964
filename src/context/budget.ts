import { invalid } from "../errors.ts";
import { checkProperties } from "../message/validate.ts";
import type { ContextItem } from "./item.ts";
import { calibration, estimateTokens } from "./tokens.ts";

/** A summary that replaces messages in the request. */
export interface Summary {
  readonly text: string;
  /** The compaction entry; `null` when the summary is not from one. */
  readonly id: string | null;
}

export interface FitOptions {
  /** The model's context window, in tokens. */
  readonly maxTokens: number;
  /** Tokens to leave free for the answer. Default: 2,048. */
  readonly reserveForOutput?: number;
  /** Longer tool results are cut in the middle. Default: 8,000. */
  readonly maxToolResultTokens?: number;
  /** Summary of what precedes the messages. Sent first, and charged to the budget. */
  readonly summary?: string | Summary;
}

/** Messages before the first item, which were not loaded. */
export interface Earlier {
  readonly messages: number;
  /** How many of them the summary covers. Default: none. */
  readonly summarised?: number;
}

export interface ItemOptions extends FitOptions {
  readonly system?: string | readonly object[];
  readonly tools?: readonly object[];
  readonly earlier?: Earlier;
}

/** How the tokens of a request are divided. */
export interface Budget {
  /** The model's context window. */
  readonly maxTokens: number;
  readonly reserveForOutput: number;
  readonly system: number;
  readonly tools: number;
  /** What remains for messages. */
  readonly available: number;
  /** The factor applied to estimates, see `calibration`. */
  readonly factor: number;
}

const RESERVE_FOR_OUTPUT = 2_048;
const MAX_TOOL_RESULT_TOKENS = 8_000;
/** Less than this cannot hold even a message cut to a few words. */
const AVAILABLE_MIN = 32;

const FIT_OPTIONS: ReadonlySet<string> = new Set([
  ...["maxTokens", "reserveForOutput", "maxToolResultTokens", "summary"],
]);

export function checkFitOptions(options: unknown): void {
  checkProperties(options, FIT_OPTIONS, "options");
}

/** The budget of a request. Fails with `VALIDATION_ERROR` when nothing is left for messages. */
export function budgetOf(items: readonly ContextItem[], options: ItemOptions): Budget {
  const { maxTokens, reserveForOutput = RESERVE_FOR_OUTPUT } = options;
  checkInteger(maxTokens, "maxTokens", 1);
  checkInteger(reserveForOutput, "reserveForOutput", 0);
  const factor = calibration(items.map(({ message }) => message));
  const system = estimateTokens(options.system ?? "", factor);
  const tools = estimateTokens(options.tools ?? [], factor);
  const available = maxTokens - reserveForOutput - system - tools;
  if (available < AVAILABLE_MIN) {
    const taken = `the answer takes ${reserveForOutput}, the system prompt ${system} and the tools ${tools}`;
    throw invalid(
      `A context window of ${maxTokens} tokens is too small: ${taken}, which leaves ${available} for messages`,
      "maxTokens",
      { maxTokens, reserveForOutput, system, tools, available },
    );
  }
  return { maxTokens, reserveForOutput, system, tools, available, factor };
}

/** The text of the summary; `undefined` when there is none. */
export function summaryTextOf({ summary }: FitOptions): string | undefined {
  if (summary === undefined) return undefined;
  const text: unknown = typeof summary === "string" ? summary : summary?.text;
  if (typeof text !== "string") throw invalid("summary must be a string or an object with a text", "summary");
  return text.trim() === "" ? undefined : text;
}

export function maxToolResultTokensOf({ maxToolResultTokens = MAX_TOOL_RESULT_TOKENS }: FitOptions): number {
  checkInteger(maxToolResultTokens, "maxToolResultTokens", 1);
  return maxToolResultTokens;
}

export function checkInteger(value: unknown, field: string, min: number): asserts value is number {
  if (!Number.isSafeInteger(value) || (value as number) < min) {
    throw invalid(`${field} must be an integer of at least ${min}`, field);
  }
}
