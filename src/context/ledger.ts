/** What happened to every message on its way to the model. */
import { checkList, checkObject, checkObjects } from "../util/checked-arguments.ts";
import type { Budget } from "./budget.ts";
import type { ContextItem } from "./item.ts";
import type { EmptiedReason, LocatedRepair, Repair, Repaired } from "./pairs.ts";

export interface Kept {
  readonly id: string;
  readonly tokens: number;
  /** Sent in part only. */
  readonly truncated?: true;
  /** Kept although the messages around it are dropped: the user's last message. */
  readonly pinned?: true;
  /** Sent as part of the message with this id, which carries its tokens. */
  readonly joined?: string;
}

export type DropReason =
  /** Did not fit. */
  | "budget"
  /** Precedes the last N messages. */
  | "window"
  /** None of it could be sent, see `repaired`. */
  | EmptiedReason;

/** For people. */
export const DROP_WORDS: Readonly<Record<DropReason, string>> = {
  budget: "over budget",
  window: "before the window",
  "orphan-result": "tool results without a call",
  "duplicate-result": "duplicate tool results",
  "misplaced-call": "tool calls that are not from the assistant",
};

/** Adjacent messages that were dropped for the same reason. */
export interface Dropped {
  readonly reason: DropReason;
  readonly count: number;
  /** First and last id; `null` for messages that were not loaded. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface Ledger {
  readonly budget: Budget & { readonly used: number };
  /** In sending order. */
  readonly kept: readonly Kept[];
  readonly summarised: {
    readonly count: number;
    readonly compaction: string | null;
    readonly tokens: number;
  };
  readonly repaired: readonly Repair[];
  readonly dropped: readonly Dropped[];
  /** Ids of messages before which others are damaged and missing. A notice in their place says so. */
  readonly holes: readonly string[];
  /** Whether we added a notice to the messages. */
  readonly notice: boolean;
}

/** How many messages the ledger accounts for: always all of them. */
export function accounted(ledger: Ledger): number {
  checkObject(ledger, "ledger");
  const { kept, summarised, dropped } = ledger;
  checkList(kept, "kept");
  checkObject(summarised, "summarised");
  checkObjects(dropped, "dropped");
  return dropped.reduce((sum, { count }) => sum + count, kept.length + summarised.count);
}

/** A message of the conversation that is sent, identified by its position. */
export interface KeptItem {
  readonly index: number;
  readonly tokens: number;
  readonly truncated: boolean;
  readonly pinned: boolean;
  readonly joined: readonly number[];
}

/** Where the kept part of the conversation starts. */
export interface Boundary {
  /** Messages before this are outside the window. */
  readonly window: number;
  /** Messages before this are dropped unless they are pinned. */
  readonly kept: number;
  /** Summarised messages were removed before this one, so no range may span it. */
  readonly gap: number;
}

export function keptEntries(items: readonly ContextItem[], parts: readonly KeptItem[]): Map<number, Kept> {
  const kept = new Map<number, Kept>();
  const idAt = (index: number): string => (items[index] as ContextItem).id;
  for (const { index, tokens, truncated, pinned, joined } of parts) {
    const before = kept.get(index);
    const marks = { ...(truncated && { truncated }), ...(pinned && { pinned }) };
    // Synthetic results count towards their call.
    kept.set(index, { ...before, id: idAt(index), tokens: tokens + (before?.tokens ?? 0), ...marks });
    for (const other of joined) kept.set(other, { id: idAt(other), tokens: 0, joined: idAt(index) });
  }
  return kept;
}

/** Dropped messages as ranges, so that a long conversation does not make a long ledger. */
export function droppedRanges(
  items: readonly ContextItem[],
  kept: ReadonlyMap<number, Kept>,
  { emptied }: Repaired,
  boundary: Boundary,
): Dropped[] {
  const ranges: { reason: DropReason; count: number; from: string; to: string }[] = [];
  const reasonOf = (index: number): DropReason => {
    if (index < boundary.window) return "window";
    if (index < boundary.kept) return "budget";
    return emptied.get(index) ?? "orphan-result"; // its call precedes the boundary
  };
  let open = false;
  for (let index = 0; index < items.length; index++) {
    if (kept.has(index) || index === boundary.gap) open = false;
    if (kept.has(index)) continue;
    const { id } = items[index] as ContextItem;
    const reason = reasonOf(index);
    const last = ranges.at(-1);
    if (open && last?.reason === reason) {
      last.count++;
      last.to = id;
    } else {
      ranges.push({ reason, count: 1, from: id, to: id });
    }
    open = true;
  }
  return ranges;
}

/** The repairs of messages that are sent. A result whose call is dropped is an orphan to the model. */
export function repairsSent(
  items: readonly ContextItem[],
  kept: ReadonlyMap<number, Kept>,
  { repairs }: Repaired,
  boundary: Boundary,
): Repair[] {
  const isSent = (index: number): boolean => index >= boundary.kept || kept.has(index);
  return repairs.flatMap(({ kind, toolUseId, index, callIndex }: LocatedRepair) => {
    if (!isSent(index)) return [];
    const { id } = items[index] as ContextItem;
    return [{ kind: isSent(callIndex) ? kind : "orphan-result", toolUseId, id }];
  });
}

/** The holes between messages that are sent. */
export function holesSent(
  items: readonly ContextItem[],
  kept: ReadonlyMap<number, Kept>,
  boundary: Boundary,
): string[] {
  return items.flatMap(({ id, afterHole }, index) =>
    afterHole && (index >= boundary.kept || kept.has(index)) ? [id] : [],
  );
}
