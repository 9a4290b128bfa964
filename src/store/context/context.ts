/** The context of a conversation: the messages that are sent to a model. */
import {
  type FittedContext,
  fitItems,
  full,
  type ItemOptions,
  type Ledger,
  planSandwich,
  type SandwichState,
  sandwich,
  sandwichState,
  sliding,
} from "../../context/index.ts";
import { withHoleNotices } from "../../context/notes.ts";
import { type ColloquyError, invalid } from "../../errors.ts";
import {
  type ApiRequests,
  isModelApi,
  MODEL_APIS,
  type ModelApi,
  toRequest,
} from "../../message/apis/index.ts";
import { type PlainMessage, toPlain } from "../../message/apis/plain.ts";
import type { SystemPrompt } from "../../message/apis/request.ts";
import { checkProperties } from "../../message/validate.ts";
import { isoTime } from "../../util/time.ts";
import { checkCount, checkSignal, type StoreAccess } from "../access.ts";
import { infoOf } from "../read/lookups.ts";
import { load } from "./load.ts";
import { runSummarize, type Summarize } from "./summarize.ts";

export interface ContextOptions<Api extends ModelApi | undefined = undefined> {
  /** The model's context window, in tokens. */
  readonly maxTokens: number;
  /** The API whose shape to return. Default: messages of `{ role, content }`. */
  readonly as?: Api;
  /** Tokens to leave free for the answer. Default: 2,048. */
  readonly reserveForOutput?: number;
  /** Charged to the budget, and returned where the API expects it. */
  readonly system?: SystemPrompt;
  /** Tool definitions, charged to the budget. */
  readonly tools?: readonly object[];
  /** `auto` (default) sends as much of the end as fits. */
  readonly strategy?: "auto" | "full" | "sliding" | "sandwich";
  /** The number of messages, only for `sliding`. Default: 50. */
  readonly last?: number;
  /** Longer tool results are cut in the middle. Default: 8,000. */
  readonly maxToolResultTokens?: number;
  /** Writes the summary of the middle, only for `sandwich`. */
  readonly summarize?: Summarize;
  /** Default: the checked-out branch. */
  readonly branch?: string;
  readonly signal?: AbortSignal;
}

/** Messages without `as`. */
export interface PlainContext {
  readonly system: SystemPrompt | undefined;
  readonly messages: PlainMessage[];
}

/** A request in the shape of a model API, with an account of how it was built. */
export type Context<Api extends ModelApi | undefined = undefined> = (Api extends ModelApi
  ? ApiRequests[Api]
  : PlainContext) & {
  /** What happened to every message, and why. */
  readonly ledger: Ledger;
  /** Estimated size of the messages, in tokens. */
  readonly tokens: number;
};

export async function contextOf<Api extends ModelApi | undefined = undefined>(
  store: StoreAccess,
  id: string,
  options: ContextOptions<Api>,
): Promise<Context<Api>> {
  checkOptions(options);
  const { as, system, tools, reserveForOutput, maxToolResultTokens } = options;
  const fitting: ItemOptions = {
    maxTokens: options.maxTokens,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(reserveForOutput === undefined ? {} : { reserveForOutput }),
    ...(maxToolResultTokens === undefined ? {} : { maxToolResultTokens }),
  };
  const { messages, ledger, tokens } = await fitted(store, id, fitting, options);
  const shape = as === undefined ? { system, messages: toPlain(messages) } : toRequest(as, messages, system);
  return { ...shape, ledger, tokens } as Context<Api>;
}

function checkOptions(options: ContextOptions<ModelApi | undefined>): void {
  checkProperties(options, CONTEXT_OPTIONS, "options");
  const { as, last, signal, strategy, summarize } = options;
  checkSignal(signal);
  if (last !== undefined) checkCount(last, "last", Number.MAX_SAFE_INTEGER);
  if (summarize !== undefined && typeof summarize !== "function") {
    throw invalid("summarize must be a function", "summarize");
  }
  if (as !== undefined && !isModelApi(as)) {
    throw invalid(`Unknown API "${as}": expected one of ${MODEL_APIS.join(", ")}`, "as");
  }
  if (strategy !== undefined && !STRATEGIES.has(strategy)) {
    throw invalid(
      `Unknown strategy "${strategy}": expected one of ${[...STRATEGIES].join(", ")}`,
      "strategy",
    );
  }
  if (last !== undefined && strategy !== "sliding") throw noEffect("last", "sliding");
  if (summarize !== undefined && strategy !== "sandwich") throw noEffect("summarize", "sandwich");
}

/** Ignored, the option would leave the caller with another context than expected. */
function noEffect(option: string, strategy: string): ColloquyError {
  return invalid(`${option} has no effect without strategy "${strategy}"; leave it out`, option);
}

async function fitted(
  store: StoreAccess,
  id: string,
  fitting: ItemOptions,
  { strategy, last, summarize, branch, signal, maxTokens }: ContextOptions<ModelApi | undefined>,
): Promise<FittedContext> {
  // A budget that leaves no room is refused before anything is read.
  fitItems([], fitting);
  if (strategy === "sandwich") return sandwiched(store, id, fitting, { summarize, branch, signal });
  const tokensMax = strategy === "full" ? Number.POSITIVE_INFINITY : maxTokens;
  const { items, summary, earlier } = await load(store, id, branch, tokensMax, true);
  const given: ItemOptions = { ...fitting, earlier, ...(summary === undefined ? {} : { summary }) };
  if (strategy === "full") return full(items, given);
  return strategy === "sliding" ? sliding(items, given, last) : fitItems(items, given);
}

type SandwichOptions = Pick<ContextOptions, "summarize" | "branch" | "signal">;

async function sandwiched(
  store: StoreAccess,
  id: string,
  fitting: ItemOptions,
  { summarize, branch, signal }: SandwichOptions,
): Promise<FittedContext> {
  const { items } = await load(store, id, branch, Number.POSITIVE_INFINITY, false);
  const { contextState } = await infoOf(store, id);
  const plan = planSandwich(items, contextState ?? undefined, fitting);
  if (plan.kind === "none") return fitItems(items, fitting);
  if (plan.kind === "cached") return sandwich(items, plan.state, fitting);
  if (summarize === undefined) {
    throw invalid(
      "The sandwich strategy requires a summarize function for a conversation of this length",
      "summarize",
    );
  }
  const text = await runSummarize(summarize, {
    messages: withHoleNotices(plan.items),
    previousSummary: plan.previous,
    signal,
  });
  const at = isoTime(store.nowMs());
  const state: SandwichState = sandwichState(plan, text, at);
  store.assertWritable();
  await store.queue.push({ type: "update", conversation: id, patch: { contextState: state }, at });
  return sandwich(items, state, fitting);
}

const STRATEGIES: ReadonlySet<string> = new Set(["auto", "full", "sliding", "sandwich"]);
const CONTEXT_OPTIONS: ReadonlySet<string> = new Set([
  ...["maxTokens", "as", "reserveForOutput", "system", "tools", "strategy", "last", "maxToolResultTokens"],
  ...["summarize", "branch", "signal"],
]);
