/**
 * Input of the OpenAI Responses API: a flat list of messages, calls and
 * outputs.
 *
 * Reasoning is not sent back. Only the account that made it can read it, and
 * the API rejects the request otherwise.
 */
import { isJsonObject, type Json } from "../../util/json.ts";
import { blocksOf, isToolResult, isToolUse } from "../blocks.ts";
import { textOf } from "../text.ts";
import type { Block, Message, ToolResultBlock, ToolUseBlock } from "../types.ts";
import { placeholder } from "./foreign.ts";
import {
  apiName,
  dataUrl,
  isMediaBlock,
  joinSystem,
  liftSystem,
  mediaOf,
  resultText,
  type SystemPrompt,
  spokenText,
} from "./request.ts";

export type ResponsesPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" }
  | { type: "input_file"; filename?: string; file_data?: string; file_url?: string };
export type ResponsesItem =
  | { type: "message"; role: "user" | "assistant" | "system"; content: string | ResponsesPart[] }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | ResponsesPart[] };

/** The part of a request that a conversation makes up. */
export interface ResponsesRequest {
  instructions?: string;
  input: ResponsesItem[];
}

/** A request to the Responses API. System messages at the start move to `instructions`. */
export function toResponses(messages: readonly Message[], system?: SystemPrompt): ResponsesRequest {
  const { lifted, rest } = liftSystem(messages);
  const instructions = joinSystem(system, lifted);
  return { ...(instructions === undefined ? {} : { instructions }), input: rest.flatMap(itemsOf) };
}

function itemsOf(message: Message): ResponsesItem[] {
  const { role, content } = message;
  if (typeof content === "string") return [{ type: "message", role, content }];
  if (role === "system") return [{ type: "message", role, content: textOf(message) || placeholder(content) }];
  return role === "assistant" ? answerItems(content) : userItems(content);
}

function userItems(content: readonly Block[]): ResponsesItem[] {
  const outputs = content.filter(isToolResult).map(outputOf);
  const parts = content.flatMap(partOf);
  if (parts.length > 0) return [...outputs, { type: "message", role: "user", content: parts }];
  return outputs.length > 0 ? outputs : [{ type: "message", role: "user", content: placeholder(content) }];
}

/** Text and calls in their order. The API takes no media in an answer, so it is named in the text. */
function answerItems(content: readonly Block[]): ResponsesItem[] {
  const items: ResponsesItem[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    if (texts.length > 0) items.push({ type: "message", role: "assistant", content: texts.join("\n\n") });
    texts = [];
  };
  for (const block of content) {
    const text = isMediaBlock(block) ? placeholder([block]) : spokenText(block);
    if (text !== undefined) texts.push(text);
    if (!isToolUse(block)) continue;
    flush();
    items.push(callOf(block));
  }
  flush();
  if (items.length > 0) return items;
  return [{ type: "message", role: "assistant", content: placeholder(blocksOf({ content })) }];
}

const NAME_CHARS_MAX = 64;

function callOf({ id, name, input }: ToolUseBlock): ResponsesItem {
  return {
    type: "function_call",
    call_id: apiName(id, NAME_CHARS_MAX),
    name: apiName(name, NAME_CHARS_MAX),
    arguments: JSON.stringify(input),
  };
}

function outputOf({ tool_use_id: id, content }: ToolResultBlock): ResponsesItem {
  return {
    type: "function_call_output",
    call_id: apiName(id, NAME_CHARS_MAX),
    output: outputContent(content),
  };
}

function outputContent(content: Json | undefined): string | ResponsesPart[] {
  const parts = Array.isArray(content)
    ? content.filter(isJsonObject).flatMap((block) => partOf(block as Block))
    : [];
  return parts.some(({ type }) => type !== "input_text") ? parts : resultText(content);
}

function partOf(block: Block): ResponsesPart[] {
  if (isMediaBlock(block)) return [mediaPart(block)];
  const text = spokenText(block);
  return text === undefined ? [] : [{ type: "input_text", text }];
}

function mediaPart(block: Block): ResponsesPart {
  const media = mediaOf(block);
  if (media === undefined) return { type: "input_text", text: placeholder([block]) };
  if (media.form === "text") return { type: "input_text", text: media.text };
  const url = media.form === "url" ? media.url : dataUrl(media.mediaType, media.data);
  if (block.type === "image") return { type: "input_image", image_url: url, detail: "auto" };
  if (media.form === "url") return { type: "input_file", file_url: url };
  const filename = typeof block.title === "string" ? block.title : "document.pdf";
  return { type: "input_file", filename, file_data: url };
}
