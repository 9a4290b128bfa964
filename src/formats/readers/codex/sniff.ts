/** Recognizes Codex files. */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn, timeIn } from "../../../util/values.ts";

/** Whether the records begin like the first line of a file from before `session_meta`. */
export function isBareHeader(record: JsonObject): boolean {
  return (
    record.type === undefined &&
    record.role === undefined &&
    filledIn(record.id) !== undefined &&
    timeIn(record.timestamp) !== undefined &&
    "instructions" in record
  );
}

/** Whether it is a line with a payload. */
export function isTyped({ type, payload }: JsonObject): boolean {
  return TYPES.has(type) && objectIn(payload) !== undefined;
}

const TYPES: ReadonlySet<unknown> = new Set([
  ...["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"],
  ...["inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score"],
  "token_usage_record",
]);

/** Any line is enough, because the first one may be lost. */
export function sniffsCodex(records: readonly JsonObject[]): boolean {
  const [first] = records;
  if (first !== undefined && isBareHeader(first)) return true;
  return records.some((record) => isOwn(record) || isBareItem(record));
}

function isOwn(record: JsonObject): boolean {
  return isTyped(record) && (OWN_TYPES.has(record.type) || timeIn(record.timestamp) !== undefined);
}

/** A bare model item, as in the lines of the first releases. */
function isBareItem(record: JsonObject): boolean {
  const { type, role, content, name, arguments: given, output, summary, uuid, sessionId } = record;
  if (uuid !== undefined || sessionId !== undefined) return false;
  switch (type) {
    case undefined:
      return record.record_type === "state";
    case "message":
      return filledIn(role) !== undefined && objectsIn(content).some((part) => ITEM_PARTS.has(part.type));
    case "reasoning":
      return Array.isArray(summary);
    case "function_call":
      return filledIn(name) !== undefined && typeof given === "string";
    case "function_call_output":
      return output !== undefined;
    case "local_shell_call":
      return objectIn(record.action) !== undefined;
    default:
      return false;
  }
}

const ITEM_PARTS: ReadonlySet<unknown> = new Set(["input_text", "output_text", "input_image"]);

/** Names that no other program uses for a line with a payload. */
const OWN_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
]);

/** A whole conversation as one JSON value: the shape of the first releases. */
export function isCodexDocument(value: JsonObject): boolean {
  const session = objectIn(value.session);
  return (
    filledIn(session?.id) !== undefined && Array.isArray(value.items) && objectsIn(value.items).every(isItem)
  );
}

function isItem(item: JsonObject): boolean {
  return item.type !== undefined || item.role !== undefined;
}
