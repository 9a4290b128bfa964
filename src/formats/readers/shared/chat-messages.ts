/** Chat messages without ids, as in API requests, fine-tuning files and data sets. */
import { hash } from "node:crypto";
import type { Message } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";

/** A call without an id. Its result comes next, or the result of another call of the same turn. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
}

export interface ReadMessage {
  readonly message: Message;
  /** Calls that still wait for their results. */
  readonly open: readonly OpenCall[];
}

const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
/** Messages with a time or a type belong to other formats. */
const FOREIGN_PROPERTIES = ["timestamp", "ts", "_type", "uuid", "parent_id", "parts", "message"];

/** Whether a record is a message of OpenAI's API. */
export function isChatMessage(value: JsonObject): boolean {
  if (!ROLES.has(value.role) || FOREIGN_PROPERTIES.some((name) => value[name] !== undefined)) return false;
  return ["content", "tool_calls", "function_call"].some((name) => Object.hasOwn(value, name));
}

/** At least half of them: a few odd or damaged lines do not change the format of a file. */
export function areMostly(records: readonly JsonObject[], is: (record: JsonObject) => boolean): boolean {
  return records.length > 0 && records.filter(is).length * 2 >= records.length;
}

/** Like `areMostly`. Tools that write a type into lines have messages that otherwise look the same. */
export function areChatLines(records: readonly JsonObject[], is: (record: JsonObject) => boolean): boolean {
  return areMostly(records, is) && !records.some(({ _type: type }) => type !== undefined);
}

export function fingerprintOf(value: Json): string {
  try {
    return hash("sha256", JSON.stringify(value));
  } catch {
    // Nested too deeply for JSON, which no message is.
    return "deep";
  }
}
