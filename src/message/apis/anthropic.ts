/** Messages of the Anthropic API: Claude. */
import { checkObject } from "../../util/checked-arguments.ts";
import { defined, isJsonObject, type Json, type JsonObject } from "../../util/json.ts";
import { blocksOf } from "../blocks.ts";
import type { Block, Message, MessageInput, Role } from "../types.ts";
import {
  type ConvertOptions,
  type Format,
  fromForeign,
  isContent,
  OURS,
  placeholder,
  plainList,
  toForeign,
} from "./foreign.ts";
import {
  apiName,
  isMediaBlock,
  joinSystem,
  liftSystem,
  mediaOf,
  mediaText,
  resultText,
  type SystemPrompt,
} from "./request.ts";

export type AnthropicTextBlock = { type: "text"; text: string };
export type AnthropicImageBlock = {
  type: "image";
  source:
    | {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      }
    | { type: "url"; url: string };
};
export type AnthropicDocumentBlock = {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string;
};
/** Blocks of the server's own tools are passed through as well, under their API types. */
export type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: JsonObject }
  | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
      is_error?: boolean;
    };
/** A message that the API takes. */
export type AnthropicMessage = { role: "user" | "assistant"; content: string | AnthropicBlock[] };

/** The part of a request that a conversation makes up. */
export interface AnthropicRequest {
  system?: string | AnthropicTextBlock[];
  messages: AnthropicMessage[];
}

/** A message of a Claude request, `{ role, content }`, or a whole API response. */
export interface ClaudeMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly JsonObject[];
  readonly [name: string]: Json | undefined;
}

/** Convert Claude messages, from requests or responses, to ours. */
export function fromClaude(messages: readonly object[]): MessageInput[] {
  return fromForeign(CLAUDE, messages);
}

/**
 * Convert our messages to Claude messages, one by one.
 *
 * By default only what the API accepts: `role` and `content`, without blocks
 * that it rejects. A `system` message becomes a `user` message so that its text
 * is not lost. With `lossless`, responses come back whole: `id`, `usage` and
 * the rest.
 */
export function toClaude(
  messages: readonly Message[],
  options: ConvertOptions & { readonly lossless: true },
): ClaudeMessage[];
export function toClaude(messages: readonly Message[], options?: ConvertOptions): AnthropicMessage[];
export function toClaude(messages: readonly Message[], options: ConvertOptions = {}): object[] {
  checkObject(options, "options");
  if (options.lossless) return toForeign(CLAUDE, messages, true);
  return plainList(messages, OURS).map(anthropicMessage);
}

/**
 * A request to the Anthropic API.
 *
 * System messages at the start move to `system`. Adjacent messages of one role
 * become one, because some hosts of the API require strict alternation. An
 * answer at the end is a prefill, which must not end with white space.
 */
export function toAnthropic(messages: readonly Message[], system?: SystemPrompt): AnthropicRequest {
  const { lifted, rest } = liftSystem(messages);
  const merged: AnthropicMessage[] = [];
  for (const message of rest) {
    const next = anthropicMessage(message);
    const last = merged.at(-1);
    if (last?.role === next.role) last.content = [...blockList(last), ...blockList(next)];
    else merged.push(next);
  }
  const final = merged.at(-1);
  if (final?.role === "assistant") trimEnd(final);
  const prompt = withLifted(system, lifted);
  return { ...(prompt === undefined ? {} : { system: prompt }), messages: merged };
}

const CLAUDE: Format = {
  name: "claude",
  roles: new Set(["user", "assistant"]),
  accepts: isContent,
  read([foreign = {}]) {
    const { role, content, model, stop_reason: stopReason, usage } = foreign;
    return {
      role: role as Role,
      content: content as string | Block[],
      ...(typeof model === "string" && { model }),
      ...(typeof stopReason === "string" && { stopReason }),
      ...(isJsonObject(usage) && { usage }),
    };
  },
  write({ role, content, model, stopReason, usage }) {
    const response = { model, stop_reason: stopReason, usage };
    return [{ role: claudeRole(role), content, ...defined(response) }];
  },
  joins: () => false,
};

function claudeRole(role: Json | undefined): "user" | "assistant" {
  return role === "assistant" ? "assistant" : "user";
}

function withLifted(
  system: SystemPrompt | undefined,
  lifted: readonly string[],
): AnthropicRequest["system"] | undefined {
  // Blocks may carry a cache mark, so they stay blocks.
  if (system !== undefined && typeof system !== "string") {
    return [...(system as AnthropicTextBlock[]), ...lifted.map((text) => ({ type: "text" as const, text }))];
  }
  return joinSystem(system, lifted);
}

function blockList({ content }: AnthropicMessage): AnthropicBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function trimEnd(message: AnthropicMessage): void {
  const { content } = message;
  if (typeof content === "string") message.content = content.trimEnd();
  else {
    const last = content.at(-1);
    if (last?.type === "text") content[content.length - 1] = { ...last, text: last.text.trimEnd() };
  }
}

function anthropicMessage(
  message: Pick<Message, "role" | "content" | "model" | "provenance"> | JsonObject,
): AnthropicMessage {
  const { role, content, model, provenance } = message as Message;
  if (typeof content === "string") return { role: claudeRole(role), content };
  // Where a source does not name the model, its format tells whose it was.
  const maker = model ?? provenance?.import;
  const place = {
    isAnswer: role === "assistant",
    isClaude: typeof maker !== "string" || /claude|komatachi/i.test(maker),
  };
  return { role: claudeRole(role), content: accepted(blocksOf({ content }), place) as AnthropicBlock[] };
}

/** Where a block occurs, as far as the API cares. */
interface Place {
  /** The API rejects images and documents in an answer. */
  readonly isAnswer: boolean;
  /** The API rejects the sealed thinking of other models. */
  readonly isClaude: boolean;
}

function accepted(blocks: readonly JsonObject[], place: Place): JsonObject[] {
  const kept = blocks.flatMap((block) => acceptedBlock(block, place));
  // The API rejects a message without content, and dropping the message could separate a call from its result.
  return kept.length === 0 && blocks.length > 0 ? [{ type: "text", text: placeholder(blocks) }] : kept;
}

function acceptedBlock(block: JsonObject, place: Place): JsonObject[] {
  const { type } = block;
  const own = pick(block);
  switch (type) {
    case "text":
      return typeof own.text === "string" && own.text.trim() !== "" ? [own] : [];
    case "thinking":
      // Without a signature the API cannot tell that the thinking is Claude's, and rejects it.
      return own.signature && place.isClaude && block.provider === undefined ? [own] : [];
    case "redacted_thinking":
      return place.isClaude ? [own] : [];
    case "refusal":
      return typeof block.refusal === "string" ? [{ type: "text", text: block.refusal }] : [];
    case "image":
    case "document":
      return [acceptedMedia(own, place)];
    case "tool_use":
      return [{ ...own, id: apiName(own.id, ID_CHARS_MAX), name: apiName(own.name, NAME_CHARS_MAX) }];
    case "tool_result":
      return [{ ...own, tool_use_id: apiName(own.tool_use_id, ID_CHARS_MAX), ...acceptedResult(own) }];
    default:
      return typeof type === "string" && SERVER_BLOCKS.test(type) ? [own] : [];
  }
}

const NAME_CHARS_MAX = 128;
const ID_CHARS_MAX = 256;

/** Calls and results of tools that run on the server. */
const SERVER_BLOCKS =
  /^(?:server_tool_use|mcp_tool_use|search_result|container_upload|(?!flat_)\w+_tool_result)$/;

/** The properties that the API knows. It rejects a block with any other. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations", "cache_control"],
  image: ["source", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "caller", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
};

function pick(block: JsonObject): JsonObject {
  const names = typeof block.type === "string" ? PROPERTIES[block.type] : undefined;
  if (names === undefined) return block;
  const own = names.filter((name) => block[name] !== undefined).map((name) => [name, block[name]]);
  return { type: block.type, ...Object.fromEntries(own) };
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function acceptedMedia(block: JsonObject, { isAnswer }: Place): JsonObject {
  if (isAnswer || !fitsSource(block)) return { type: "text", text: mediaText(block) || placeholder([block]) };
  const { source } = block;
  // Only PDF may be in Base64.
  const isText = isJsonObject(source) && source.type === "base64" ? mediaText(block) : undefined;
  return isText ? { ...block, source: { type: "text", media_type: "text/plain", data: isText } } : block;
}

function fitsSource(block: JsonObject): boolean {
  const source = isJsonObject(block.source) ? block.source : {};
  if (source.type === "file") return typeof source.file_id === "string";
  const media = mediaOf(block);
  if (media?.form === "text") return block.type === "document" && media.text !== "";
  if (media?.form !== "base64") return media !== undefined;
  return block.type === "image" ? IMAGE_TYPES.has(media.mediaType) : media.mediaType === "application/pdf";
}

function acceptedResult({ content, is_error: isError }: JsonObject): JsonObject {
  if (!Array.isArray(content)) return {};
  // The API takes nothing but text of a call that failed.
  const isRefused =
    isError === true && content.some((block) => !isJsonObject(block) || block.type !== "text");
  if (isRefused) return { content: resultText(content) };
  const place = { isAnswer: false, isClaude: true };
  const blocks = accepted(content.filter(isJsonObject), place);
  return {
    content: blocks.filter(
      ({ type }) => type === "text" || type === "search_result" || isMediaBlock({ type: String(type) }),
    ),
  };
}
