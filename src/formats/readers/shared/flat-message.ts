/** A flat message: text, calls `{ id, name, params }`, media, and results as separate messages. */
import type { Message } from "../../../message/types.ts";
import type { JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import { contentWith, type FlatTools, listOf, mediaBlock, roleOf } from "./flat-tools.ts";

const KNOWN_ROLES: ReadonlySet<unknown> = new Set([
  ...["user", "assistant", "system", "developer", "tool", "function", "toolResult"],
]);

export function isKnownRole(role: unknown): boolean {
  return KNOWN_ROLES.has(role);
}

export function flatMessage(line: JsonObject, entryId: string, tools: FlatTools, format: string): Message {
  const { role, other } = roleOf(line.role);
  const media = listOf(line.media).map(mediaBlock);
  const extra = other === undefined ? {} : { extra: { [format]: { role: other } } };
  if (line.role === "tool" || line.role === "function" || line.role === "toolResult") {
    return {
      role: "user",
      content: [tools.result({ ...line, id: undefined }, line.content), ...media],
      ...extra,
    };
  }
  const calls = listOf(line.tool_calls).map((call, index) =>
    tools.call(call, madeId(entryId, "call", index)),
  );
  return { role, content: contentWith(line.content, [], [...media, ...calls]), ...extra };
}
