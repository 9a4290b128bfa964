/**
 * Conversations of pi, in all its versions, and of programs that write the
 * same lines: Oh My Pi, and OpenClaw in the time before its database.
 */
import type { JsonObject } from "../../../util/json.ts";
import type { LinesFormat } from "../../contract/reader.ts";
import { filledIn, objectIn, timeIn } from "../../contract/values.ts";
import { isLlamaUi } from "../llama-ui/sniff.ts";
import { openclawOrigin, piOrigin } from "./header.ts";
import { PiReader } from "./reader.ts";

export const pi: LinesFormat = {
  kind: "lines",
  name: "pi",
  sniff: sniffsPi,
  open: (sink, { path }, state) =>
    new PiReader(sink, { format: "pi", origin: (header) => piOrigin(path, header) }, state),
};

/** The same lines in an OpenClaw folder, so that they are the conversations of its database. */
export const openclawTranscript: LinesFormat = {
  kind: "lines",
  name: "openclaw",
  // Only the path tells: whoever chooses asks `isOpenclawPath`.
  sniff: () => false,
  open: (sink, { path }, state) =>
    new PiReader(sink, { format: "openclaw", origin: (header) => openclawOrigin(path, header) }, state),
};

function sniffsPi(records: readonly JsonObject[]): boolean {
  if (isLlamaUi(records)) return false;
  // A torn header: the entries are recognised all the same.
  return records.some((record) => isHeader(record) || isEntry(record));
}

function isHeader({ type, id }: JsonObject): boolean {
  return type === "session" && filledIn(id) !== undefined;
}

function isEntry(record: JsonObject): boolean {
  const { type, id, parentId, timestamp, message } = record;
  if (FOREIGN_MEMBERS.some((member) => record[member] !== undefined)) return false;
  const isPlaced = filledIn(id) !== undefined && parentId !== undefined;
  // The first version had no ids.
  if (!isPlaced && (id !== undefined || timeIn(timestamp) === undefined)) return false;
  if (type === "message") return filledIn(objectIn(message)?.role) !== undefined;
  return OWN_TYPES.has(type) || (isPlaced && PLACED_TYPES.has(type));
}

/** Lines that have them are of other programs. */
const FOREIGN_MEMBERS = ["uuid", "sessionId", "payload", "_type", "role"];
const OWN_TYPES: ReadonlySet<unknown> = new Set(["thinking_level_change", "model_change"]);
/** Names that say too little without a place in a tree. */
const PLACED_TYPES: ReadonlySet<unknown> = new Set([
  ...["custom", "custom_message", "compaction", "branch_summary", "label", "session_info"],
  ...["usage", "context_edit", "leaf"],
]);
