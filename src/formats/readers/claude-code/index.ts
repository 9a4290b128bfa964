/**
 * Session files of Claude Code: one record a line, joined into a tree by
 * `uuid` and `parentUuid`. Read without looking ahead: related lines are close
 * together.
 */
import { join } from "node:path";
import type { JsonObject } from "../../../util/json.ts";
import type { FormatWith } from "../../contract/format.ts";
import { stemOf } from "../shared/file-name.ts";
import { describeSession } from "./agent-meta.ts";
import { claudeBase } from "./forks/base.ts";
import { SIDE_TYPES, TREE_TYPES } from "./kinds.ts";
import { ClaudeCodeReader } from "./reader.ts";
import { claudeResume } from "./resume.ts";

export const claudeCode: FormatWith<"lines"> = {
  name: "claude-code",
  lines: {
    needsMessage: true,
    sniff: (records) => records.some(isOurs),
    base: claudeBase,
    open: (sink, around, state, base) => new ClaudeCodeReader(sink, around, state, base),
  },
  companions:
    /\/agent-[^/]+\.meta\.json$|\/tool-results\/[^/]+$|\/[0-9a-f-]{36}\/(?:archived|custom-title)\.json$/,
  sideFile: {
    names: (transcript) => {
      const [agent] = /agent-[^/]+(?=\.jsonl)/.exec(transcript) ?? [];
      return [agent === undefined ? `${stemOf(transcript)}/archived.json` : `${agent}.meta.json`];
    },
    others: (transcript) => [`${stemOf(transcript)}/custom-title.json`],
    read: describeSession,
  },
  home: { folders: [".claude", ".claude/projects"] },
  resume: claudeResume,
  usualPlaces: ({ home, environment }) => [
    { tool: "Claude Code", path: join(environment.CLAUDE_CONFIG_DIR || join(home, ".claude"), "projects") },
  ],
};

function isOurs({ type, sessionId, parentUuid, uuid, leafUuid, snapshot }: JsonObject): boolean {
  if (typeof type !== "string") return false;
  if (type === "summary") return typeof leafUuid === "string";
  if (type === "file-history-snapshot") return typeof snapshot === "object";
  if (typeof sessionId !== "string") return false;
  if (TREE_TYPES.has(type)) return parentUuid !== undefined || typeof uuid === "string";
  return SIDE_TYPES.has(type);
}
