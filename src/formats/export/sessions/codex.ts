/** A rollout that Codex resumes. */

import { placeholder } from "../../../message/apis/foreign.ts";
import { dataUrl, mediaOf, resultText } from "../../../message/apis/request.ts";
import { blocksOf } from "../../../message/blocks.ts";
import type { Snapshot } from "../../../store/read/snapshot.ts";
import { type JsonObject, stringOf } from "../../../util/json.ts";
import type { Cleaner } from "../cleaning.ts";
import type { Wanted } from "../options.ts";
import { copyId } from "./session-id.ts";
import { type SessionItem, sessionSource } from "./session-items.ts";

/** The version whose records these are. */
const VERSION = "0.166.0";

export async function* codex(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  const { cwd = "", items } = await sessionSource(snapshot, wanted, cleaner);
  const { createdAt } = snapshot.info;
  const id = copyId("codex", snapshot.info);
  const meta = {
    id,
    session_id: id,
    timestamp: createdAt,
    cwd,
    originator: "colloquy",
    cli_version: VERSION,
  };
  yield lineOf(createdAt, "session_meta", { ...meta, source: "cli", history_mode: "legacy" });
  for (const item of items)
    for (const [type, payload] of recordsOf(item)) yield lineOf(item.at, type, payload);
}

function lineOf(timestamp: string, type: string, payload: JsonObject): string {
  return `${JSON.stringify({ timestamp, type, payload })}\n`;
}

type TypedRecord = readonly [type: string, payload: JsonObject];

function recordsOf({ message, summary }: SessionItem): TypedRecord[] {
  const before: TypedRecord[] = summary === undefined ? [] : [["compacted", { message: summary }]];
  const blocks = blocksOf(message);
  const others = blocks.filter(({ type }) => type !== "tool_use" && type !== "tool_result");
  const calls = blocks.filter(({ type }) => type === "tool_use").map(callOf);
  const results = blocks.filter(({ type }) => type === "tool_result").map(resultOf);
  return [...before, ...results, ...spokenOf(message.role, others), ...calls];
}

/** A message for the model and, of the user and the model, an event to display it. */
function spokenOf(role: string, blocks: readonly JsonObject[]): TypedRecord[] {
  const isAnswer = role === "assistant";
  const content = blocks.flatMap((block) => partsOf(block, isAnswer));
  if (content.length === 0) return [];
  const said: TypedRecord = [
    "response_item",
    { type: "message", role: role === "system" ? "developer" : role, content },
  ];
  const message = content.map(({ text }) => stringOf(text)).join("");
  if (role === "system") return [said];
  return [said, ["event_msg", { type: isAnswer ? "agent_message" : "user_message", message }]];
}

/** Thinking of other models means nothing to this one, and its own is sealed. */
function partsOf(block: JsonObject, isAnswer: boolean): JsonObject[] {
  const text = (said: string): JsonObject[] =>
    said === "" ? [] : [{ type: isAnswer ? "output_text" : "input_text", text: said }];
  switch (block.type) {
    case "text":
      return text(stringOf(block.text));
    case "thinking":
    case "redacted_thinking":
      return [];
    case "image":
    case "document": {
      const media = mediaOf(block);
      if (media?.form === "text") return text(media.text);
      if (isAnswer || block.type !== "image" || media === undefined) return text(placeholder([block]));
      const url = media.form === "url" ? media.url : dataUrl(media.mediaType, media.data);
      return [{ type: "input_image", image_url: url }];
    }
    default:
      return text(placeholder([block]));
  }
}

function callOf({ id, name, input }: JsonObject): TypedRecord {
  const call = { type: "function_call", name: stringOf(name), arguments: JSON.stringify(input ?? {}) };
  return ["response_item", { ...call, call_id: stringOf(id) }];
}

function resultOf({ tool_use_id: id, content }: JsonObject): TypedRecord {
  return [
    "response_item",
    { type: "function_call_output", call_id: stringOf(id), output: resultText(content) },
  ];
}
