import { isToolBlock, isToolResult, isToolUse } from "../message/blocks.ts";
import type { Block, ToolResultBlock } from "../message/types.ts";
import type { ContextItem } from "./item.ts";

/** A tool call and its result. */
export interface Call {
  readonly id: string;
  /** Position of the assistant message. */
  readonly index: number;
  /** The id that is sent: APIs reject an id that occurs twice. */
  readonly sentId: string;
  result?: BoundResult;
}

export interface BoundResult {
  readonly call: Call;
  readonly block: ToolResultBlock;
  /** Position of the message that holds it. */
  readonly index: number;
  /** Only other results occur between the call and this result. */
  readonly inPlace: boolean;
}

/** A result that has no call to belong to. */
interface Stray {
  readonly kind: "orphan-result" | "duplicate-result";
  readonly toolUseId: string;
  readonly index: number;
}

/** Which result belongs to which call, keyed by the position of the message. */
export interface Bindings {
  readonly calls: ReadonlyMap<number, readonly Call[]>;
  /** In stored order. */
  readonly results: readonly BoundResult[];
  readonly strays: readonly Stray[];
  /** Positions of messages with calls or results; no other message is ever changed. */
  readonly touched: ReadonlySet<number>;
}

/**
 * Find the call for every result.
 *
 * A result belongs to the most recent preceding call with its id. Ids do repeat
 * (some servers name a call after its function), and an earlier call that is
 * still open by then was abandoned: its result would have come first.
 */
export function bindResults(items: readonly ContextItem[]): Bindings {
  const calls = new Map<number, Call[]>();
  const newest = new Map<string, Call[]>();
  const sentIds = new SentIds();
  const results: BoundResult[] = [];
  const strays: Stray[] = [];
  const touched = new Set<number>();
  /** The message whose results are being read, as long as nothing else comes between. */
  let adjacent = -1;

  const openCalls = (index: number, content: readonly Block[]): void => {
    const own: Call[] = [];
    for (const { id } of content.filter(isToolUse)) own.push({ id, index, sentId: sentIds.take(id) });
    if (own.length === 0) return;
    calls.set(index, own);
    for (const { id } of own)
      newest.set(
        id,
        own.filter((call) => call.id === id),
      );
  };
  const bind = (index: number, block: ToolResultBlock): void => {
    const { tool_use_id: toolUseId } = block;
    const candidates = newest.get(toolUseId);
    const call = candidates?.find(({ result }) => result === undefined);
    if (call === undefined) {
      strays.push({ kind: candidates ? "duplicate-result" : "orphan-result", toolUseId, index });
      return;
    }
    call.result = { call, block, index, inPlace: call.index === adjacent };
    results.push(call.result);
  };

  for (let index = 0; index < items.length; index++) {
    const { role, content } = (items[index] as ContextItem).message;
    if (role !== "user" || typeof content === "string") adjacent = -1;
    if (typeof content === "string") continue;
    if (role === "assistant") openCalls(index, content);
    for (const block of content) {
      if (isToolResult(block)) bind(index, block);
      else adjacent = -1;
      if (isToolBlock(block)) touched.add(index);
    }
    if (calls.has(index)) adjacent = index;
  }
  return { calls, results, strays, touched };
}

/** Hands out every id once. */
class SentIds {
  /** The suffix for the next call with the same id. */
  readonly #next = new Map<string, number>();

  take(id: string): string {
    let candidate = id;
    let number = this.#next.get(id) ?? 1;
    while (this.#next.has(candidate)) candidate = `${id}_${++number}`;
    this.#next.set(candidate, 1);
    if (candidate !== id) this.#next.set(id, number);
    return candidate;
  }
}
