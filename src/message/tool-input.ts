import { assertJson, isJsonObject, type Json, type JsonObject } from "../util/json.ts";

/** The depth of a tool's input within a message's content. */
const INPUT_DEPTH = 2;

/** The content of a tool result: a string or blocks, and any other value as JSON text. */
export function resultContent(content: Json | undefined): {
  readonly content?: string | readonly JsonObject[];
} {
  if (content === undefined || content === null) return {};
  if (typeof content === "string") return { content };
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const isBlocks = Array.isArray(content) && blocks.length === content.length;
  return { content: isBlocks ? blocks : JSON.stringify(content) };
}

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
