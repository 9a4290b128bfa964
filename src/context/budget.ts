import { invalid } from "../errors.ts";
import { checkProperties } from "../message/validate.ts";
import type { ContextItem } from "./item.ts";
import { calibration, estimateTokens } from "./tokens.ts";

/** The summary of a compaction: stands for messages that are not sent themselves. */
export interface Summary {
  readonly text: string;
  /** The entry of the compaction; `null` when there is none. */
  readonly id: string | null;
}

export interface FitOptions {
  /** What the model takes in all, in tokens. */
  readonly contextLength: number;
  /** Room for the answer. Default: 2,048. */
  readonly reserveForOutput?: number;
  /** A tool's result is cut in the middle above this. Default: 8,000. */
  readonly maxToolResultTokens?: number;
  /** Of the conversation before the messages that are given. Put in front, and charged. */
  readonly summary?: string | Summary;
}

/** Messages before the first item, that were not even loaded. */
export interface Earlier {
  readonly messages: number;
  /** How many of them the summary stands for. Default: none. */
  readonly summarised?: number;
}

export interface ItemOptions extends FitOptions {
  readonly system?: string | readonly object[];
  readonly tools?: readonly object[];
  readonly earlier?: Earlier;
}

/** How the tokens of a request are shared out. */
export interface Budget {
  /** The context length. */
  readonly maxTokens: number;
  readonly reserveForOutput: number;
  readonly system: number;
  readonly tools: number;
  /** What is left for messages. */
  readonly available: number;
  /** By what estimates were multiplied, see `calibration`. */
  readonly factor: number;
}

const RESERVE_FOR_OUTPUT = 2_048;
const MAX_TOOL_RESULT_TOKENS = 8_000;
/** Less than this does not hold even a message cut to a few words. */
const AVAILABLE_MIN = 32;

const MEMBERS: ReadonlySet<string> = new Set([
  ...["contextLength", "reserveForOutput", "maxToolResultTokens", "summary"],
]);

export function checkFitOptions(options: unknown): void {
  checkProperties(options, MEMBERS, "options");
}

/** The figures of a request, or `VALIDATION_ERROR` when nothing is left for messages. */
export function budgetOf(items: readonly ContextItem[], options: ItemOptions): Budget {
  const { contextLength: maxTokens, reserveForOutput = RESERVE_FOR_OUTPUT } = options;
  checkWhole(maxTokens, "contextLength", 1);
  checkWhole(reserveForOutput, "reserveForOutput", 0);
  const factor = calibration(items.map(({ message }) => message));
  const system = estimateTokens(options.system ?? "", factor);
  const tools = estimateTokens(options.tools ?? [], factor);
  const available = maxTokens - reserveForOutput - system - tools;
  if (available < AVAILABLE_MIN) {
    const taken = `${reserveForOutput} for the answer, ${system} for the system prompt and ${tools} for tools`;
    throw invalid(
      `A context of ${maxTokens} tokens is too small: ${taken} leave ${available} for messages`,
      "contextLength",
      { maxTokens, reserveForOutput, system, tools, available },
    );
  }
  return { maxTokens, reserveForOutput, system, tools, available, factor };
}

/** The summary's words; `undefined` when there are none. */
export function summaryTextOf({ summary }: FitOptions): string | undefined {
  if (summary === undefined) return undefined;
  const text: unknown = typeof summary === "string" ? summary : summary?.text;
  if (typeof text !== "string") throw invalid("summary must be a text", "summary");
  return text.trim() === "" ? undefined : text;
}

export function maxToolResultTokensOf({ maxToolResultTokens = MAX_TOOL_RESULT_TOKENS }: FitOptions): number {
  checkWhole(maxToolResultTokens, "maxToolResultTokens", 1);
  return maxToolResultTokens;
}

/** A whole number of at least `min`. */
export function checkWhole(value: unknown, field: string, min: number): asserts value is number {
  if (!Number.isSafeInteger(value) || (value as number) < min) {
    throw invalid(`${field} must be a whole number of at least ${min}`, field);
  }
}
