/**
 * Tool pairs as APIs require them: every call has its result in the next
 * message, and every result has its call in the previous one.
 *
 * Logs differ: a run was interrupted, results came late or twice, an import
 * lost some. Repairs are made for the model only; the log does not change.
 * A repaired unit is an assistant message with calls plus one user message with
 * their results; every other message is a unit by itself.
 */
import { isToolBlock, isToolResult, isToolUse } from "../message/blocks.ts";
import type { Block, Message, ToolResultBlock, ToolUseBlock } from "../message/types.ts";
import { type Bindings, type BoundResult, bindResults, type Call } from "./bind.ts";
import { type ContextItem, checkItems } from "./item.ts";

export type RepairKind =
  | "missing-result"
  | "orphan-result"
  | "duplicate-result"
  | "moved-result"
  /** The id was taken: call and result are sent under another one. */
  | "renamed-call"
  /** A call outside an assistant message, which APIs reject. */
  | "misplaced-call";

export interface Repair {
  readonly kind: RepairKind;
  readonly toolUseId: string;
  /** The entry with the call (missing, renamed) or the result. */
  readonly id: string;
}

/** Why nothing of a message is left to send. */
export type EmptiedReason = "orphan-result" | "duplicate-result" | "misplaced-call";

export interface RepairedPairs {
  /** A message created to hold results carries the id of the call's entry. */
  readonly items: readonly ContextItem[];
  readonly repairs: readonly Repair[];
  /** Messages of which nothing is left, except those sent as part of another. */
  readonly dropped: readonly { readonly id: string; readonly reason: EmptiedReason }[];
}

/** Complete the tool pairs of messages for a model. The arguments are not modified. */
export function repairToolPairs(items: readonly ContextItem[]): RepairedPairs {
  checkItems(items);
  const { sent, repairs, emptied } = repairPairs(items);
  const idAt = (index: number): string => (items[index] as ContextItem).id;
  return {
    items: sent.map(({ index, message }) => ({ id: idAt(index), message })),
    repairs: repairs.map(({ kind, toolUseId, index }) => ({ kind, toolUseId, id: idAt(index) })),
    dropped: Array.from(emptied, ([index, reason]) => ({ id: idAt(index), reason })),
  };
}

/** A message to send. Positions refer to the original messages. */
export interface SentItem {
  readonly index: number;
  readonly message: Message;
  /** Messages that consist of results only, which are sent as part of this one. */
  readonly joined: readonly number[];
  /** This message has calls, and the next one their results. */
  readonly calls: boolean;
}

export interface LocatedRepair {
  readonly kind: RepairKind;
  readonly toolUseId: string;
  readonly index: number;
  /** Position of the call: the repair matters only when the call is sent too. */
  readonly callIndex: number;
}

export interface Repaired {
  readonly sent: readonly SentItem[];
  readonly repairs: readonly LocatedRepair[];
  readonly emptied: ReadonlyMap<number, EmptiedReason>;
}

const NOTHING: readonly number[] = [];

export function repairPairs(items: readonly ContextItem[]): Repaired {
  const bindings = bindResults(items);
  const groups = groupResults(items, bindings);
  const sent: SentItem[] = [];
  const emptied = new Map<number, EmptiedReason>();
  const reasons = new Map(bindings.strays.map(({ index, kind }) => [index, kind]));
  for (let index = 0; index < items.length; index++) {
    const { message } = items[index] as ContextItem;
    const calls = bindings.calls.get(index);
    if (!bindings.touched.has(index)) {
      sent.push({ index, message, joined: NOTHING, calls: false });
    } else if (calls !== undefined) {
      sent.push({ index, message: callsMessage(message, calls), joined: NOTHING, calls: true });
      sent.push(resultsItem(items, index, calls, groups));
    } else if (!groups.gone.has(index)) {
      const rest = otherBlocks(message);
      if (rest.length > 0)
        sent.push({ index, message: { ...message, content: rest }, joined: NOTHING, calls: false });
      else emptied.set(index, reasons.get(index) ?? "misplaced-call");
    }
  }
  return { sent, repairs: repairsOf(items, bindings, groups), emptied };
}

function otherBlocks({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [] : content.filter((block) => !isToolBlock(block));
}

/** The results of the calls at one position. */
interface ResultGroup {
  readonly results: BoundResult[];
  /** The message that is sent with the results, and keeps its other blocks. */
  host: number | undefined;
  /** Messages that consist of results of these calls only. */
  readonly joined: number[];
}

interface ResultGroups {
  readonly at: ReadonlyMap<number, ResultGroup>;
  /** Messages that are sent as part of a group, not at their own position. */
  readonly gone: ReadonlySet<number>;
}

/**
 * Decide which calls each message with results is sent after. One that answers
 * several messages goes to the last of them, because a context keeps the end of
 * a conversation.
 */
function groupResults(items: readonly ContextItem[], { results, calls }: Bindings): ResultGroups {
  const at = new Map<number, ResultGroup>();
  const groupOf = new Map<number, number>();
  for (const result of results) {
    const callIndex = result.call.index;
    const group: ResultGroup = at.get(callIndex) ?? { results: [], host: undefined, joined: [] };
    group.results.push(result);
    at.set(callIndex, group);
    groupOf.set(result.index, Math.max(callIndex, groupOf.get(result.index) ?? 0));
  }
  const gone = new Set<number>();
  for (const [index, callIndex] of groupOf) {
    const { message } = items[index] as ContextItem;
    const group = at.get(callIndex) as ResultGroup;
    const bare = !calls.has(index) && otherBlocks(message).length === 0;
    const next = index === callIndex + 1 && message.role === "user";
    if (next || (bare && message.role === "user" && group.host === undefined)) group.host = index;
    else if (bare) group.joined.push(index);
    if (next || bare) gone.add(index);
  }
  return { at, gone };
}

function callsMessage(message: Message, calls: readonly Call[]): Message {
  const content = message.content as readonly Block[];
  const renamed = calls.some(({ id, sentId }) => sentId !== id);
  if (!renamed && !content.some(isToolResult)) return message;
  const inOrder = calls.values();
  const sent = content.filter((block) => !isToolResult(block));
  return { ...message, content: sent.map((block) => (isToolUse(block) ? nextId(block, inOrder) : block)) };
}

function nextId(block: ToolUseBlock, calls: Iterator<Call>): ToolUseBlock {
  return { ...block, id: (calls.next().value as Call).sentId };
}

function resultsItem(
  items: readonly ContextItem[],
  index: number,
  calls: readonly Call[],
  { at }: ResultGroups,
): SentItem {
  const { results, host, joined }: ResultGroup = at.get(index) ?? {
    results: [],
    host: undefined,
    joined: [],
  };
  const found = results.map(({ block, call }) => withId(block, call.sentId));
  const missing = calls.filter(({ result }) => result === undefined).map(({ sentId }) => noResult(sentId));
  const message = host === undefined ? undefined : (items[host] as ContextItem).message;
  const content = [...found, ...missing, ...(message ? otherBlocks(message) : [])];
  const same = message !== undefined && sameBlocks(message.content as readonly Block[], content);
  return {
    index: host ?? index,
    message: same ? message : { role: "user", ...message, content },
    joined,
    calls: false,
  };
}

function withId(block: ToolResultBlock, id: string): ToolResultBlock {
  return block.tool_use_id === id ? block : { ...block, tool_use_id: id };
}

function noResult(id: string): ToolResultBlock {
  return {
    type: "tool_result",
    tool_use_id: id,
    content: "[no result recorded: the call was interrupted or its result was lost]",
    is_error: true,
  };
}

function sameBlocks(before: readonly Block[], after: readonly Block[]): boolean {
  return before.length === after.length && before.every((block, at) => block === after[at]);
}

function repairsOf(
  items: readonly ContextItem[],
  bindings: Bindings,
  { at, gone }: ResultGroups,
): LocatedRepair[] {
  const repairs: LocatedRepair[] = bindings.strays.map((stray) => ({ ...stray, callIndex: stray.index }));
  for (const [index, calls] of bindings.calls) {
    for (const { id, sentId, result } of calls) {
      const place = { toolUseId: id, index, callIndex: index };
      if (sentId !== id) repairs.push({ kind: "renamed-call", ...place });
      if (result === undefined) repairs.push({ kind: "missing-result", ...place });
    }
  }
  for (const { inPlace, index, call, block } of bindings.results) {
    // A result also counts as moved when the rest of its message stays behind.
    const stays = inPlace && (gone.has(index) || at.get(call.index)?.host === index);
    if (!stays)
      repairs.push({ kind: "moved-result", toolUseId: block.tool_use_id, index, callIndex: call.index });
  }
  for (const index of bindings.touched) {
    const { role, content } = (items[index] as ContextItem).message;
    if (role === "assistant") continue;
    for (const { id } of (content as readonly Block[]).filter(isToolUse)) {
      repairs.push({ kind: "misplaced-call", toolUseId: id, index, callIndex: index });
    }
  }
  return repairs.sort((one, other) => one.index - other.index);
}
