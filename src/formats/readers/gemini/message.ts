/** Converts one message record of Gemini CLI to a message and the results of its calls. */
import type { Block, Message } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, objectsIn, textIn, timeIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceEntry, SourceRecord } from "../../contract/reader.ts";
import { blocksOf, isFailed, resultContent, toolUse } from "./parts.ts";

export interface Spoken {
  readonly id: string;
  readonly parent: string | null | undefined;
  /** The final version. */
  readonly value: JsonObject;
  /** All versions. */
  readonly records: readonly SourceRecord[];
  /** Calls whose results were added with the message of the call. */
  readonly answered: ReadonlySet<string>;
  /** The id that the calls of this version have if they come after the rest of the message. */
  readonly callsId: string;
}

export function isSpoken({ type }: JsonObject): boolean {
  return type === "user" || type === "gemini";
}

/** The first message of a session, which the program writes in the name of the user. */
export function isContext({ type, content }: JsonObject): boolean {
  const [first] = blocksOf(content, "");
  return type === "user" && /^\s*<session_context>/.test(textIn(first?.text) ?? "");
}

/** An answer as it is written before its calls have run, if the model said nothing else. */
export function isEmptyAnswer({ type, content, thoughts, toolCalls }: JsonObject): boolean {
  return type === "gemini" && content === "" && listIn(thoughts).length + listIn(toolCalls).length === 0;
}

/** The next message follows the last entry. */
export function entriesOf({ id, parent, value, records, answered, callsId }: Spoken): SourceEntry[] {
  const isAnswer = value.type === "gemini";
  const message = isAnswer ? assistantOf(value, id) : userOf(value, id, answered);
  const isInParts = isAnswer && hasCalls(value) && !isEmptyAnswer({ ...value, toolCalls: [] });
  const at = timeIn(value.timestamp);
  const entry: SourceEntry = { id, parent, at, message, records, ...(isInParts && { aliases: [callsId] }) };
  return [entry, ...resultEntries(value, id, id, records)];
}

/** The calls of an answer that was added before they had run: only then they are written. */
export function callEntries({ id, parent, value, records, callsId }: Spoken): SourceEntry[] {
  const { tokens: _, ...rest } = value;
  const message = assistantOf({ ...rest, content: "", thoughts: [] }, id);
  const entry: SourceEntry = { id: callsId, parent, at: timeIn(value.timestamp), message, records };
  return [entry, ...resultEntries(value, id, callsId, records)];
}

export function hasCalls({ toolCalls }: JsonObject): boolean {
  return objectsIn(toolCalls).length > 0;
}

function resultEntries(
  value: JsonObject,
  id: string,
  parent: string,
  records: readonly SourceRecord[],
): SourceEntry[] {
  const calls = objectsIn(value.toolCalls);
  const content = calls.flatMap((call, index) => resultOf(call, index, id));
  if (content.length === 0) return [];
  return [
    {
      id: `${id}/results`,
      parent,
      at: timeIn(calls.at(-1)?.timestamp) ?? timeIn(value.timestamp),
      message: { role: "user", content, ...agentsIn(calls) },
      records: [resultsRecord(value, calls, records.at(-1))],
    },
  ];
}

/** Results are also written as a message of the user, which repeats them. */
function userOf(value: JsonObject, id: string, answered: ReadonlySet<string>): Message {
  const { content } = value;
  const isRepeated = ({ type, tool_use_id: call }: Block): boolean =>
    type === "tool_result" && answered.has(String(call));
  return {
    role: "user",
    content:
      typeof content === "string" ? content : blocksOf(content, id).filter((block) => !isRepeated(block)),
    ...(isContext(value) ? { extra: { gemini: { injected: true } } } : {}),
  };
}

function assistantOf(value: JsonObject, id: string): Message {
  const { content, thoughts, toolCalls, tokens } = value;
  const thinking = objectsIn(thoughts).map(thinkingOf);
  const calls = objectsIn(toolCalls).map((call, index) =>
    toolUse(callId(call, index, id), call.name, call.args),
  );
  const model = filledIn(value.model);
  const usage = usageOf(objectIn(tokens));
  const isText = typeof content === "string" && thinking.length + calls.length === 0;
  return {
    role: "assistant",
    content: isText ? content : [...thinking, ...saidIn(content, id, calls), ...calls],
    ...defined({ model, usage }),
  };
}

/** Calls may be among the parts and also in a separate list, which has more details. */
function saidIn(content: Json | undefined, id: string, calls: readonly Block[]): Block[] {
  const isListed = (block: Block) =>
    block.type === "tool_use" && calls.some((call) => call.id === block.id || call.name === block.name);
  return content === "" ? [] : blocksOf(content, id).filter((block) => !isListed(block));
}

function thinkingOf({ subject, description }: JsonObject): Block {
  const texts = [subject, description].flatMap((text) => filledIn(text) ?? []);
  return { type: "thinking", thinking: texts.join("\n") };
}

function callId({ id }: JsonObject, index: number, messageId: string): string {
  return filledIn(id) ?? madeId("gemini", messageId, "call", index);
}

const FAILED: ReadonlySet<unknown> = new Set(["error", "cancelled"]);

/** The calls of a message whose results it contains. */
export function resultsOf({ toolCalls }: JsonObject): string[] {
  return objectsIn(toolCalls).flatMap(({ id, result, status }) => {
    const hasResult = result !== undefined && result !== null;
    return hasResult || FAILED.has(status) ? (filledIn(id) ?? []) : [];
  });
}

/** Empty for a call that was still running when the record was written. */
function resultOf(call: JsonObject, index: number, messageId: string): Block[] {
  const { result, status, resultDisplay } = call;
  const id = callId(call, index, messageId);
  const hasResult = result !== undefined && result !== null;
  if (!hasResult && !FAILED.has(status)) return [];
  return [
    {
      type: "tool_result",
      tool_use_id: id,
      content: hasResult ? resultContent(result, id) : (textIn(resultDisplay) ?? ""),
      ...((FAILED.has(status) || isFailed(result)) && { is_error: true }),
      ...(filledIn(call.id) === undefined && { paired: "order" }),
    },
  ];
}

/** The sub-agents of results, by call. Each is a separate conversation. */
function agentsIn(calls: readonly JsonObject[]): { readonly extra?: JsonObject } {
  const agents = calls.flatMap(({ id, agentId }) =>
    typeof id === "string" && typeof agentId === "string" ? [[id, agentId] as const] : [],
  );
  return agents.length === 0 ? {} : { extra: { gemini: { agents: Object.fromEntries(agents) } } };
}

/** The part of the record that the results come from. The whole record is kept with the message. */
function resultsRecord(
  { id }: JsonObject,
  calls: readonly JsonObject[],
  record: SourceRecord | undefined,
): SourceRecord {
  const toolCalls = calls.map((call) => defined({ id: call.id, status: call.status, result: call.result }));
  return {
    value: { ...defined({ id }), toolCalls },
    line: record?.line ?? null,
    offset: record?.offset ?? null,
  };
}

/** `input` includes tokens that were read from the cache. */
function usageOf(tokens: JsonObject | undefined): JsonObject | undefined {
  const [input, output, cached, thoughts] = [
    ...[
      numberIn(tokens?.input),
      numberIn(tokens?.output),
      numberIn(tokens?.cached),
      numberIn(tokens?.thoughts),
    ],
  ];
  const usage = defined({
    input_tokens: input === undefined ? undefined : Math.max(0, input - (cached ?? 0)),
    output_tokens: output,
    cache_read_input_tokens: cached,
    reasoning_tokens: thoughts,
  });
  return Object.keys(usage).length === 0 ? undefined : usage;
}
