/** Everything that the list of messages shows, in order. */
import type { Pending } from "./chat.ts";
import type { Row } from "./rows.ts";
import type { Running } from "./running.ts";
import type { TimelineState } from "./timeline.ts";

export type Item =
  | Row
  | { readonly kind: "top"; readonly key: "top"; readonly state: TimelineState }
  | { readonly kind: "pending"; readonly key: string; readonly pending: Pending }
  | { readonly kind: "running"; readonly key: string; readonly running: Running }
  | { readonly kind: "failure"; readonly key: "failure"; readonly reason: string }
  | { readonly kind: "bottom"; readonly key: "bottom"; readonly state: TimelineState };

export interface Shown {
  readonly rows: readonly Row[];
  readonly state: TimelineState;
  readonly pending: readonly Pending[];
  readonly running: Running | null;
  readonly failure: string | null;
}

export function itemsOf({ rows, state, pending, running, failure }: Shown): Item[] {
  const items: Item[] = [{ kind: "top", key: "top", state }, ...rows];
  // Live words belong to the end, which is not loaded.
  if (state.hasAfter) return [...items, { kind: "bottom", key: "bottom", state }];
  if (running)
    items.push({ kind: "running", key: `running ${running.run}`, running: withoutStored(running, rows) });
  // They join the conversation after the answer.
  for (const one of pending) items.push({ kind: "pending", key: one.key, pending: one });
  if (failure !== null) items.push({ kind: "failure", key: "failure", reason: failure });
  return items;
}

/** A call that is stored is shown there, with its state. */
function withoutStored(running: Running, rows: readonly Row[]): Running {
  const calls = new Set(
    rows.flatMap((row) =>
      row.kind === "message" ? row.parts.map((part) => (part.kind === "tool" ? part.tool.call.id : "")) : [],
    ),
  );
  return { ...running, tools: running.tools.filter(({ id }) => !calls.has(id)) };
}

const LINE = 24;
const LETTERS_PER_LINE = 90;

/** Close enough: the height is measured when the row is shown. */
export function estimatedHeight(item: Item | undefined): number {
  if (item?.kind !== "message") return 48;
  const { content } = item.entry.message;
  if (typeof content === "string") return 72 + Math.ceil(content.length / LETTERS_PER_LINE) * LINE;
  const letters = item.parts.reduce(
    (sum, part) =>
      sum + (part.kind === "block" && part.block.type === "text" ? String(part.block.text).length : 90),
    0,
  );
  return 72 + Math.ceil(letters / LETTERS_PER_LINE) * LINE;
}
