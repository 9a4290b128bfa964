/**
 * Session files of Claude Code: one record a line, joined into a tree by
 * `uuid` and `parentUuid`. Read without looking ahead: what belongs together
 * stands close together.
 */
import type { JsonObject } from "../../../util/json.ts";
import type { LinesFormat } from "../../contract/reader.ts";
import { SIDE_TYPES, TREE_TYPES } from "./kinds.ts";
import { ClaudeCodeReader } from "./reader.ts";

export const claudeCode: LinesFormat = {
  kind: "lines",
  name: "claude-code",
  sniff: (records) => records.some(isOurs),
  open: (sink, around, state) => new ClaudeCodeReader(sink, around, state),
};

function isOurs({ type, sessionId, parentUuid, uuid, leafUuid, snapshot }: JsonObject): boolean {
  if (typeof type !== "string") return false;
  if (type === "summary") return typeof leafUuid === "string";
  if (type === "file-history-snapshot") return typeof snapshot === "object";
  if (typeof sessionId !== "string") return false;
  if (TREE_TYPES.has(type)) return parentUuid !== undefined || typeof uuid === "string";
  return SIDE_TYPES.has(type);
}
