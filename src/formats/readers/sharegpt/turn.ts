/** One turn of a ShareGPT conversation as a message. */

import { toolInput } from "../../../message/tool-input.ts";
import type { Block, Message, Role } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn, objectsIn, parsedIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { Sink } from "../../contract/reader.ts";
import type { OpenCall, ReadMessage } from "../shared/chat-messages.ts";

const ROLES: Readonly<Record<string, Role>> = {
  human: "user",
  user: "user",
  gpt: "assistant",
  chatgpt: "assistant",
  assistant: "assistant",
  bing: "assistant",
  bard: "assistant",
  model: "assistant",
  system: "system",
};
const CALLS: ReadonlySet<string> = new Set(["function_call", "tool_call"]);
const RESULTS: ReadonlySet<string> = new Set([
  "observation",
  "tool",
  "function_response",
  "tool_response",
  "function",
]);

export function isTurn(turn: JsonObject): boolean {
  return filledIn(turn.from) !== undefined && saidIn(turn) !== undefined;
}

export function readTurn(turn: JsonObject, id: string, open: readonly OpenCall[], sink: Sink): ReadMessage {
  const from = filledIn(turn.from) ?? filledIn(turn.role) ?? "";
  const said = textOf(saidIn(turn));
  const weight = numberIn(turn.weight);
  const extra = defined({ weight, from: Object.hasOwn(ROLES, from) || isTool(from) ? undefined : from });
  const { message, open: left } = spoken(from, said, id, open, sink);
  return {
    message: Object.keys(extra).length > 0 ? { ...message, extra: { sharegpt: extra } } : message,
    open: left,
  };
}

function isTool(from: string): boolean {
  return CALLS.has(from) || RESULTS.has(from);
}

function saidIn(turn: JsonObject): Json | undefined {
  return turn.value ?? turn.content ?? turn.text;
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return textIn(value) ?? JSON.stringify(value);
}

function spoken(from: string, said: string, id: string, open: readonly OpenCall[], sink: Sink): ReadMessage {
  if (CALLS.has(from)) {
    const blocks = callBlocks(said, id);
    const made = blocks.map((block) => ({ id: String(block.id), name: String(block.name) }));
    return { message: { role: "assistant", content: blocks }, open: [...open, ...made] };
  }
  if (RESULTS.has(from)) return resultOf(said, id, open);
  const role = Object.hasOwn(ROLES, from) ? ROLES[from] : undefined;
  if (role === undefined) sink.unknown(`from ${from || "none"}`);
  const message: Message = { role: role ?? "system", content: said };
  return { message, open: role === "user" ? [] : open };
}

/** `{"name","arguments"}`, or a list of them, as text. */
function callBlocks(said: string, id: string): Block[] {
  const parsed = parsedIn(said);
  const calls = Array.isArray(parsed) ? objectsIn(parsed) : [objectIn(parsed) ?? {}];
  const isWhole = calls.length > 0 && calls.every((call) => filledIn(call.name) !== undefined);
  if (!isWhole)
    return [
      { type: "tool_use", id: madeId("call", id, 0), name: "function_call", input: {}, arguments: said },
    ];
  return calls.map(({ name, arguments: args, parameters }, index) => ({
    type: "tool_use",
    id: madeId("call", id, index),
    name: String(name),
    ...toolInput(args ?? parameters),
  }));
}

function resultOf(said: string, id: string, open: readonly OpenCall[]): ReadMessage {
  const [call, ...others] = open;
  const own =
    call === undefined ? { tool_use_id: madeId("result", id) } : { tool_use_id: call.id, paired: "order" };
  return {
    message: { role: "user", content: [{ type: "tool_result", ...own, content: said }] },
    open: others,
  };
}
