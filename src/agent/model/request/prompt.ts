/** A conversation as the SDK takes it. */
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { placeholder } from "../../../message/apis/foreign.ts";
import {
  apiName,
  isMediaBlock,
  joinSystem,
  liftSystem,
  resultText,
  spokenText,
  toolNames,
} from "../../../message/apis/request.ts";
import { blocksOf, isToolResult } from "../../../message/blocks.ts";
import type { Block, Message, ToolResultBlock } from "../../../message/types.ts";
import { isJsonObject, stringOf } from "../../../util/json.ts";
import type { ModelRequest } from "../chat-model.ts";
import type { Target } from "../target.ts";
import { type MediaPart, mediaPart } from "./media.ts";
import { type Answered, callNotes, thinkingPart } from "./notes.ts";

/** Of ids and names. OpenAI has the strictest limit. */
const NAME_CHARS_MAX = 64;

export function promptOf({ messages, system }: ModelRequest, target: Target): LanguageModelV4Prompt {
  const { lifted, rest } = liftSystem(messages);
  const instructions = joinSystem(system, lifted);
  const names = toolNames(rest);
  const lastQuestion = rest.findLastIndex(isQuestion);
  const prompt = rest.flatMap((message, index): LanguageModelV4Message[] =>
    message.role === "assistant"
      ? [answer(message, { target, isCurrent: index > lastQuestion })]
      : question(message, target, names),
  );
  return instructions === undefined ? prompt : [{ role: "system", content: instructions }, ...prompt];
}

export function toolName(name: string): string {
  return apiName(name, NAME_CHARS_MAX);
}

function isQuestion(message: Message): boolean {
  return message.role !== "assistant" && blocksOf(message).some((block) => !isToolResult(block));
}

function answer(message: Message, place: Answered): LanguageModelV4Message {
  const blocks = blocksOf(message);
  const content = blocks.flatMap((block) => answerParts(block, message, place));
  return { role: "assistant", content: content.length > 0 ? content : [text(placeholder(blocks))] };
}

type AnswerParts = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

function answerParts(block: Block, message: Message, place: Answered): AnswerParts {
  const { id, name, input } = block;
  if (block.type === "tool_use") {
    return [
      {
        type: "tool-call",
        toolCallId: apiName(id, NAME_CHARS_MAX),
        toolName: toolName(stringOf(name)),
        input: isJsonObject(input) ? input : {},
        ...callNotes(block, place),
      },
    ];
  }
  // Generated images cannot be sent back to most models, so they are named only.
  const said = isMediaBlock(block) ? placeholder([block]) : spokenText(block);
  return said === undefined
    ? thinkingPart(block, message, place)
    : [{ ...text(said), ...callNotes(block, place) }];
}

function question(
  message: Message,
  target: Target,
  names: ReadonlyMap<string, string>,
): LanguageModelV4Message[] {
  const blocks = blocksOf(message);
  const results = blocks.filter(isToolResult);
  const parts = [
    ...(target.api === "openai-completions" ? results.flatMap((block) => shown(block, target)) : []),
    ...blocks.flatMap((block) => questionParts(block, target)),
  ];
  const tools: LanguageModelV4Message[] =
    results.length === 0
      ? []
      : [{ role: "tool", content: results.map((block) => resultPart(block, target, names)) }];
  if (parts.length > 0) return [...tools, { role: "user", content: parts }];
  return tools.length > 0 ? tools : [{ role: "user", content: [text(placeholder(blocks) || "[empty]")] }];
}

function questionParts(block: Block, target: Target): MediaPart[] {
  if (isMediaBlock(block)) return [mediaPart(block, target)];
  const said = spokenText(block);
  return said === undefined ? [] : [text(said)];
}

function resultPart(
  block: ToolResultBlock,
  target: Target,
  names: ReadonlyMap<string, string>,
): LanguageModelV4ToolResultPart {
  const { tool_use_id: id, is_error: isError } = block;
  const head = { toolCallId: apiName(id, NAME_CHARS_MAX), toolName: toolName(names.get(id) ?? "unknown") };
  return { type: "tool-result", ...head, output: outputOf(block, isError === true, target) };
}

function outputOf(
  block: ToolResultBlock,
  isError: boolean,
  target: Target,
): LanguageModelV4ToolResultPart["output"] {
  const { content } = block;
  const value = resultText(content);
  if (isError) return { type: "error-text", value };
  const media = target.api === "openai-completions" ? [] : mediaIn(block);
  if (media.length === 0) return { type: "text", value };
  const parts = (content as readonly Block[]).map((one) =>
    isMediaBlock(one) ? mediaPart(one, target) : text(stringOf(one.text) || placeholder([one])),
  );
  return { type: "content", value: parts };
}

/** The protocol has no images in results: they follow as if the user had sent them. */
function shown(block: ToolResultBlock, target: Target): MediaPart[] {
  return mediaIn(block)
    .map((one) => mediaPart(one, target))
    .filter(({ type }) => type === "file");
}

function mediaIn({ content }: ToolResultBlock): Block[] {
  return Array.isArray(content) ? (content as readonly Block[]).filter(isMediaBlock) : [];
}

function text(said: string): { type: "text"; text: string } {
  return { type: "text", text: said };
}
