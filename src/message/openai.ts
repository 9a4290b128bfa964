/**
 * OpenAI chat messages.
 *
 * Adjacent `tool` messages are one user message of ours with one `tool_result`
 * block each, because that is the only form in which Claude takes the results
 * of parallel calls. What OpenAI says about a part, a call or a result and our
 * blocks have no place for stands in the block's own member `openai`, so that
 * no picture is kept twice.
 */
import { assertJson, isJsonObject, type Json, type JsonObject } from "../util/json.ts";
import { type ConvertOptions, type Format, fromForeign, placeholder, toForeign } from "./foreign.ts";
import { isMedia, readPart, restored, withRest, writePart } from "./openai-parts.ts";
import type { Block, Message, MessageInput } from "./types.ts";

/** A message of an OpenAI chat request or response. */
export interface OpenAIMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  readonly content?: string | readonly JsonObject[] | null;
  readonly tool_calls?: readonly JsonObject[];
  readonly tool_call_id?: string;
  readonly [member: string]: Json | undefined;
}

/** OpenAI chat messages as ours. */
export function fromOpenAI(messages: readonly object[]): MessageInput[] {
  return fromForeign(OPENAI, messages);
}

/**
 * Our messages as OpenAI takes them.
 *
 * Tool results come first, each in a message of its own. Pictures and files
 * that the API takes from a user only (in a tool's result, an answer, a system
 * message) follow in a user message. Thinking is left out, unless it came from
 * an OpenAI-like API, which gets its own member back.
 */
export function toOpenAI(messages: readonly Message[], options: ConvertOptions = {}): OpenAIMessage[] {
  return toForeign(OPENAI, messages, options.lossless) as unknown as OpenAIMessage[];
}

const OPENAI: Format = {
  name: "openai",
  roles: new Set(["system", "developer", "user", "assistant", "tool", "function"]),
  accepts: () => true,
  read: readUnit,
  write: writeUnit,
  joins: (before, after) => isToolMessage(before) && isToolMessage(after),
};

function isToolMessage({ role }: JsonObject): boolean {
  return role === "tool" || role === "function";
}

function readUnit(unit: readonly JsonObject[]): MessageInput {
  const [first = {}] = unit;
  if (isToolMessage(first)) return { role: "user", content: unit.map(readTool) };
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
  const after = [...readMembers(foreign), ...readCalls(foreign)];
  if (before.length + after.length === 0) return said;
  // Beside a call the text is mostly "" or null; an empty block would say nothing and Claude refuses it.
  const text: Block[] = said === "" ? [] : [{ type: "text", text: said as string }];
  return [...before, ...(Array.isArray(said) ? said : text), ...after];
}

/** Where OpenAI-like APIs put the model's thinking. */
const THINKING_MEMBERS = ["reasoning_content", "reasoning"];

function readThinking(foreign: JsonObject): Block[] {
  const member = THINKING_MEMBERS.find((name) => typeof foreign[name] === "string" && foreign[name] !== "");
  return member === undefined ? [] : [{ type: "thinking", thinking: foreign[member], openai: { member } }];
}

function readMembers({ refusal, audio }: JsonObject): Block[] {
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

/** Legacy functions and some servers give no id; call and result then meet under the function's name. */
function toolId(id: Json | undefined, name: Json | undefined): string {
  if (typeof id === "string" && id !== "") return id;
  return typeof name === "string" && name !== "" ? `function_${name}` : "function_unknown";
}

/** The depth at which a tool's input stands in a message's content. */
const INPUT_DEPTH = 2;

/** Models write broken JSON now and then: such arguments stay whole, as text. */
function inputOf(raw: Json | undefined): JsonObject {
  return raw === undefined || raw === "" ? {} : (toObject(raw) ?? { arguments: raw });
}

/** Arguments as the object they are or spell, or `undefined` when a store would refuse it. */
export function toObject(raw: Json | undefined): JsonObject | undefined {
  if (typeof raw !== "string") return isJsonObject(raw) ? raw : undefined;
  try {
    const parsed: Json = JSON.parse(raw);
    assertJson(parsed, "arguments", INPUT_DEPTH);
    // Written and parsed again, so that -0 is the 0 that a store would give back.
    return isJsonObject(parsed) ? JSON.parse(JSON.stringify(parsed)) : undefined;
  } catch {
    return undefined;
  }
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

function writeUnit({ role, content }: MessageInput): JsonObject[] {
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
  const members = role === "assistant" ? answerMembers(content) : {};
  const hasMembers = Object.keys(members).length > 0;
  if (said.length > 0) return [{ role, content: hasMembers ? shortest(said) : said, ...members }];
  if (hasMembers) return [{ role, content: null, ...members }];
  return optional ? [] : [{ role, content: placeholder(content) }];
}

/** Text beside calls is a string in nearly every message that OpenAI makes. */
function shortest(parts: readonly JsonObject[]): Json {
  const [only, more] = parts;
  const plain = only?.type === "text" && Object.keys(only).length === 2 && more === undefined;
  return plain && only.text !== "" ? (only.text ?? null) : parts;
}

function answerMembers(content: readonly Block[]): JsonObject {
  const members: Record<string, Json> = {};
  const calls = content.filter(({ type }) => type === "tool_use" || type === "openai_tool_call");
  if (calls.length > 0) members.tool_calls = calls.map(writeCall);
  const refusals = content.filter((block) => block.type === "refusal" && block.openai === undefined);
  const words = refusals.map((block) => block.refusal).filter((refusal) => typeof refusal === "string");
  if (words.length > 0) members.refusal = words.join("\n\n");
  for (const block of content) {
    const name = block.type === "thinking" && isJsonObject(block.openai) ? block.openai.member : undefined;
    if (typeof name === "string" && THINKING_MEMBERS.includes(name)) members[name] = block.thinking ?? null;
    if (block.type === "audio") members.audio = block.audio ?? null;
  }
  return members;
}
