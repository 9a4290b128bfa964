import type { JsonObject } from "../../../../util/json.ts";
import { filledIn, objectIn, timeIn } from "../../../../util/values.ts";

/** Whether records are lines of a session as pi writes it. Any line is enough, because the header may be torn. */
export function isPiSession(records: readonly JsonObject[]): boolean {
  return records.some((record) => isHeader(record) || isEntry(record));
}

function isHeader({ type, id }: JsonObject): boolean {
  return type === "session" && filledIn(id) !== undefined;
}

function isEntry(record: JsonObject): boolean {
  const { type, id, parentId, timestamp, message } = record;
  if (FOREIGN_PROPERTIES.some((name) => record[name] !== undefined)) return false;
  const isPlaced = filledIn(id) !== undefined && parentId !== undefined;
  // The first version had no ids.
  if (!isPlaced && (id !== undefined || timeIn(timestamp) === undefined)) return false;
  if (type === "message") return filledIn(objectIn(message)?.role) !== undefined;
  return OWN_TYPES.has(type) || (isPlaced && PLACED_TYPES.has(type));
}

/** Lines with one of these were written by other programs. */
const FOREIGN_PROPERTIES = ["uuid", "sessionId", "payload", "_type", "role"];
const OWN_TYPES: ReadonlySet<unknown> = new Set(["thinking_level_change", "model_change"]);
/** Common names, which count only together with a place in a tree. */
const PLACED_TYPES: ReadonlySet<unknown> = new Set([
  ...["custom", "custom_message", "compaction", "branch_summary", "label", "session_info"],
  ...["usage", "context_edit", "leaf"],
]);
