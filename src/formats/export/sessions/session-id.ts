/** The names of copies that another tool can continue. */
import type { ConversationInfo } from "../../../engine/index.ts";
import { uuidFromHash } from "../../../util/uuid.ts";

/** A copy is a session of its own: never the id of the conversation, or of a session that it came from. */
export function copyId(to: string, { id }: Pick<ConversationInfo, "id">): string {
  return uuidFromHash(`copy\0${to}\0${id}`);
}

/** The id of a line of a copy. */
export function lineId(session: string, entry: string, index = 0): string {
  return uuidFromHash(`${session}\0${entry}\0${index}`);
}

/** Claude Code finds a session by the name of its file. */
export function claudeCodeName(info: Pick<ConversationInfo, "id">): string {
  return `${copyId("claude-code", info)}.jsonl`;
}

/** Codex finds a rollout by the end of its name, and sorts by the beginning. */
export function codexName(info: Pick<ConversationInfo, "id" | "createdAt">): string {
  const time = info.createdAt.slice(0, 19).replaceAll(":", "-");
  return `rollout-${time}-${copyId("codex", info)}.jsonl`;
}
