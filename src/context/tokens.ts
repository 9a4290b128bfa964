/**
 * Token counts without a tokenizer: the provider's own count where it is
 * known, an estimate elsewhere. The estimate is cheap enough to repeat for every
 * request.
 */

import { invalid } from "../errors.ts";
import type { Block, Message } from "../message/types.ts";
import { checkObject, checkObjects } from "../util/checked-arguments.ts";
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { TOKEN_WEIGHT, weighText } from "./text-weight.ts";

const MESSAGE_TOKENS = 4;
const TOOL_BLOCK_TOKENS = 4;
const IMAGE_TOKENS = 1_600;
/** A PDF page costs about as much as an image; nothing more is known of a linked document. */
const DOCUMENT_TOKENS_MIN = 1_600;
const BASE64_CHARS_PER_TOKEN = 16;

/** The weight of an empty message. */
export const MESSAGE_WEIGHT: number = MESSAGE_TOKENS * TOKEN_WEIGHT;

/**
 * Estimate the tokens of a string, a message or a list of tool definitions.
 *
 * An answer whose `usage` has an output count is taken at that count; `factor`
 * (see `calibration`) is applied to everything else.
 */
export function estimateTokens(value: string | Message | readonly object[], factor = 1): number {
  if (typeof factor !== "number") throw invalid("factor must be a number", "factor");
  if (typeof value === "string") return tokensFor(weighText(value), factor);
  if (isTools(value))
    return tokensFor(
      value.reduce((sum, tool) => sum + weighTool(tool), 0),
      factor,
    );
  checkMessage(value);
  const weight = weighMessage(value);
  return knownTokens(value, weight) ?? tokensFor(weight, factor);
}

function checkMessage(value: Message): void {
  checkObject(value, "value");
  const { content } = value;
  if (typeof content === "string") return;
  checkObjects(content, "content");
}

function isTools(value: Message | readonly object[]): value is readonly object[] {
  return Array.isArray(value);
}

function weighTool(tool: object): number {
  return weighJson(tool) + TOOL_BLOCK_TOKENS * TOKEN_WEIGHT;
}

const FACTOR_MIN = 0.5;
const FACTOR_MAX = 2;
/** The factor is a multiple of this, so that tokens convert to weight and back without rounding errors. */
const FACTOR_STEP = 1 / 64;
const SAMPLES_MAX = 32;
const SAMPLE_TOKENS_MIN = 100;

/**
 * How far estimates are off for this conversation, between 0.5 and 2: the
 * provider's count of the latest answers divided by our estimate. Returns 1
 * while too little is known.
 */
export function calibration(messages: readonly Message[]): number {
  checkObjects(messages, "messages");
  let known = 0;
  let estimated = 0;
  let samples = 0;
  for (let index = messages.length - 1; index >= 0 && samples < SAMPLES_MAX; index--) {
    const message = messages[index] as Message;
    if (message.usage === undefined || message.role !== "assistant") continue;
    const weight = weighMessage(message);
    const tokens = knownTokens(message, weight);
    if (tokens === undefined) continue;
    known += tokens;
    estimated += tokensFor(weight, 1);
    samples++;
  }
  if (known < SAMPLE_TOKENS_MIN) return 1;
  const factor = Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, known / estimated));
  return Math.round(factor / FACTOR_STEP) * FACTOR_STEP;
}

/**
 * The provider's count for an answer, without reasoning that is not sent back.
 *
 * An interrupted stream leaves the count of its first event, which is close to
 * zero, so a count far below the estimate is ignored.
 */
function knownTokens({ role, usage }: Message, weight: number): number | undefined {
  if (role !== "assistant" || usage === undefined) return undefined;
  const total = usage.output_tokens ?? usage.completion_tokens;
  const details = usage.output_tokens_details ?? usage.completion_tokens_details;
  const reasoning = isPlainObject(details) ? details.reasoning_tokens : 0;
  if (typeof total !== "number" || !Number.isFinite(total)) return undefined;
  const tokens = Math.ceil(total - (typeof reasoning === "number" && reasoning > 0 ? reasoning : 0));
  return tokens > 0 && tokens * 4 >= tokensFor(weight, 1) ? tokens : undefined;
}

function tokensFor(weight: number, factor: number): number {
  return Math.ceil((weight * factor) / TOKEN_WEIGHT);
}

/** The weight that N tokens allow. */
export function weightFor(tokens: number, factor: number): number {
  return Math.floor((tokens * TOKEN_WEIGHT) / factor);
}

function weighMessage({ content }: Message): number {
  return MESSAGE_WEIGHT + weighContent(content);
}

export function weighContent(content: Json | undefined): number {
  if (typeof content === "string") return weighText(content);
  if (!Array.isArray(content)) return 0;
  let weight = 0;
  for (const block of content) weight += weighBlock(block as Block);
  return weight;
}

export function weighBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return weighValue(block.text);
    case "thinking":
      return weighValue(block.thinking);
    case "image":
    case "image_url":
      return IMAGE_TOKENS * TOKEN_WEIGHT;
    case "document":
      return weighDocument(block.source);
    case "tool_use":
      return (
        TOOL_BLOCK_TOKENS * TOKEN_WEIGHT +
        weighValue(block.id) +
        weighValue(block.name) +
        weighJson(block.input)
      );
    case "tool_result":
      return TOOL_BLOCK_TOKENS * TOKEN_WEIGHT + weighValue(block.tool_use_id) + weighContent(block.content);
    default:
      return weighJson(block);
  }
}

function weighDocument(source: Json | undefined): number {
  const { type, data, content } = (isPlainObject(source) ? source : {}) as JsonObject;
  if (type === "text") return weighValue(data);
  if (type === "content") return weighContent(content);
  const chars = typeof data === "string" ? data.length : 0;
  return Math.max(DOCUMENT_TOKENS_MIN, Math.ceil(chars / BASE64_CHARS_PER_TOKEN)) * TOKEN_WEIGHT;
}

function weighValue(value: Json | undefined): number {
  return typeof value === "string" ? weighText(value) : weighJson(value);
}

function weighJson(value: unknown): number {
  return weighText(JSON.stringify(value) ?? "");
}
