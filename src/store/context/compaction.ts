/** Replaces the beginning of a conversation with a summary, for the model only: the log keeps every message. */
import { estimateTokens, planCompaction } from "../../context/index.ts";
import { withHoleNotices } from "../../context/notes.ts";
import { invalid } from "../../errors.ts";
import type { BranchSummaryEntry, CompactionEntry, InfoEntry } from "../../message/types.ts";
import { checkEntryId, checkLabel, checkProperties } from "../../message/validate.ts";
import { compare } from "../../tree/path.ts";
import { checkSignal, type StoreAccess } from "../access.ts";
import { branchNamed, logEndOf, readRanges } from "../read/lookups.ts";
import { NO_OPTIONS, pendingEntry, write } from "../write/writing.ts";
import { load } from "./load.ts";
import { runSummarize, type Summarize } from "./summarize.ts";

export interface CompactOptions {
  readonly summarize: Summarize;
  /** Keep about the last N tokens unchanged. Default: 20,000. */
  readonly keepTokens?: number;
  /** Keep about the last N messages unchanged. */
  readonly keepMessages?: number;
  /** Default: the checked-out branch. */
  readonly branch?: string;
  /** Recorded in the entry. Default: `summary`. */
  readonly strategy?: string;
  readonly signal?: AbortSignal;
}

/** Returns `undefined` when there is too little to summarise. */
export async function compact(
  store: StoreAccess,
  id: string,
  options: CompactOptions,
): Promise<CompactionEntry | undefined> {
  checkProperties(options, COMPACT_OPTIONS, "options");
  const { summarize, keepTokens, keepMessages, branch, strategy = "summary", signal } = options;
  if (typeof summarize !== "function") throw invalid("compact requires a summarize function", "summarize");
  checkSignal(signal);
  const noted = checkLabel(strategy, "strategy");
  store.assertWritable();
  const loaded = await load(store, id, branch, Number.POSITIVE_INFINITY, true);
  const limits = {
    ...(keepTokens !== undefined && { keepTokens }),
    ...(keepMessages !== undefined && { keepMessages }),
  };
  const plan = planCompaction(loaded.items, limits);
  if (plan === undefined) return undefined;
  const messages = withHoleNotices(plan.summarise);
  const given = await runSummarize(summarize, { messages, previousSummary: loaded.summary?.text, signal });
  const summary = store.redaction?.value(given) ?? given;
  const nowMs = store.nowMs();
  const firstKept = plan.keep[0];
  const total = loaded.earlier.messages + plan.summarise.length;
  const pending = pendingEntry(
    store,
    "compaction",
    {
      summary,
      strategy: noted,
      firstKept: firstKept?.id ?? null,
      firstKeptSeq: loaded.seqs[plan.summarise.length] ?? loaded.logEnd.lastSeq + 1,
      summarised: total,
      tokensBefore: Math.round(messages.reduce((sum, message) => sum + estimateTokens(message), 0)),
      tokensAfter: Math.round(estimateTokens(summary)),
    },
    nowMs,
  );
  // By id: the branch may have been renamed while the summary was written.
  const {
    entries: [entry],
  } = await write(store, id, [pending], { ...NO_OPTIONS, branch: loaded.branch }, nowMs);
  return entry as CompactionEntry;
}

/** Restore the messages that a compaction replaced. The compaction stays in the log. */
export async function undoCompaction(store: StoreAccess, id: string, entryId: string): Promise<InfoEntry> {
  const compaction = checkEntryId(entryId);
  store.assertWritable();
  const nowMs = store.nowMs();
  const pending = pendingEntry(store, "info", { type: "undo-compaction", compaction }, nowMs);
  const {
    entries: [entry],
  } = await write(store, id, [pending], NO_OPTIONS, nowMs);
  return entry as InfoEntry;
}

export interface SummarizeBranchOptions {
  readonly summarize: Summarize;
  readonly signal?: AbortSignal;
}

/** Add a summary of what another branch did since they diverged to the checked-out branch. */
export async function summarizeBranch(
  store: StoreAccess,
  id: string,
  name: string,
  options: SummarizeBranchOptions,
): Promise<BranchSummaryEntry> {
  checkProperties(options, SUMMARIZE_OPTIONS, "options");
  if (typeof options.summarize !== "function")
    throw invalid("summarizeBranch requires a summarize function", "summarize");
  checkSignal(options.signal);
  const branch = checkLabel(name, "branch");
  store.assertWritable();
  const { tree, lastSeq } = await logEndOf(store, id);
  const other = branchNamed(tree, branch);
  if (other.id === tree.active)
    throw invalid("The checked-out branch cannot be summarized: choose another branch", "branch");
  const { b: own } = compare(tree, tree.active, other.id, lastSeq);
  const messages = (await readRanges(store, id, other.id, own)).flatMap(({ message }) => message ?? []);
  if (messages.length === 0) throw invalid(`Branch ${branch} has no messages of its own`, "branch");
  const request = { messages, previousSummary: undefined, signal: options.signal };
  const summary = await runSummarize(options.summarize, request);
  const nowMs = store.nowMs();
  const pending = pendingEntry(
    store,
    "branch_summary",
    { branch, summary, messages: messages.length },
    nowMs,
  );
  const {
    entries: [entry],
  } = await write(store, id, [pending], { ...NO_OPTIONS, branch: tree.active }, nowMs);
  return entry as BranchSummaryEntry;
}

const SUMMARIZE_OPTIONS: ReadonlySet<string> = new Set(["summarize", "signal"]);
const COMPACT_OPTIONS: ReadonlySet<string> = new Set([
  "summarize",
  "keepTokens",
  "keepMessages",
  "branch",
  "strategy",
  "signal",
]);
