/** A summary in place of the beginning, for the model only: the log keeps every word. */
import { estimateTokens, planCompaction } from "../context/index.ts";
import { invalid } from "../errors.ts";
import type { Entry } from "../message/types.ts";
import { checkEntryId, checkLabel, checkMembers } from "../message/validate.ts";
import { compare } from "../tree/path.ts";
import { branchById } from "../tree/tree.ts";
import { isoTime } from "../util/time.ts";
import type { StoreAccess } from "./access.ts";
import { load, type Summarize, summarised } from "./context.ts";
import { tailOf } from "./lookups.ts";
import { draftOther, NO_OPTIONS, write } from "./writing.ts";

export interface CompactOptions {
  readonly summarize: Summarize;
  /** Keep about so many tokens of the end as they are. Default 20,000. */
  readonly keepTokens?: number;
  /** Keep about so many messages of the end. */
  readonly keepMessages?: number;
  /** Default: the checked-out branch. */
  readonly branch?: string;
  /** Noted in the entry. Default `summary`. */
  readonly strategy?: string;
  readonly signal?: AbortSignal;
}

/** `undefined` when there is too little to summarise. */
export async function compact(
  store: StoreAccess,
  id: string,
  options: CompactOptions,
): Promise<Entry | undefined> {
  checkMembers(options, COMPACT_MEMBERS, "options");
  const { summarize, keepTokens, keepMessages, branch, strategy = "summary", signal } = options;
  if (typeof summarize !== "function") throw invalid("compact needs a summarize function", "summarize");
  store.assertWritable();
  const loaded = await load(store, id, branch, Number.POSITIVE_INFINITY, true);
  const limits = {
    ...(keepTokens !== undefined && { keepTokens }),
    ...(keepMessages !== undefined && { keepMessages }),
  };
  const plan = planCompaction(loaded.items, limits);
  if (plan === undefined) return undefined;
  const messages = plan.summarise.map(({ message }) => message);
  const summary = await summarised(summarize, { messages, previousSummary: loaded.summary?.text, signal });
  const nowMs = store.nowMs();
  const at = isoTime(nowMs);
  const firstKept = plan.keep[0];
  const total = loaded.earlier.messages + plan.summarise.length;
  const draft = draftOther(
    "compaction",
    {
      summary,
      strategy: checkLabel(strategy, "strategy"),
      first_kept: firstKept?.id ?? null,
      first_kept_seq: loaded.seqs[plan.summarise.length] ?? loaded.tail.lastSeq + 1,
      summarised: total,
      tokens_before: Math.round(messages.reduce((sum, message) => sum + estimateTokens(message), 0)),
      tokens_after: Math.round(estimateTokens(summary)),
    },
    nowMs,
  );
  const name = branchById(loaded.tail.tree, loaded.branch)?.name;
  const writing = write(store, id, [draft], { ...NO_OPTIONS, branch: name }, nowMs);
  // In the same commit: other programs read the summary there (document 001).
  const contextState = { strategy, summary, summary_range: [0, total - 1], compressed_at: at };
  const noting = store.queue.push({ type: "update", conversation: id, patch: { contextState }, at });
  const [[entry]] = await Promise.all([writing, noting]);
  return entry;
}

/** The messages behind a compaction count again. The compaction itself stays in the log. */
export async function undoCompaction(store: StoreAccess, id: string, entryId: string): Promise<Entry> {
  const compaction = checkEntryId(entryId);
  store.assertWritable();
  const nowMs = store.nowMs();
  const draft = draftOther("info", { type: "undo-compaction", compaction }, nowMs);
  const [entry] = await write(store, id, [draft], NO_OPTIONS, nowMs);
  const at = isoTime(nowMs);
  await store.queue.push({ type: "update", conversation: id, patch: { contextState: null }, at });
  return entry as Entry;
}

export interface SummarizeBranchOptions {
  readonly summarize: Summarize;
  readonly signal?: AbortSignal;
}

/** Tell the checked-out branch what was done on another one since they parted. */
export async function summarizeBranch(
  store: StoreAccess,
  id: string,
  name: string,
  options: SummarizeBranchOptions,
): Promise<Entry> {
  checkMembers(options, SUMMARIZE_MEMBERS, "options");
  if (typeof options.summarize !== "function")
    throw invalid("summarizeBranch needs a summarize function", "summarize");
  const branch = checkLabel(name, "branch");
  store.assertWritable();
  const other = await load(store, id, branch, Number.POSITIVE_INFINITY, false);
  const { tree, lastSeq } = await tailOf(store, id);
  if (other.branch === tree.active)
    throw invalid("The checked-out branch needs no summary of itself", "branch");
  const { commonSeq } = compare(tree, tree.active, other.branch, lastSeq);
  const messages = other.items.flatMap(({ message }, index) =>
    (other.seqs[index] as number) > commonSeq ? [message] : [],
  );
  if (messages.length === 0) throw invalid(`Branch ${branch} has no messages of its own`, "branch");
  const request = { messages, previousSummary: undefined, signal: options.signal };
  const summary = await summarised(options.summarize, request);
  const nowMs = store.nowMs();
  const draft = draftOther("branch_summary", { branch, summary, messages: messages.length }, nowMs);
  const [entry] = await write(store, id, [draft], NO_OPTIONS, nowMs);
  return entry as Entry;
}

const SUMMARIZE_MEMBERS: ReadonlySet<string> = new Set(["summarize", "signal"]);
const COMPACT_MEMBERS: ReadonlySet<string> = new Set([
  "summarize",
  "keepTokens",
  "keepMessages",
  "branch",
  "strategy",
  "signal",
]);
