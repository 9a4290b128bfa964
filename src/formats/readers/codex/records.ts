/** The records of a Codex file other than its events. */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, textIn, timeIn } from "../../../util/values.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import { contentOf } from "./content.ts";
import { agentMessage, type CodexItem, readItem } from "./items.ts";
import type { CodexSession } from "./session.ts";

type At = number | undefined;

/** A line with a payload, except for events. */
export function takeTyped(session: CodexSession, record: SourceRecord, value: JsonObject): void {
  const { step, onUnknown } = session;
  const payload = objectIn(value.payload) ?? {};
  const at = timeIn(value.timestamp);
  switch (value.type) {
    case "response_item":
      session.hasItems = true;
      takeItem(session, record, readItem(payload, onUnknown), at);
      break;
    case "turn_context":
      session.changeModel(textIn(payload.model));
      step.note(record);
      break;
    case "compacted":
      takeCompaction(session, record, payload, at);
      break;
    case "inter_agent_communication":
      takeAgentMessage(session, record, payload, at);
      break;
    default:
      step.note(record);
  }
}

/** A line of the first releases: a bare item. */
export function takeBare(session: CodexSession, record: SourceRecord, value: JsonObject): void {
  const isMessage = value.type === undefined && value.role !== undefined;
  const item = isMessage ? { ...value, type: "message" } : value;
  takeItem(session, record, readItem(item, session.onUnknown), timeIn(value.timestamp));
}

export function takeItem(session: CodexSession, record: SourceRecord, item: CodexItem, at: At): void {
  const { step } = session;
  switch (item.side) {
    case "user":
      step.user(record, item.content, at, session.isBare);
      break;
    case "answer":
      step.answer(record, item, at, session.model);
      break;
    case "output":
      step.output(record, item.block, at);
      break;
    case "other":
      step.add(item.message.role, record, { at, message: item.message });
      break;
    case "none":
      step.note(record);
  }
}

function takeCompaction({ step }: CodexSession, record: SourceRecord, payload: JsonObject, at: At): void {
  const summary = filledIn(payload.message);
  const data = { strategy: "codex", first_kept: null };
  // The summary of a server is encrypted: only its existence is known.
  const info = { kind: "info", at, data: { type: "compaction", ...data } } as const;
  const whole = { kind: "compaction", at, data: { summary, ...data } } as const;
  step.add("compacted", record, summary === undefined ? info : whole);
}

function takeAgentMessage(session: CodexSession, record: SourceRecord, payload: JsonObject, at: At): void {
  const { step, onUnknown } = session;
  const content = contentOf(payload.content, onUnknown);
  const message = agentMessage(content, payload.author, payload.recipient);
  if (content.length === 0) step.note(record);
  else step.add("user", record, { at, message });
}
