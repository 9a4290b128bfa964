/**
 * The flat line of a plain transcript: text in `content`, and thinking, tool
 * calls and tool results in properties beside it.
 *
 * No standard says what a call or a result looks like. We write the properties
 * of our own blocks, and read the other names in use; differences are kept in
 * the block's `flat` property.
 */

import { isDeepStrictEqual } from "node:util";
import { checkObject } from "../../util/checked-arguments.ts";
import { isJsonObject, type Json, type JsonObject } from "../../util/json.ts";
import { parseTime } from "../../util/time.ts";
import { ROLES } from "../rules.ts";
import { resultContent, toObject } from "../tool-input.ts";
import type { Block, Message, MessageInput, Role } from "../types.ts";
import {
  type ConvertOptions,
  difference,
  type Format,
  fromForeign,
  overlay,
  placeholder,
  toForeign,
} from "./foreign.ts";

/** One line of a flat transcript. */
export interface FlatMessage {
  readonly role: Role;
  readonly content: string;
  /** ISO 8601. Missing only where our message has no time. */
  readonly ts?: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly Json[];
  readonly tool_results?: readonly Json[];
  readonly [name: string]: Json | undefined;
}

/** Convert flat lines to our messages; `ts` becomes `at`. */
export function fromFlat(messages: readonly object[]): MessageInput[] {
  return fromForeign(FLAT, messages);
}

/** Convert our messages to flat lines. An image is only named in the text: a flat line has no place for it. */
export function toFlat(messages: readonly MessageInput[], options: ConvertOptions = {}): FlatMessage[] {
  checkObject(options, "options");
  return toForeign(FLAT, messages as readonly Message[], options.lossless) as unknown as FlatMessage[];
}

const FLAT: Format = {
  name: "flat",
  roles: new Set(ROLES),
  accepts: (content) => typeof content === "string",
  read([line = {}]) {
    const at = parseTime(line.ts) === undefined ? {} : { at: line.ts as string };
    return { role: line.role as Role, content: readContent(line), ...at };
  },
  write({ role, content, at }) {
    const line = typeof content === "string" ? { content } : writeBlocks(content);
    return [{ role, ...line, ...(at !== undefined && { ts: at }) }];
  },
  joins: () => false,
};

function readContent({
  content,
  thinking,
  tool_calls: calls,
  tool_results: results,
}: JsonObject): string | Block[] {
  const text = content as string;
  const thought: Block[] =
    typeof thinking === "string" && thinking !== "" ? [{ type: "thinking", thinking }] : [];
  const tools = [...readEach(calls, CALL), ...readEach(results, RESULT)];
  if (thought.length + tools.length === 0) return text;
  return [...thought, ...(text === "" ? [] : [{ type: "text", text }]), ...tools];
}

function writeBlocks(blocks: readonly Block[]): JsonObject {
  const thinking = blocks.filter((block) => block.type === "thinking").map((block) => block.thinking);
  const calls = blocks.filter((block) => block.type === "tool_use" || block.type === CALL.unknown);
  const results = blocks.filter((block) => block.type === "tool_result" || block.type === RESULT.unknown);
  return {
    content: blocks.flatMap(textOrName).join("\n\n"),
    ...(thinking.length > 0 && { thinking: thinking.join("\n\n") }),
    ...(calls.length > 0 && { tool_calls: calls.map((block) => writeTool(block, CALL)) }),
    ...(results.length > 0 && { tool_results: results.map((block) => writeTool(block, RESULT)) }),
  };
}

const BESIDE_TEXT: ReadonlySet<string> = new Set([
  ...["thinking", "redacted_thinking", "tool_use", "tool_result"],
  ...["flat_tool_call", "flat_tool_result"],
]);

function textOrName(block: Block): string[] {
  if (block.type === "text") return [String(block.text)];
  return BESIDE_TEXT.has(block.type) ? [] : [placeholder([block])];
}

/** How the elements of `tool_calls` or `tool_results` are read. */
interface Kind {
  readonly unknown: string;
  read(element: JsonObject): Block | undefined;
}

const CALL: Kind = {
  unknown: "flat_tool_call",
  read(call) {
    const form = isJsonObject(call.function) ? call.function : call;
    const input = toObject(form.input ?? form.arguments ?? form.args ?? form.params);
    if (!isFilled(call.id) || !isFilled(form.name) || input === undefined) return undefined;
    return { type: "tool_use", id: call.id, name: form.name, input };
  },
};

const RESULT: Kind = {
  unknown: "flat_tool_result",
  read(result) {
    const id = result.tool_use_id ?? result.tool_call_id ?? result.id;
    if (!isFilled(id)) return undefined;
    const content = result.content ?? result.output ?? result.result;
    const flag = typeof result.is_error === "boolean" ? { is_error: result.is_error } : {};
    return { type: "tool_result", tool_use_id: id, ...resultContent(content), ...flag };
  },
};

function readEach(elements: Json | undefined, kind: Kind): Block[] {
  return Array.isArray(elements) ? elements.map((element) => readTool(element, kind)) : [];
}

function readTool(element: Json, kind: Kind): Block {
  const block = isJsonObject(element) ? kind.read(element) : undefined;
  if (block === undefined || !isJsonObject(element)) return { type: kind.unknown, element };
  const rest = difference(bare(block), element);
  return rest === undefined ? block : { ...block, flat: rest };
}

function writeTool(block: Block, kind: Kind): Json {
  if (block.type === kind.unknown) return block.element ?? null;
  const written = bare(block);
  if (!isJsonObject(block.flat)) return written;
  const whole = overlay(written, block.flat);
  const read = kind.read(whole);
  return read && isDeepStrictEqual(bare(read), written) ? whole : written;
}

/** A block's properties as an element; the array that holds it implies the type. */
function bare({ type: _type, flat: _flat, openai: _openai, ...own }: JsonObject): JsonObject {
  return own;
}

function isFilled(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}
