import { isToolBlock, isToolResult, isToolUse } from "../message/blocks.ts";
import type { Block, ToolResultBlock } from "../message/types.ts";
import type { ContextItem } from "./item.ts";

/** A tool call, and the result that belongs to it. */
export interface Call {
  readonly id: string;
  /** Where the assistant's message stands. */
  readonly index: number;
  /** The id under which the call is sent: APIs refuse one that occurs twice. */
  readonly sentId: string;
  answer?: Answer;
}

export interface Answer {
  readonly call: Call;
  readonly block: ToolResultBlock;
  /** Where the message that holds it stands. */
  readonly index: number;
  /** Nothing but other results lies between the call and this result. */
  readonly inPlace: boolean;
}

/** A result without a call of its own. */
interface Stray {
  readonly kind: "orphan-result" | "duplicate-result";
  readonly toolUseId: string;
  readonly index: number;
}

/** Which result belongs to which call. Everything is found by the position of a message. */
export interface Bindings {
  readonly calls: ReadonlyMap<number, readonly Call[]>;
  /** In the order in which they are stored. */
  readonly answers: readonly Answer[];
  readonly strays: readonly Stray[];
  /** Messages with calls or results; no other message is ever changed. */
  readonly touched: ReadonlySet<number>;
}

/**
 * Find the call of every result.
 *
 * A result belongs to the newest call of its id before it. Ids do come twice
 * (some servers name a call after its function), and an older call that is
 * still open then was given up: its result would have come first.
 */
export function bindResults(items: readonly ContextItem[]): Bindings {
  const calls = new Map<number, Call[]>();
  const newest = new Map<string, Call[]>();
  const sentIds = new SentIds();
  const answers: Answer[] = [];
  const strays: Stray[] = [];
  const touched = new Set<number>();
  /** The message with calls whose results are being passed, without anything else between. */
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
    const call = candidates?.find(({ answer }) => answer === undefined);
    if (call === undefined) {
      strays.push({ kind: candidates ? "duplicate-result" : "orphan-result", toolUseId, index });
      return;
    }
    call.answer = { call, block, index, inPlace: call.index === adjacent };
    answers.push(call.answer);
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
  return { calls, answers, strays, touched };
}

/** Ids for calls, each given out once. */
class SentIds {
  /** The number that the next call of the same id gets. */
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
