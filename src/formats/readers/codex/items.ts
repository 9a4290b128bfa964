/** The items of Codex: the input and output of the model. */

import { toolInput } from "../../../message/tool-input.ts";
import type { Block, Message } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { bareImage, contentOf, type OnUnknown, partBlock } from "./content.ts";

/** The parts of an answer, which are combined: thinking, calls, text. */
export type AnswerPart = "thought" | "call" | "said";

export type CodexItem =
  | { readonly side: "user"; readonly content: Message["content"] }
  /** Neither a prompt nor an answer: instructions, and messages of other agents. */
  | { readonly side: "other"; readonly message: Message }
  | {
      readonly side: "answer";
      readonly part: AnswerPart;
      readonly blocks: readonly Block[];
      readonly extra?: JsonObject;
    }
  | { readonly side: "output"; readonly block: Block }
  /** Has no content for a message. */
  | { readonly side: "none" };

const NONE: CodexItem = { side: "none" };

export function readItem(item: JsonObject, onUnknown: OnUnknown): CodexItem {
  const type = textIn(item.type) ?? "none";
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader !== undefined) return reader(item, onUnknown);
  onUnknown(`response_item ${type}`);
  return NONE;
}

const READERS: Readonly<Record<string, (item: JsonObject, onUnknown: OnUnknown) => CodexItem>> = {
  message: readMessage,
  reasoning: readReasoning,
  function_call: (item) => call(item, nameOf(item), item.arguments),
  custom_tool_call: (item) => call(item, nameOf(item), item.input),
  local_shell_call: (item) => call(item, "local_shell", item.action),
  web_search_call: (item) => call(item, WEB_SEARCH, item.action),
  tool_search_call: (item) => call(item, "tool_search", item.arguments),
  function_call_output: readOutput,
  custom_tool_call_output: readOutput,
  local_shell_call_output: readOutput,
  tool_search_output: (item, onUnknown) =>
    readOutput({ ...item, output: JSON.stringify(item.tools ?? []) }, onUnknown),
  image_generation_call: readImage,
  agent_message: readAgentMessage,
  // Markers and encrypted state. The `compacted` record has the relevant facts.
  compaction: () => NONE,
  compaction_summary: () => NONE,
  context_compaction: () => NONE,
  compaction_trigger: () => NONE,
  additional_tools: () => NONE,
  ghost_snapshot: () => NONE,
};

/** The provider runs it, so no output follows. */
export const WEB_SEARCH = "web_search";

/** A placeholder for a missing id, until the position of the call is known. */
export const NO_ID = "";

function readMessage({ role, content, phase }: JsonObject, onUnknown: OnUnknown): CodexItem {
  const said = contentOf(content, onUnknown);
  if (role === "assistant") {
    const blocks: readonly Block[] = typeof said === "string" ? [{ type: "text", text: said }] : said;
    return { side: "answer", part: "said", blocks, ...(textIn(phase) !== undefined && { extra: { phase } }) };
  }
  if (role === "user") return { side: "user", content: said };
  if (role !== "developer" && role !== "system") onUnknown(`role ${textIn(role) ?? "none"}`);
  const extra = role === "system" ? {} : { extra: { codex: defined({ role }) } };
  return { side: "other", message: { role: "system", content: said, ...extra } };
}

function readReasoning({ summary, content, encrypted_content: data }: JsonObject): CodexItem {
  const texts = [...objectsIn(summary), ...objectsIn(content)].flatMap(({ text }) => filledIn(text) ?? []);
  const blocks: Block[] = texts.map((thinking) => ({ type: "thinking", thinking }));
  if (filledIn(data) !== undefined) blocks.push({ type: "redacted_thinking", data });
  return blocks.length === 0 ? NONE : { side: "answer", part: "thought", blocks };
}

function nameOf({ name }: JsonObject): string {
  return filledIn(name) ?? "unknown";
}

function call(item: JsonObject, name: string, raw: Json | undefined): CodexItem {
  const { call_id, id, namespace } = item;
  const block: Block = {
    type: "tool_use",
    id: filledIn(call_id) ?? filledIn(id) ?? NO_ID,
    name,
    ...toolInput(raw),
    ...(filledIn(namespace) !== undefined && { namespace }),
  };
  return { side: "answer", part: "call", blocks: [block] };
}

function readOutput({ call_id, id, output }: JsonObject, onUnknown: OnUnknown): CodexItem {
  const block: Block = {
    type: "tool_result",
    tool_use_id: filledIn(call_id) ?? filledIn(id) ?? NO_ID,
    content: resultContent(output, onUnknown),
    ...(objectIn(output)?.success === false && { is_error: true }),
  };
  return { side: "output", block };
}

/** A string, a list of parts, or in early files an object with one of them. */
function resultContent(output: Json | undefined, onUnknown: OnUnknown): string | JsonObject[] {
  const inner = objectIn(output)?.content ?? output;
  if (typeof inner === "string") return inner;
  if (Array.isArray(inner)) return listIn(inner).map((part) => partBlock(part, onUnknown));
  return inner === undefined || inner === null ? "" : JSON.stringify(inner);
}

function readImage(item: JsonObject): CodexItem {
  const data = filledIn(item.result);
  const prompt = filledIn(item.revised_prompt);
  const image = data === undefined ? { ...item, type: "image_generation_call" } : bareImage(data);
  const block = data === undefined || prompt === undefined ? image : { ...image, revised_prompt: prompt };
  return { side: "answer", part: "said", blocks: [block] };
}

function readAgentMessage({ author, recipient, content }: JsonObject, onUnknown: OnUnknown): CodexItem {
  return { side: "other", message: agentMessage(contentOf(content, onUnknown), author, recipient) };
}

/** A message of another agent, which is input to the model. */
export function agentMessage(
  content: Message["content"],
  author: Json | undefined,
  recipient: Json | undefined,
): Message {
  return { role: "user", content, extra: { codex: defined({ author, recipient }) } };
}
