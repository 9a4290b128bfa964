/**
 * Fit a conversation into a model's context window.
 *
 * Kept are a suffix of the conversation, in whole units, and the pinned
 * messages: the summary of what came before, and the user's last message. By
 * our own count the result never exceeds the budget.
 */
import { invalid } from "../errors.ts";
import type { Message } from "../message/types.ts";
import { checkObject } from "../util/checked-arguments.ts";
import { budgetOf, checkFitOptions, type FitOptions, type ItemOptions, summaryTextOf } from "./budget.ts";
import { type ContextItem, checkItems, checkMessages } from "./item.ts";
import { type Dropped, droppedRanges, holesSent, keptEntries, type Ledger, repairsSent } from "./ledger.ts";
import { omissionNotice, openingNotice } from "./notes.ts";
import {
  type Arrangement,
  type Candidates,
  type CountedMessage,
  counted,
  type Selection,
  select,
} from "./select.ts";
import { type CountedItem, UnitList } from "./unit-list.ts";

export interface FittedContext {
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  /** Estimated size of `messages`, in tokens. */
  readonly tokens: number;
}

/**
 * The messages that fit alongside the system prompt and the tools.
 *
 * The ledger identifies a message by its position, from "0". Fails with
 * `VALIDATION_ERROR` when nothing is left for messages.
 */
export function fitToContextWindow(
  system: string | readonly object[] | undefined,
  messages: readonly Message[],
  tools: readonly object[] | undefined,
  options: FitOptions,
): FittedContext {
  if (!Array.isArray(messages)) throw invalid("messages must be an array", "messages");
  checkMessages(messages, "messages");
  checkFitOptions(options);
  const items = messages.map((message: Message, index) => ({ id: String(index), message }));
  return fitItems(items, { ...options, system, tools });
}

/** The same for entries of a store, which have ids. */
export function fitItems(
  items: readonly ContextItem[],
  options: ItemOptions,
  arrangement: Arrangement = {},
): FittedContext {
  checkItems(items);
  checkObject(options, "options");
  checkObject(arrangement, "arrangement");
  const budget = budgetOf(items, options);
  const prepared = new UnitList(items, budget, options, arrangement.whole);
  const summaryText = summaryTextOf(options);
  const { messages: earlier = 0, summarised: covered = 0 } = options.earlier ?? {};
  const summarised = summaryText === undefined ? 0 : Math.min(covered, earlier);
  const unseen = earlier - summarised;
  const candidates = { prepared, budget, arrangement, summaryText, count: items.length, summarised, unseen };
  return assemble(items, options, candidates, select(candidates));
}

function assemble(
  items: readonly ContextItem[],
  options: ItemOptions,
  candidates: Candidates,
  selection: Selection,
): FittedContext {
  const { budget, prepared } = candidates;
  const { pinned, summary, boundary } = selection;
  const head = partsOf(prepared, 0, selection.headEnd);
  const rest = partsOf(prepared, selection.start, prepared.count);
  const kept = keptEntries(items, [...head, ...(pinned ? [pinned] : []), ...rest]);
  const dropped = [
    ...unloaded(candidates, selection),
    ...droppedRanges(items, kept, prepared.repaired, boundary),
  ];

  const [front, back] = inOrder(head, selection, rest);
  const notice = selection.noticeFits ? noticeFor(dropped, [...front, ...back]) : undefined;
  const sent = [...front, ...(notice ? [counted(notice, budget)] : []), ...back];
  const used = sent.reduce((sum, { tokens }) => sum + tokens, 0);
  const ledger: Ledger = {
    budget: { ...budget, used },
    kept: [...kept.values()],
    summarised: {
      count: summary === undefined ? 0 : candidates.summarised,
      compaction: summary !== undefined && typeof options.summary === "object" ? options.summary.id : null,
      tokens: summary?.tokens ?? 0,
    },
    repaired: repairsSent(items, kept, prepared.repaired, boundary),
    dropped,
    holes: holesSent(items, kept, boundary),
    notice: notice !== undefined,
  };
  return { messages: sent.map(({ message }) => message), ledger, tokens: used };
}

function partsOf(prepared: UnitList, from: number, to: number): CountedItem[] {
  const parts: CountedItem[] = [];
  for (let number = from; number < to; number++) parts.push(...prepared.unit(number).parts);
  return parts;
}

/** Messages that were not loaded, unless a summary that is sent covers them. */
function unloaded({ summarised, unseen }: Candidates, { summary, boundary }: Selection): Dropped[] {
  const count = summary === undefined ? unseen + summarised : unseen;
  return count === 0
    ? []
    : [{ reason: boundary.window > 0 ? "window" : "budget", count, from: null, to: null }];
}

/** The messages in sending order, in two halves: a notice goes between them, where messages are missing. */
function inOrder(
  head: readonly CountedItem[],
  { summary, pinned }: Selection,
  rest: readonly CountedItem[],
): [CountedMessage[], CountedMessage[]] {
  const middle = summary ? [summary] : [];
  if (head.length > 0) return [[], [...head, ...middle, ...rest]];
  if (pinned === undefined) return [middle, [...rest]];
  return rest.length > 0 ? [[...middle, pinned], [...rest]] : [middle, [pinned]];
}

function noticeFor(dropped: readonly Dropped[], sent: readonly CountedMessage[]): Message | undefined {
  const absent = dropped.filter(({ reason }) => reason === "budget" || reason === "window");
  const count = absent.reduce((sum, range) => sum + range.count, 0);
  if (count > 0) return omissionNotice(count);
  const first = sent.find(({ message }) => message.role !== "system");
  return first?.message.role === "assistant" ? openingNotice() : undefined;
}
