import { assertJson, isJsonObject, type Json, type JsonObject } from "../util/json.ts";
import { jsonText, objectIn, parsedIn } from "../util/values.ts";

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

/** The input of a tool call. Arguments that are not a JSON object are also kept as written. */
export function toolInput(raw: Json | undefined): {
  readonly input: JsonObject;
  readonly arguments?: string;
} {
  const own = objectIn(raw);
  if (own !== undefined) return { input: own };
  if (raw === undefined || raw === null || raw === "") return { input: {} };
  if (typeof raw !== "string") return { input: { value: raw }, arguments: jsonText(raw) ?? "" };
  const parsed = parsedIn(raw);
  if (parsed === undefined) return { input: {}, arguments: raw };
  if (objectIn(parsed) === undefined) return { input: toObject(`{"value":${raw}}`) ?? {}, arguments: raw };
  // Too deep for a store: it stays text.
  const object = toObject(raw);
  return object === undefined ? { input: {}, arguments: raw } : { input: object };
}
