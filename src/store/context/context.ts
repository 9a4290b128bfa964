/** The messages that a model gets to see, read from the end and no further back than needed. */
import {
  type ContextItem,
  checkSummary,
  estimateTokens,
  type FittedContext,
  fitItems,
  full,
  type ItemOptions,
  planSandwich,
  type SandwichState,
  sandwich,
  sandwichState,
  sliding,
} from "../../context/index.ts";
import { isRealUser } from "../../context/item.ts";
import { asColloquyError, ColloquyError, invalid, unavailable } from "../../errors.ts";
import type { Entry, Message } from "../../message/types.ts";
import { checkLabel, checkProperties } from "../../message/validate.ts";
import { holds, messagesIn, pathOf, type SeqRange, within } from "../../tree/path.ts";
import { type LogEnd, targetBranch } from "../../tree/place-entries.ts";
import type { Compaction, Tree } from "../../tree/tree.ts";
import { isPlainObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import { checkCount, checkSignal, type StoreAccess } from "../access.ts";
import { readEntries } from "../read/entries.ts";
import { entryAt, infoOf, logEndOf } from "../read/lookups.ts";

/** What a summary is to be made of. */
export interface SummaryRequest {
  readonly messages: readonly Message[];
  /** The summary of what lies before these messages, to be taken up into the new one. */
  readonly previousSummary: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Asks a model, for example. */
export type Summarize = (request: SummaryRequest) => Promise<string> | string;

export interface ContextOptions {
  /** The model's window. */
  readonly maxTokens: number;
  /** Left free for the answer. Default 2,048. */
  readonly reserveForOutput?: number;
  readonly system?: string | readonly object[];
  readonly tools?: readonly object[];
  /** `auto` (default): as much of the end as fits. `full`, `sliding` and `sandwich` as documented. */
  readonly strategy?: "auto" | "full" | "sliding" | "sandwich";
  /** For `sliding`: how many messages. Default 50. */
  readonly last?: number;
  readonly maxToolResultTokens?: number;
  /** For `sandwich`: makes the summary of the middle. */
  readonly summarize?: Summarize;
  /** Default: the checked-out branch. */
  readonly branch?: string;
  readonly signal?: AbortSignal;
}

export interface Context extends FittedContext {
  readonly system: string | readonly object[] | undefined;
}

/** A part of a path, and what stands for the rest. */
export interface Loaded {
  readonly items: readonly ContextItem[];
  /** Of the items, in their order. */
  readonly seqs: readonly number[];
  readonly summary: { readonly id: string; readonly text: string } | undefined;
  readonly earlier: { readonly messages: number; readonly summarised: number };
  readonly logEnd: LogEnd;
  readonly branch: number;
}

const PAGE_ENTRIES = 256;
const PAGE_BYTES = 8 * 1024 * 1024;

export async function contextOf(store: StoreAccess, id: string, options: ContextOptions): Promise<Context> {
  checkProperties(options, CONTEXT_MEMBERS, "options");
  const { maxTokens, strategy = "auto", system, tools, reserveForOutput, maxToolResultTokens } = options;
  checkSignal(options.signal);
  if (options.last !== undefined) checkCount(options.last, "last", Number.MAX_SAFE_INTEGER);
  if (options.summarize !== undefined && typeof options.summarize !== "function") {
    throw invalid("summarize must be a function", "summarize");
  }
  if (!STRATEGIES.has(strategy))
    throw invalid(`Unknown strategy "${strategy}": one of ${[...STRATEGIES].join(", ")}`, "strategy");
  const fitting: ItemOptions = {
    maxTokens,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(reserveForOutput === undefined ? {} : { reserveForOutput }),
    ...(maxToolResultTokens === undefined ? {} : { maxToolResultTokens }),
  };
  return { system, ...(await fitted(store, id, fitting, options)) };
}

async function fitted(
  store: StoreAccess,
  id: string,
  fitting: ItemOptions,
  { strategy, last, summarize, branch, signal, maxTokens }: ContextOptions,
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

/**
 * Load the end of a path: back to its last compaction, if `compacted`, and no
 * further than `tokensMax` and the last message of the user ask for.
 */
export async function load(
  store: StoreAccess,
  id: string,
  branchName: string | undefined,
  tokensMax: number,
  compacted: boolean,
): Promise<Loaded> {
  const name = branchName === undefined ? undefined : checkLabel(branchName, "branch");
  const logEnd = await logEndOf(store, id);
  const { tree, lastSeq } = logEnd;
  // By its id for all pages: somebody may check out another branch meanwhile.
  const branch = targetBranch(tree, name);
  const path = pathOf(tree, branch, lastSeq);
  const compaction = compacted ? lastCompaction(tree, path) : undefined;
  const firstSeq = compaction?.firstKeptSeq ?? 1;
  const entries = await readBack(store, id, branch, firstSeq, lastSeq, tokensMax);
  const oldest = entries[0]?.seq ?? lastSeq + 1;
  const summary = compaction === undefined ? undefined : await summaryOf(store, id, compaction);
  const unloaded = messagesIn(tree, within(path, firstSeq, oldest - 1));
  const summarised = messagesIn(tree, within(path, 1, firstSeq - 1));
  const shown = entries.flatMap((entry) => {
    const message = shownAs(entry);
    return message === undefined ? [] : [{ seq: entry.seq, item: { id: entry.id, message } }];
  });
  return {
    items: shown.map(({ item }) => item),
    seqs: shown.map(({ seq }) => seq),
    summary,
    earlier: { messages: unloaded + summarised, summarised },
    logEnd,
    branch,
  };
}

/** The newest compaction on a path that was not undone. */
function lastCompaction(tree: Tree, path: readonly SeqRange[]): Compaction | undefined {
  return tree.compactions.findLast(({ seq, undone }) => !undone && holds(path, seq));
}

async function readBack(
  store: StoreAccess,
  id: string,
  branch: number,
  firstSeq: number,
  lastSeq: number,
  tokensMax: number,
): Promise<Entry[]> {
  const pages: Entry[][] = [];
  let tokens = 0;
  let userSeen = false;
  for (let before = lastSeq + 1; ; ) {
    const page = await store.ask((engine) =>
      engine.page({
        conversation: id,
        direction: "backward",
        from: before,
        limit: PAGE_ENTRIES,
        bytesMax: PAGE_BYTES,
        kind: undefined,
        branch,
      }),
    );
    const wanted = page.entries.filter(({ seq }) => seq >= firstSeq);
    const entries = await readEntries(store, wanted);
    pages.push(entries);
    for (const { message } of entries) {
      if (message === undefined) continue;
      // Halved: the count is an estimate, and too much is only a little slower.
      tokens += estimateTokens(message) / 2;
      userSeen ||= isRealUser(message);
    }
    const oldest = page.entries[0]?.seq;
    if (!page.more || oldest === undefined || wanted.length < page.entries.length) break;
    if (tokens > tokensMax && userSeen) break;
    before = oldest;
  }
  return pages.reverse().flat();
}

/** What the model sees of an entry, if anything. */
function shownAs(entry: Entry): Message | undefined {
  if (entry.kind === "message") return entry.message;
  if (entry.kind !== "branch_summary") return undefined;
  return { role: "user", content: `[Summary of branch ${entry.data.branch}]\n${entry.data.summary}` };
}

async function summaryOf(
  store: StoreAccess,
  id: string,
  compaction: Compaction,
): Promise<{ id: string; text: string } | undefined> {
  const data = (await entryAt(store, id, compaction.seq))?.data;
  const text = isPlainObject(data) ? data.summary : undefined;
  if (typeof text !== "string") {
    throw unavailable(
      `The summary of compaction ${compaction.id} cannot be read; undo the compaction to go on`,
    );
  }
  return { id: compaction.id, text };
}

interface SandwichUse {
  readonly summarize: Summarize | undefined;
  readonly branch: string | undefined;
  readonly signal: AbortSignal | undefined;
}

async function sandwiched(
  store: StoreAccess,
  id: string,
  fitting: ItemOptions,
  { summarize, branch, signal }: SandwichUse,
): Promise<FittedContext> {
  const { items } = await load(store, id, branch, Number.POSITIVE_INFINITY, false);
  const { contextState } = await infoOf(store, id);
  const plan = planSandwich(items, contextState ?? undefined, fitting);
  if (plan.kind === "none") return fitItems(items, fitting);
  if (plan.kind === "cached") return sandwich(items, plan.state, fitting);
  if (summarize === undefined) {
    throw invalid("The sandwich strategy needs a summarize function for so long a conversation", "summarize");
  }
  const text = await summarised(summarize, {
    messages: plan.items.map(({ message }) => message),
    previousSummary: plan.previous,
    signal,
  });
  const state: SandwichState = sandwichState(plan, text, isoTime(store.nowMs()));
  store.assertWritable();
  await store.queue.push({
    type: "update",
    conversation: id,
    patch: { contextState: state },
    at: isoTime(store.nowMs()),
  });
  return sandwich(items, state, fitting);
}

/** A summary, or `SERVICE_UNAVAILABLE`: whatever a model throws, nothing was changed. */
export async function summarised(summarize: Summarize, request: SummaryRequest): Promise<string> {
  if (typeof summarize !== "function") throw invalid("summarize must be a function", "summarize");
  try {
    return checkSummary(await summarize(request));
  } catch (error) {
    if (error instanceof ColloquyError && error.code === "SERVICE_UNAVAILABLE") throw error;
    const { message } = asColloquyError(error, "The summariser failed");
    throw unavailable(`${message}. Nothing was changed`, { cause: error });
  }
}

const STRATEGIES: ReadonlySet<string> = new Set(["auto", "full", "sliding", "sandwich"]);
const CONTEXT_MEMBERS: ReadonlySet<string> = new Set([
  "maxTokens",
  "reserveForOutput",
  "system",
  "tools",
  "strategy",
  "last",
  "maxToolResultTokens",
  "summarize",
  "branch",
  "signal",
]);
