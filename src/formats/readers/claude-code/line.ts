import type { JsonObject } from "../../../util/json.ts";
import { filledIn, jsonText, objectIn, objectsIn, textIn, timeIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceRecord } from "../../contract/reader.ts";

/**
 * The role of a line in the conversation: an answer of the model or a part of
 * it, a message of the user or a tool, half of a compaction, or a record that is
 * kept without becoming an entry.
 */
type LineKind = "assistant" | "user" | "boundary" | "summary" | "note";

/** One line of a session file, with its place in the tree. */
export interface Line {
  readonly kind: LineKind;
  readonly record: SourceRecord;
  readonly value: JsonObject;
  readonly type: string;
  /** Made from the position in the file for a message without one; `undefined` for lines outside the tree. */
  readonly uuid: string | undefined;
  /** `undefined` when the line does not say. */
  readonly parent: string | null | undefined;
  /** The message of the line, or `{}`. */
  readonly message: JsonObject;
  /** Of the API, shared by all lines of one answer. */
  readonly messageId: string | undefined;
  /** The calls that it answers. */
  readonly answers: readonly string[];
}

/** A line that a fork has under another id keeps its first one, which `firstId` knows for a fork of a fork. */
export function lineOf(
  value: JsonObject,
  record: SourceRecord,
  firstId: (id: string) => string = (id) => id,
): Line {
  const message = messageOf(value);
  const kind = kindOf(value, message);
  const original = uuidIn(objectIn(value.forkedFrom)?.messageUuid);
  return {
    kind,
    record,
    value,
    type: textIn(value.type) ?? "",
    uuid: original === undefined ? ownId(value, record, kind) : firstId(original),
    parent: value.parentUuid === null ? null : uuidIn(value.parentUuid),
    message: message ?? {},
    messageId: kind === "assistant" ? filledIn(message?.id) : undefined,
    answers: kind === "user" ? answersIn(message) : [],
  };
}

function ownId(value: JsonObject, record: SourceRecord, kind: LineKind): string | undefined {
  return uuidIn(value.uuid) ?? (kind === "note" ? undefined : placeId(value, record));
}

const ID_BYTES_MAX = 256;

/** The id of the source, unless it is too long for an entry. */
export function uuidIn(value: unknown): string | undefined {
  const id = filledIn(value);
  return id !== undefined && Buffer.byteLength(id) > ID_BYTES_MAX ? madeId(id) : id;
}

/** A prompt that was typed while the agent worked is recorded as an attachment. */
function messageOf(value: JsonObject): JsonObject | undefined {
  if (value.type === "user" || value.type === "assistant") return objectIn(value.message);
  const attachment = objectIn(value.attachment);
  if (value.type !== "attachment" || attachment?.type !== "queued_command") return undefined;
  const { prompt } = attachment;
  return typeof prompt === "string" || Array.isArray(prompt) ? { role: "user", content: prompt } : undefined;
}

function kindOf(value: JsonObject, message: JsonObject | undefined): LineKind {
  if (value.type === "system" && value.subtype === "compact_boundary") return "boundary";
  if (message === undefined) return "note";
  if (value.type === "assistant") return "assistant";
  return value.isCompactSummary === true ? "summary" : "user";
}

/** Lines are only appended, so positions are stable. Two records may share a line by mistake. */
function placeId(value: JsonObject, { line }: SourceRecord): string {
  return madeId("claude-code", line ?? -1, jsonText(value) ?? "");
}

function answersIn(message: JsonObject | undefined): string[] {
  return objectsIn(message?.content).flatMap(({ type, tool_use_id: id }) =>
    type === "tool_result" && typeof id === "string" ? [id] : [],
  );
}

export function callsIn(line: Line): JsonObject[] {
  return objectsIn(line.message.content).filter(({ type }) => type === "tool_use");
}

export function timeOf(line: Line | undefined): number | undefined {
  return timeIn(line?.value.timestamp);
}

/** All text of a message, for titles and for comparing prompts. */
export function textOf({ message: { content } }: Line): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
}
