/** One chat message of OpenAI's API as ours. */
import { fromOpenAI } from "../../../message/apis/openai.ts";
import { toolInput } from "../../../message/tool-input.ts";
import type { Block, Message, Role } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { Sink } from "../../contract/reader.ts";
import type { OpenCall, ReadMessage } from "../shared/chat-messages.ts";
import { contentOf } from "../shared/whole-tree-blocks.ts";

export function readMessage(
  foreign: JsonObject,
  id: string,
  open: readonly OpenCall[],
  sink: Sink,
): ReadMessage {
  const message = converted(foreign, sink);
  if (foreign.role === "user") return { message, open: [] };
  if (foreign.role === "assistant") return withCalls(message, foreign, id, open);
  if (foreign.role === "tool" || foreign.role === "function") return withResult(message, foreign, id, open);
  return { message, open };
}

function converted(foreign: JsonObject, sink: Sink): Message {
  const content = ownContent(foreign);
  if (content !== undefined) return { role: foreign.role === "assistant" ? "assistant" : "user", content };
  try {
    const [message] = fromOpenAI([foreign]);
    if (message !== undefined) return message;
  } catch {
    sink.unknown(`role ${textIn(foreign.role) ?? "none"}`);
  }
  return unusual(foreign);
}

/** Messages that the conversion refuses: another role, or excessive nesting. */
function unusual({ role, content }: JsonObject): Message {
  const known: Role = role === "assistant" || role === "user" ? role : "system";
  return {
    role: known,
    content:
      textIn(content) ?? contentOf(listIn(content).map((part): Block => ({ type: "openai_part", part }))),
    ...(role !== known && { extra: { openai: { role: role ?? null } } }),
  };
}

/** Some programs write blocks of Claude into such files. They need no conversion. */
function ownContent({ role, content, tool_calls }: JsonObject): Block[] | undefined {
  if ((role !== "user" && role !== "assistant") || tool_calls !== undefined || !Array.isArray(content))
    return undefined;
  return content.some(isOwnBlock) && content.every((part) => filledIn(objectIn(part)?.type) !== undefined)
    ? (content as Block[])
    : undefined;
}

function isOwnBlock(part: Json): boolean {
  const block = objectIn(part) ?? {};
  switch (block.type) {
    case "tool_use":
      return (
        filledIn(block.id) !== undefined &&
        filledIn(block.name) !== undefined &&
        objectIn(block.input) !== undefined
      );
    case "tool_result":
      return filledIn(block.tool_use_id) !== undefined;
    case "thinking":
      return typeof block.thinking === "string";
    case "image":
    case "document":
      return objectIn(block.source) !== undefined;
    default:
      return false;
  }
}

/** Adds the missing ids and the original arguments of calls, which are in the order of the source. */
function withCalls(
  message: Message,
  foreign: JsonObject,
  id: string,
  open: readonly OpenCall[],
): ReadMessage {
  const calls = Array.isArray(foreign.tool_calls) ? foreign.tool_calls : [foreign.function_call ?? null];
  if (typeof message.content === "string") return { message, open };
  const made: OpenCall[] = [];
  let position = 0;
  const content = message.content.map((block): Block => {
    if (block.type !== "tool_use" && block.type !== "openai_tool_call") return block;
    const call = objectIn(calls[position++] ?? null);
    if (block.type !== "tool_use" || call === undefined) return block;
    const form = objectIn(call.function) ?? call;
    const own = { ...block, ...(call.custom === undefined && toolInput(form.arguments)) };
    if (filledIn(call.id) !== undefined) return own;
    made.push({ id: madeId("call", id, position), name: String(block.name) });
    return { ...own, id: made.at(-1)?.id ?? id };
  });
  return { message: { ...message, content }, open: [...open, ...made] };
}

function withResult(
  message: Message,
  foreign: JsonObject,
  id: string,
  open: readonly OpenCall[],
): ReadMessage {
  if (filledIn(foreign.tool_call_id) !== undefined || typeof message.content === "string")
    return { message, open };
  const name = filledIn(foreign.name);
  const call = open.find((known) => known.name === name) ?? (name === undefined ? open[0] : undefined);
  const own =
    call === undefined ? { tool_use_id: madeId("result", id) } : { tool_use_id: call.id, paired: "order" };
  const content = message.content.map(
    (block): Block => (block.type === "tool_result" ? { ...block, ...own } : block),
  );
  return { message: { ...message, content }, open: open.filter((known) => known !== call) };
}
