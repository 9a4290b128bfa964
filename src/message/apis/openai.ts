/**
 * Messages of the OpenAI Chat Completions API.
 *
 * Adjacent `tool` messages are one user message of ours with one `tool_result`
 * block each, because Claude takes the results of parallel calls in that form
 * only. Properties of a part, a call or a result that our blocks have no place
 * for are kept in the block's `openai` property, so that no image is stored
 * twice.
 */
import { checkObject } from "../../util/checked-arguments.ts";
import { isJsonObject, type Json, type JsonObject } from "../../util/json.ts";
import { toObject } from "../tool-input.ts";
import type { Block, Message, MessageInput } from "../types.ts";
import { type ConvertOptions, type Format, fromForeign, placeholder, toForeign } from "./foreign.ts";
import { isMedia, readPart, restored, withRest, writePart } from "./openai-parts.ts";
import { apiName, joinSystem, type SystemPrompt } from "./request.ts";

export type OpenAITextPart = { type: "text"; text: string };
export type OpenAIImagePart = {
  type: "image_url";
  image_url: { url: string; detail?: "auto" | "low" | "high" };
};
export type OpenAIFilePart = {
  type: "file";
  file: { filename?: string; file_data?: string; file_id?: string };
};
export type OpenAIToolCall = {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
};
/** A message that the API takes. */
export type OpenAIChatMessage =
  | { role: "system"; content: string | OpenAITextPart[] }
  | { role: "user"; content: string | (OpenAITextPart | OpenAIImagePart | OpenAIFilePart)[] }
  | {
      role: "assistant";
      content: string | OpenAITextPart[] | null;
      tool_calls?: OpenAIToolCall[];
      refusal?: string;
    }
  | { role: "tool"; tool_call_id: string; content: string | OpenAITextPart[] };

/** The part of a request that a conversation makes up. */
export interface OpenAIRequest {
  messages: OpenAIChatMessage[];
}

/** A message of an OpenAI chat request or response. */
export interface OpenAIMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  readonly content?: string | readonly JsonObject[] | null;
  readonly tool_calls?: readonly JsonObject[];
  readonly tool_call_id?: string;
  readonly [name: string]: Json | undefined;
}

/** Convert OpenAI chat messages to ours. */
export function fromOpenAI(messages: readonly object[]): MessageInput[] {
  return fromForeign(OPENAI, messages);
}

/**
 * Convert our messages to OpenAI chat messages.
 *
 * Tool results come first, one message each. Images and files that the API
 * takes from a user only (in a tool result, an answer, a system message) follow
 * in a user message. Thinking is dropped, unless it came from an API in the
 * style of OpenAI, which takes back its own property.
 */
export function toOpenAI(
  messages: readonly Message[],
  options: ConvertOptions & { readonly lossless: true },
): OpenAIMessage[];
export function toOpenAI(messages: readonly Message[], options?: ConvertOptions): OpenAIChatMessage[];
export function toOpenAI(messages: readonly Message[], options: ConvertOptions = {}): object[] {
  checkObject(options, "options");
  return toForeign(OPENAI, messages, options.lossless);
}

/** A request to the Chat Completions API. The system prompt is its first message. */
export function toOpenAIRequest(messages: readonly Message[], system?: SystemPrompt): OpenAIRequest {
  const prompt = joinSystem(system, []);
  const first: OpenAIChatMessage[] = prompt === undefined ? [] : [{ role: "system", content: prompt }];
  return { messages: [...first, ...resultsAfterCalls(toOpenAI(messages).map(withApiNames))] };
}

/** Media of an answer would come between its calls and their results, which the API rejects. */
function resultsAfterCalls(messages: readonly OpenAIChatMessage[]): OpenAIChatMessage[] {
  const sent: OpenAIChatMessage[] = [];
  let waiting: OpenAIChatMessage[] = [];
  let open = 0;
  for (const message of messages) {
    if (message.role === "user" && open > 0) {
      waiting.push(message);
      continue;
    }
    if (message.role === "tool") open--;
    else open = message.role === "assistant" ? (message.tool_calls?.length ?? 0) : 0;
    sent.push(message);
    if (open > 0) continue;
    sent.push(...waiting);
    waiting = [];
  }
  return [...sent, ...waiting];
}

const NAME_CHARS_MAX = 64;
const ID_CHARS_MAX = 40;

function withApiNames(message: OpenAIChatMessage): OpenAIChatMessage {
  if (message.role === "tool")
    return { ...message, tool_call_id: apiName(message.tool_call_id, ID_CHARS_MAX) };
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  return { ...message, tool_calls: message.tool_calls.map(callWithApiNames) };
}

function callWithApiNames(call: OpenAIToolCall): OpenAIToolCall {
  const id = apiName(call.id, ID_CHARS_MAX);
  // Custom tools have no function.
  if (call.function === undefined) return { ...call, id };
  return { ...call, id, function: { ...call.function, name: apiName(call.function.name, NAME_CHARS_MAX) } };
}

const OPENAI: Format = {
  name: "openai",
  roles: new Set(["system", "developer", "user", "assistant", "tool", "function"]),
  accepts: () => true,
  read: readGroup,
  write: writeGroup,
  joins: (before, after) => isToolMessage(before) && isToolMessage(after),
};

function isToolMessage({ role }: JsonObject): boolean {
  return role === "tool" || role === "function";
}

function readGroup(group: readonly JsonObject[]): MessageInput {
  const [first = {}] = group;
  if (isToolMessage(first)) return { role: "user", content: group.map(readTool) };
  if (first.role === "assistant") return { role: "assistant", content: readAnswer(first) };
  return { role: first.role === "user" ? "user" : "system", content: readContent(first.content) ?? "" };
}

function readContent(content: Json | undefined): string | Block[] | undefined {
  if (Array.isArray(content)) return content.map(readPart);
  return typeof content === "string" ? content : undefined;
}

function readAnswer(foreign: JsonObject): string | Block[] {
  const said = readContent(foreign.content) ?? "";
  const before = readThinking(foreign);
  const after = [...readProperties(foreign), ...readCalls(foreign)];
  if (before.length + after.length === 0) return said;
  // Beside a call the text is usually "" or null; Claude rejects an empty block.
  const text: Block[] = said === "" ? [] : [{ type: "text", text: said as string }];
  return [...before, ...(Array.isArray(said) ? said : text), ...after];
}

/** Where APIs in the style of OpenAI put the model's thinking. */
const THINKING_PROPERTIES = ["reasoning_content", "reasoning"];

function readThinking(foreign: JsonObject): Block[] {
  const member = THINKING_PROPERTIES.find(
    (name) => typeof foreign[name] === "string" && foreign[name] !== "",
  );
  return member === undefined ? [] : [{ type: "thinking", thinking: foreign[member], openai: { member } }];
}

function readProperties({ refusal, audio }: JsonObject): Block[] {
  const blocks: Block[] = [];
  if (typeof refusal === "string" && refusal !== "") blocks.push({ type: "refusal", refusal });
  if (isJsonObject(audio)) blocks.push({ type: "audio", audio });
  return blocks;
}

function readCalls({ tool_calls: calls, function_call: legacy }: JsonObject): Block[] {
  if (Array.isArray(calls)) return calls.map(readCall);
  if (!isJsonObject(legacy)) return [];
  return [readCall({ id: toolId(undefined, legacy.name), type: "function", function: legacy })];
}

function readCall(call: Json): Block {
  const block = bareCall(call);
  return isJsonObject(call) && block.type === "tool_use" ? withRest(block, writeCall(block), call) : block;
}

function bareCall(call: Json): Block {
  const form = isJsonObject(call) ? (call.function ?? call.custom) : undefined;
  if (!isJsonObject(call) || !isJsonObject(form) || typeof form.name !== "string" || form.name === "") {
    return { type: "openai_tool_call", call };
  }
  const input = call.function === undefined ? { input: form.input ?? "" } : inputOf(form.arguments);
  return { type: "tool_use", id: toolId(call.id, form.name), name: form.name, input };
}

/** Legacy functions and some servers have no id; the function's name then links call and result. */
function toolId(id: Json | undefined, name: Json | undefined): string {
  if (typeof id === "string" && id !== "") return id;
  return typeof name === "string" && name !== "" ? `function_${name}` : "function_unknown";
}

/** Models sometimes write broken JSON: such arguments are kept whole, as a string. */
function inputOf(raw: Json | undefined): JsonObject {
  return raw === undefined || raw === "" ? {} : (toObject(raw) ?? { arguments: raw });
}

function writeCall(block: JsonObject): JsonObject {
  if (block.type === "openai_tool_call") return block.call as JsonObject;
  const { id, name, input } = block;
  const written = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  return restored(block, written, bareCall) ?? written;
}

function readTool(foreign: JsonObject): Block {
  const block = bareTool(foreign);
  return withRest(block, writeTool(block).message, foreign);
}

function bareTool(foreign: JsonObject): Block {
  const content = readContent(foreign.content);
  const id = toolId(foreign.tool_call_id, foreign.name);
  return { type: "tool_result", tool_use_id: id, ...(content !== undefined && { content }) };
}

interface WrittenTool {
  readonly message: JsonObject;
  readonly media: readonly JsonObject[];
}

function writeTool(block: JsonObject): WrittenTool {
  const { content = "", tool_use_id: id } = block;
  const blocks = Array.isArray(content) ? (content as JsonObject[]) : [];
  const parts = blocks.flatMap(writePart);
  const texts = parts.filter((part) => !isMedia(part));
  const said = texts.length > 0 ? texts : placeholder(blocks);
  const written = { role: "tool", tool_call_id: id, content: typeof content === "string" ? content : said };
  const whole = restored(block, written, bareTool);
  return whole ? { message: whole, media: [] } : { message: written, media: parts.filter(isMedia) };
}

function writeGroup({ role, content }: MessageInput): JsonObject[] {
  if (typeof content === "string") return [{ role, content }];
  const results = content.filter((block) => block.type === "tool_result").map(writeTool);
  const tools = results.map((result) => result.message);
  const shown = results.flatMap((result) => result.media);
  const parts = content.flatMap(writePart);
  if (role === "user") return [...tools, ...userMessage([...shown, ...parts], tools, content)];
  const said = parts.filter((part) => !isMedia(part));
  const media = [...parts.filter(isMedia), ...shown];
  const follow = media.length > 0 ? [{ role: "user", content: media }] : [];
  const others = [...tools, ...follow];
  return [...ownMessage(role, said, content, others.length > 0), ...others];
}

function userMessage(
  parts: JsonObject[],
  tools: readonly JsonObject[],
  content: readonly Block[],
): JsonObject[] {
  if (parts.length > 0) return [{ role: "user", content: parts }];
  return tools.length > 0 ? [] : [{ role: "user", content: placeholder(content) }];
}

function ownMessage(
  role: string,
  said: JsonObject[],
  content: readonly Block[],
  optional: boolean,
): JsonObject[] {
  const more = role === "assistant" ? answerProperties(content) : {};
  const hasMore = Object.keys(more).length > 0;
  if (said.length > 0) return [{ role, content: hasMore ? shortest(said) : said, ...more }];
  if (hasMore) return [{ role, content: null, ...more }];
  return optional ? [] : [{ role, content: placeholder(content) }];
}

/** Text beside calls is a string in nearly every message from OpenAI. */
function shortest(parts: readonly JsonObject[]): Json {
  const [only, more] = parts;
  const plain = only?.type === "text" && Object.keys(only).length === 2 && more === undefined;
  return plain && only.text !== "" ? (only.text ?? null) : parts;
}

function answerProperties(content: readonly Block[]): JsonObject {
  const more: Record<string, Json> = {};
  const calls = content.filter(({ type }) => type === "tool_use" || type === "openai_tool_call");
  if (calls.length > 0) more.tool_calls = calls.map(writeCall);
  const refusals = content.filter((block) => block.type === "refusal" && block.openai === undefined);
  const words = refusals.map((block) => block.refusal).filter((refusal) => typeof refusal === "string");
  if (words.length > 0) more.refusal = words.join("\n\n");
  for (const block of content) {
    const name = block.type === "thinking" && isJsonObject(block.openai) ? block.openai.member : undefined;
    if (typeof name === "string" && THINKING_PROPERTIES.includes(name)) more[name] = block.thinking ?? null;
    if (block.type === "audio") more.audio = block.audio ?? null;
  }
  return more;
}
