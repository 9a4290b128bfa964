/** Model messages of the AI SDK: the `messages` of `generateText` and `streamText`. */
import { isJsonObject, type Json, type JsonObject, stringOf } from "../../util/json.ts";
import { isToolResult } from "../blocks.ts";
import type { Block, Message, ToolResultBlock } from "../types.ts";
import { placeholder } from "./foreign.ts";
import {
  isMediaBlock,
  joinSystem,
  liftSystem,
  mediaOf,
  resultText,
  type SystemPrompt,
  spokenText,
  toolNames,
} from "./request.ts";

export type AiSdkTextPart = { type: "text"; text: string };
export type AiSdkReasoningPart = {
  type: "reasoning";
  text: string;
  providerOptions?: { anthropic: { signature: string } | { redactedData: string } };
};
export type AiSdkFilePart = { type: "file"; data: string; mediaType: string; filename?: string };
export type AiSdkImagePart = { type: "image"; image: string };
export type AiSdkToolCallPart = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: JsonObject;
};
export type AiSdkToolResultPart = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output:
    | { type: "text" | "error-text"; value: string }
    | { type: "content"; value: (AiSdkTextPart | { type: "media"; data: string; mediaType: string })[] };
};
/** A message that the AI SDK takes. */
export type AiSdkMessage =
  | { role: "user"; content: string | (AiSdkTextPart | AiSdkFilePart | AiSdkImagePart)[] }
  | { role: "assistant"; content: string | (AiSdkTextPart | AiSdkReasoningPart | AiSdkToolCallPart)[] }
  | { role: "tool"; content: AiSdkToolResultPart[] };

/** The part of a call that a conversation makes up. */
export interface AiSdkRequest {
  system?: string;
  messages: AiSdkMessage[];
}

/**
 * `system` and `messages` for the AI SDK.
 *
 * System messages at the start move to `system`. Later ones become user
 * messages, because several providers reject a system message in the middle.
 */
export function toAiSdk(messages: readonly Message[], system?: SystemPrompt): AiSdkRequest {
  const { lifted, rest } = liftSystem(messages);
  const names = toolNames(rest);
  const prompt = joinSystem(system, lifted);
  const converted = rest.flatMap((message) => modelMessages(message, names));
  return { ...(prompt === undefined ? {} : { system: prompt }), messages: converted };
}

function modelMessages(message: Message, names: ReadonlyMap<string, string>): AiSdkMessage[] {
  const { role, content } = message;
  if (role === "assistant") return [{ role, content: answerContent(message) }];
  if (typeof content === "string") return [{ role: "user", content }];
  const results = content.filter(isToolResult).map((block) => resultPart(block, names));
  const tool: AiSdkMessage[] = results.length > 0 ? [{ role: "tool", content: results }] : [];
  const parts = content.flatMap(userPart);
  if (parts.length > 0) return [...tool, { role: "user", content: parts }];
  return tool.length > 0 ? tool : [{ role: "user", content: placeholder(content) }];
}

function answerContent(message: Message): Extract<AiSdkMessage, { role: "assistant" }>["content"] {
  const { content } = message;
  if (typeof content === "string") return content;
  const parts = content.flatMap((block) => answerPart(block, message));
  return parts.length > 0 ? parts : placeholder(content);
}

function answerPart(
  block: Block,
  message: Message,
): (AiSdkTextPart | AiSdkReasoningPart | AiSdkToolCallPart)[] {
  const { id, name, input } = block;
  if (block.type === "tool_use") {
    return [
      {
        type: "tool-call",
        toolCallId: stringOf(id),
        toolName: stringOf(name),
        input: isJsonObject(input) ? input : {},
      },
    ];
  }
  // Generated images cannot be sent back to most models, so they are named only.
  const text = isMediaBlock(block) ? placeholder([block]) : spokenText(block);
  return text === undefined ? reasoningPart(block, message) : [{ type: "text", text }];
}

/** Thinking that its own provider takes back: sealed by Claude, or from an API in the style of OpenAI. */
function reasoningPart(block: Block, { model }: Message): AiSdkReasoningPart[] {
  const { thinking, signature, data, openai, provider } = block;
  const isClaude = provider === undefined && (model === undefined || /claude/i.test(model));
  if (block.type === "redacted_thinking" && isClaude) {
    return [sealed("", { redactedData: stringOf(data) })];
  }
  if (block.type !== "thinking") return [];
  if (typeof signature === "string" && isClaude) return [sealed(stringOf(thinking), { signature })];
  return openai === undefined ? [] : [{ type: "reasoning", text: stringOf(thinking) }];
}

function sealed(
  text: string,
  anthropic: NonNullable<AiSdkReasoningPart["providerOptions"]>["anthropic"],
): AiSdkReasoningPart {
  return { type: "reasoning", text, providerOptions: { anthropic } };
}

function resultPart(block: ToolResultBlock, names: ReadonlyMap<string, string>): AiSdkToolResultPart {
  const { tool_use_id: id, content, is_error: isError } = block;
  const output = isError
    ? { type: "error-text" as const, value: resultText(content) }
    : resultOutput(content);
  return { type: "tool-result", toolCallId: id, toolName: names.get(id) ?? "unknown", output };
}

function resultOutput(content: Json | undefined): AiSdkToolResultPart["output"] {
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const media = blocks.map(mediaOf);
  if (!media.some((one) => one?.form === "base64")) return { type: "text", value: resultText(content) };
  const value = blocks.map((block, at) => {
    const own = media[at];
    if (own?.form === "base64") return { type: "media" as const, data: own.data, mediaType: own.mediaType };
    return { type: "text" as const, text: stringOf(block.text) || placeholder([block]) };
  });
  return { type: "content", value };
}

function userPart(block: Block): (AiSdkTextPart | AiSdkFilePart | AiSdkImagePart)[] {
  if (isMediaBlock(block)) return [mediaPart(block)];
  const text = spokenText(block);
  return text === undefined ? [] : [{ type: "text", text }];
}

function mediaPart(block: Block): AiSdkTextPart | AiSdkFilePart | AiSdkImagePart {
  const media = mediaOf(block);
  if (media === undefined) return { type: "text", text: placeholder([block]) };
  if (media.form === "text") return { type: "text", text: media.text };
  if (media.form === "url" && block.type === "image") return { type: "image", image: media.url };
  const filename = typeof block.title === "string" ? { filename: block.title } : {};
  const data = media.form === "url" ? media.url : media.data;
  return { type: "file", data, mediaType: media.mediaType ?? "application/pdf", ...filename };
}
