import type { JsonObject } from "../util/json.ts";

const FILLED: JsonObject = { type: "string", minLength: 1 };
const OBJECT: JsonObject = { type: "object" };
const STRING: JsonObject = { type: "string" };
/** Something to read: what is left after `trim` is not empty. */
const WORDS = "\\S";

/** What a block of this type must have. Further members are allowed, and kept. */
function blockRule(
  type: string,
  properties: JsonObject,
  required: string[] = Object.keys(properties),
): JsonObject {
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
  return { if: { properties: { type: { const: type } } }, then: { properties, required } };
}

const TOOL_CONTENT: JsonObject = { anyOf: [STRING, { type: "array", items: OBJECT }] };

const BLOCK: JsonObject = {
  type: "object",
  required: ["type"],
  properties: { type: FILLED },
  allOf: [
    blockRule("text", { text: STRING }),
    blockRule("image", { source: OBJECT }),
    blockRule("document", { source: OBJECT }),
    blockRule("thinking", { thinking: STRING }),
    blockRule("redacted_thinking", { data: STRING }),
    blockRule("tool_use", { id: FILLED, name: FILLED, input: OBJECT }),
    blockRule("tool_result", { tool_use_id: FILLED, content: TOOL_CONTENT }, ["tool_use_id"]),
  ],
};

/** Words, or a block that is not text. */
const CONTENTFUL: JsonObject = {
  anyOf: [
    { properties: { type: { not: { const: "text" } } } },
    { properties: { text: { type: "string", pattern: WORDS } } },
  ],
};

/**
 * JSON Schema of `MessageInput`, for those who check before they send.
 *
 * It agrees with what the store checks, but for what the language
 * cannot express: nesting beyond 64 levels, an id of more than 256 bytes in
 * fewer characters, half surrogate pairs in ids, and times that are none,
 * because checkers read `format` as a remark.
 */
export const messageSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Colloquy message",
  type: "object",
  required: ["role", "content"],
  additionalProperties: false,
  properties: {
    role: { enum: ["user", "assistant", "system"] },
    content: {
      anyOf: [
        { type: "string", pattern: WORDS },
        { type: "array", items: { $ref: "#/$defs/block" }, contains: CONTENTFUL },
      ],
    },
    model: STRING,
    usage: OBJECT,
    stopReason: STRING,
    endState: { enum: ["finished", "stopped", "interrupted"] },
    provenance: OBJECT,
    source: true,
    extra: OBJECT,
    id: { type: "string", minLength: 1, maxLength: 256, pattern: "^[^\\u0000-\\u001f\\u007f]*$" },
    at: { type: "string", format: "date-time" },
  },
  $defs: { block: BLOCK },
};
