/** Events of a Codex file. They are meant for display; a few contain facts that no item has. */
import type { Block } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, textIn } from "../../../util/values.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import { contentOf, imageBlock } from "./content.ts";
import { takeItem } from "./records.ts";
import type { CodexSession } from "./session.ts";
import { promptParts, readTurnItem } from "./turn-items.ts";
import { usageOf } from "./usage.ts";

type At = number | undefined;

export function takeEvent(session: CodexSession, record: SourceRecord, event: JsonObject, at: At): void {
  const { step } = session;
  switch (event.type) {
    case "user_message":
      step.prompt(record, shownPrompt(event), at, isContext(event.kind));
      break;
    case "item_completed":
      takeTurnItem(session, record, objectIn(event.item) ?? {}, at);
      break;
    case "token_count":
      step.usage(record, usageOf(event.info));
      break;
    case "thread_rolled_back":
      takeRollback(session, record, numberIn(event.num_turns) ?? 0, at);
      break;
    case "thread_name_updated":
      session.entitle(filledIn(event.thread_name));
      step.note(record);
      break;
    default:
      takeDisplay(session, record, textIn(event.type) ?? "none");
  }
}

/** After a rollback to the beginning there is nothing to show, so the rollback becomes an entry. */
function takeRollback({ step, chain }: CodexSession, record: SourceRecord, turns: number, at: At): void {
  step.settle();
  const data = { type: "reset", first_kept: null, reason: "rolled-back" };
  if (chain.rollBack(turns) && chain.last === null) step.add("reset", record, { kind: "info", at, data });
  else step.note(record);
}

function takeDisplay({ step, onUnknown }: CodexSession, record: SourceRecord, type: string): void {
  if (!isDisplay(type)) onUnknown(`event_msg ${type}`);
  if (TURN_ENDS.has(type)) step.endTurn();
  step.note(record);
}

function takeTurnItem(session: CodexSession, record: SourceRecord, item: JsonObject, at: At): void {
  const { step, onUnknown, hasItems } = session;
  const parts = promptParts(item);
  if (parts !== undefined) {
    step.prompt(record, contentOf(parts.map(shownPart), onUnknown), at, false);
    return;
  }
  const items = hasItems ? [] : readTurnItem(item, onUnknown);
  for (const read of items) takeItem(session, record, read, at);
  if (items.length === 0) step.note(record);
}

function shownPrompt({ message, images }: JsonObject): string | Block[] {
  const text = textIn(message) ?? "";
  const shown = listIn(images).flatMap((url) => (typeof url === "string" ? [imageBlock(url)] : []));
  if (shown.length === 0) return text;
  return [...(text === "" ? [] : [{ type: "text", text }]), ...shown];
}

/** For an image that was a local file, only the path is known. The item that it repeats has the image. */
function shownPart(part: Json): Json {
  const path = objectIn(part)?.type === "local_image" ? textIn(objectIn(part)?.path) : undefined;
  return path === undefined ? part : { type: "text", text: `[image: ${path}]` };
}

/** The first releases with events marked context with a kind. */
function isContext(kind: Json | undefined): boolean {
  return typeof kind === "string" && kind !== "plain";
}

const TURN_ENDS: ReadonlySet<string> = new Set(["task_complete", "turn_complete", "turn_aborted"]);

const DISPLAY: ReadonlySet<string> = new Set([
  ...["agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break"],
  ...["task_started", "turn_started", "context_compacted", "entered_review_mode", "exited_review_mode"],
  ...["sub_agent_activity", "thread_goal_updated", "error", "warning", "stream_error", "guardian_assessment"],
  ...["view_image_tool_call", "dynamic_tool_call_request", "dynamic_tool_call_response", "turn_diff"],
  ...[
    "thread_settings_applied",
    "plan_update",
    "background_event",
    "session_configured",
    "shutdown_complete",
    "undo_completed",
  ],
]);

/** Events that repeat model items for display, or report the progress of a turn. */
function isDisplay(type: string): boolean {
  return TURN_ENDS.has(type) || DISPLAY.has(type) || /_(begin|end|delta|started|completed)$/.test(type);
}
