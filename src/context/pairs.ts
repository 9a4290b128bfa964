/**
 * Tool pairs as APIs want them: every call has its result in the message that
 * follows, and every result its call in the message before.
 *
 * Logs are not like that: a run was interrupted, results came late or twice, an
 * import lost some. The repair is for the model only, the log stays as it is.
 * The unit that results is an assistant's message with calls and the one user
 * message with their results; every other message is a unit by itself.
 */
import { isToolBlock, isToolResult, isToolUse } from "../message/blocks.ts";
import type { Block, Message, ToolResultBlock, ToolUseBlock } from "../message/types.ts";
import { type Answer, type Bindings, bindResults, type Call } from "./bind.ts";
import type { ContextItem } from "./item.ts";

export type RepairKind =
  | "missing-result"
  | "orphan-result"
  | "duplicate-result"
  | "moved-result"
  /** The id was in use: call and result are sent under another one. */
  | "renamed-call"
  /** A call in a message that is not the assistant's, which APIs refuse. */
  | "misplaced-call";

export interface Repair {
  readonly kind: RepairKind;
  readonly toolUseId: string;
  /** The entry in which the call (missing, renamed) or the result stands. */
  readonly id: string;
}

/** Why a message has nothing left to send. */
export type EmptiedReason = "orphan-result" | "duplicate-result" | "misplaced-call";

export interface RepairedPairs {
  /** A message that was made for results carries the id of the call's entry. */
  readonly items: readonly ContextItem[];
  readonly repairs: readonly Repair[];
  /** Messages of which nothing remained. Not those whose results are sent within another. */
  readonly dropped: readonly { readonly id: string; readonly reason: EmptiedReason }[];
}

/** Messages for a model, with whole tool pairs. What is given is not changed. */
export function repairToolPairs(items: readonly ContextItem[]): RepairedPairs {
  const { sent, repairs, emptied } = repairPairs(items);
  const idAt = (index: number): string => (items[index] as ContextItem).id;
  return {
    items: sent.map(({ index, message }) => ({ id: idAt(index), message })),
    repairs: repairs.map(({ kind, toolUseId, index }) => ({ kind, toolUseId, id: idAt(index) })),
    dropped: Array.from(emptied, ([index, reason]) => ({ id: idAt(index), reason })),
  };
}

/** A message to send. Positions are those of the messages that were given. */
export interface SentItem {
  readonly index: number;
  readonly message: Message;
  /** Messages whose results are sent within this one, and of which nothing else is left. */
  readonly joined: readonly number[];
  /** The next message has the results of this one. */
  readonly calls: boolean;
}

export interface LocatedRepair {
  readonly kind: RepairKind;
  readonly toolUseId: string;
  readonly index: number;
  /** Where the call stands: the repair matters only when that is sent too. */
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
  const homes = homesOf(items, bindings);
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
      sent.push(resultsItem(items, index, calls, homes));
    } else if (!homes.gone.has(index)) {
      const rest = otherBlocks(message);
      if (rest.length > 0)
        sent.push({ index, message: { ...message, content: rest }, joined: NOTHING, calls: false });
      else emptied.set(index, reasons.get(index) ?? "misplaced-call");
    }
  }
  return { sent, repairs: repairsOf(items, bindings, homes), emptied };
}

function otherBlocks({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [] : content.filter((block) => !isToolBlock(block));
}

/** The results of the calls at one position. */
interface Home {
  readonly answers: Answer[];
  /** The message that is sent with the results, and keeps what else it says. */
  host: number | undefined;
  /** Messages that are nothing but results of these calls. */
  readonly joined: number[];
}

interface Homes {
  readonly at: ReadonlyMap<number, Home>;
  /** Messages that are not sent where they stand. */
  readonly gone: ReadonlySet<number>;
}

/**
 * Where the messages with results go. One that answers several messages goes
 * to the last of them: a context keeps the end of a conversation.
 */
function homesOf(items: readonly ContextItem[], { answers, calls }: Bindings): Homes {
  const at = new Map<number, Home>();
  const homeOf = new Map<number, number>();
  for (const answer of answers) {
    const callIndex = answer.call.index;
    const home: Home = at.get(callIndex) ?? { answers: [], host: undefined, joined: [] };
    home.answers.push(answer);
    at.set(callIndex, home);
    homeOf.set(answer.index, Math.max(callIndex, homeOf.get(answer.index) ?? 0));
  }
  const gone = new Set<number>();
  for (const [index, callIndex] of homeOf) {
    const { message } = items[index] as ContextItem;
    const home = at.get(callIndex) as Home;
    const bare = !calls.has(index) && otherBlocks(message).length === 0;
    const next = index === callIndex + 1 && message.role === "user";
    if (next || (bare && message.role === "user" && home.host === undefined)) home.host = index;
    else if (bare) home.joined.push(index);
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
  { at }: Homes,
): SentItem {
  const { answers, host, joined }: Home = at.get(index) ?? { answers: [], host: undefined, joined: [] };
  const found = answers.map(({ block, call }) => withId(block, call.sentId));
  const missing = calls.filter(({ answer }) => answer === undefined).map(({ sentId }) => noResult(sentId));
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

function repairsOf(items: readonly ContextItem[], bindings: Bindings, { at, gone }: Homes): LocatedRepair[] {
  const repairs: LocatedRepair[] = bindings.strays.map((stray) => ({ ...stray, callIndex: stray.index }));
  for (const [index, calls] of bindings.calls) {
    for (const { id, sentId, answer } of calls) {
      const place = { toolUseId: id, index, callIndex: index };
      if (sentId !== id) repairs.push({ kind: "renamed-call", ...place });
      if (answer === undefined) repairs.push({ kind: "missing-result", ...place });
    }
  }
  for (const { inPlace, index, call, block } of bindings.answers) {
    // Also one that leaves a message which goes on without it.
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
