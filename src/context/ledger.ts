/** What became of every message on its way to the model. */
import type { Budget } from "./budget.ts";
import type { ContextItem } from "./item.ts";
import type { EmptiedReason, LocatedRepair, Repair, Repaired } from "./pairs.ts";

export interface Kept {
  readonly id: string;
  readonly tokens: number;
  /** Something was cut out of it. */
  readonly truncated?: true;
  /** Kept although it lies before what else is kept: the user's last message. */
  readonly pinned?: true;
  /** Its results are sent within the message of this id, which has its tokens. */
  readonly joined?: string;
}

export type DropReason =
  /** Did not fit. */
  | "budget"
  /** Lies before the last N messages. */
  | "window"
  /** Nothing of it could be sent, see `repaired`. */
  | EmptiedReason;

/** Neighbours that were left out for one reason. */
export interface Dropped {
  readonly reason: DropReason;
  readonly count: number;
  /** First and last id; `null` for messages that were not loaded. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface Ledger {
  readonly budget: Budget & { readonly used: number };
  /** In the order in which they are sent. */
  readonly kept: readonly Kept[];
  readonly summarised: {
    readonly count: number;
    readonly compaction: string | null;
    readonly tokens: number;
  };
  readonly repaired: readonly Repair[];
  readonly dropped: readonly Dropped[];
  /** Whether a note of ours was put among the messages. */
  readonly notice: boolean;
}

/** How many messages the ledger speaks of. Always as many as there were. */
export function accounted({ kept, summarised, dropped }: Ledger): number {
  return dropped.reduce((sum, { count }) => sum + count, kept.length + summarised.count);
}

/** A message of the conversation that is sent, by its position. */
export interface KeptPart {
  readonly index: number;
  readonly tokens: number;
  readonly truncated: boolean;
  readonly pinned: boolean;
  readonly joined: readonly number[];
}

/** Where the part of the conversation that is kept begins. */
export interface Boundary {
  /** Before this the window was closed. */
  readonly window: number;
  /** Before this nothing is kept but what is pinned. */
  readonly kept: number;
  /** Messages that a summary stands for were taken out before this one: no range goes across. */
  readonly gap: number;
}

export function keptEntries(items: readonly ContextItem[], parts: readonly KeptPart[]): Map<number, Kept> {
  const kept = new Map<number, Kept>();
  const idAt = (index: number): string => (items[index] as ContextItem).id;
  for (const { index, tokens, truncated, pinned, joined } of parts) {
    const before = kept.get(index);
    const marks = { ...(truncated && { truncated }), ...(pinned && { pinned }) };
    // Results that were made up for a call count with the call.
    kept.set(index, { ...before, id: idAt(index), tokens: tokens + (before?.tokens ?? 0), ...marks });
    for (const other of joined) kept.set(other, { id: idAt(other), tokens: 0, joined: idAt(index) });
  }
  return kept;
}

/** What is not kept, as ranges: a long conversation must not make a long ledger. */
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
    return emptied.get(index) ?? "orphan-result"; // its call lies before the boundary
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

/** The repairs of what is sent. A result whose call is not sent is an orphan for the model. */
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
