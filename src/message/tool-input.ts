import { assertJson, isJsonObject, type Json, type JsonObject } from "../util/json.ts";

/** The depth of a tool's input within a message's content. */
const INPUT_DEPTH = 2;

/** Tool arguments as an object, parsed if they are JSON text; `undefined` if the store would refuse them. */
export function toObject(raw: Json | undefined): JsonObject | undefined {
  if (typeof raw !== "string") return isJsonObject(raw) ? raw : undefined;
  try {
    const parsed: Json = JSON.parse(raw);
    assertJson(parsed, "arguments", INPUT_DEPTH);
    // Serialised and parsed again, so that -0 becomes the 0 that a store would return.
    return isJsonObject(parsed) ? JSON.parse(JSON.stringify(parsed)) : undefined;
  } catch {
    return undefined;
  }
}
