import type { JsonObject } from "../util/json.ts";
import {
  BLOCK_RULES,
  END_STATES,
  ENTRY_ID_BYTES_MAX,
  MESSAGE_RULES,
  ROLES,
  type ValueRule,
} from "./rules.ts";

const OBJECT: JsonObject = { type: "object" };
const STRING: JsonObject = { type: "string" };
/** Matches text that is not blank. */
const NOT_BLANK = "\\S";

const VALUES: Readonly<Record<ValueRule, JsonObject | true>> = {
  string: STRING,
  filled: { type: "string", minLength: 1 },
  object: OBJECT,
  content: { anyOf: [STRING, { type: "array", items: OBJECT }] },
  endState: { enum: END_STATES },
  any: true,
};

function propertiesOf(rules: Readonly<Record<string, ValueRule>>): JsonObject {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, VALUES[rule]]));
}

function blockRule([type, rules]: readonly [string, Readonly<Record<string, ValueRule>>]): JsonObject {
  const required = Object.keys(rules).filter((name) => rules[name] !== "content");
  const isOther = { properties: { type: { not: { const: type } } } };
  return { anyOf: [isOther, { properties: propertiesOf(rules), required }] };
}

const BLOCK: JsonObject = {
  type: "object",
  required: ["type"],
  properties: { type: VALUES.filled },
  allOf: Object.entries(BLOCK_RULES).map(blockRule),
};

/** Text that is not blank, or a block of another type. */
const CONTENTFUL: JsonObject = {
  anyOf: [
    { properties: { type: { not: { const: "text" } } } },
    { properties: { text: { type: "string", pattern: NOT_BLANK } } },
  ],
};

/**
 * JSON Schema of `MessageInput`, for programs that check before they send.
 *
 * It agrees with the store's own checks, except for what JSON Schema cannot
 * express: nesting beyond 64 levels, an id of more than 256 bytes in fewer
 * characters, lone surrogates in ids, and invalid times, because validators
 * treat `format` as a comment.
 */
export const messageSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Colloquy message",
  type: "object",
  required: ["role", "content"],
  additionalProperties: false,
  properties: {
    role: { enum: ROLES },
    content: {
      anyOf: [
        { type: "string", pattern: NOT_BLANK },
        { type: "array", items: { $ref: "#/$defs/block" }, contains: CONTENTFUL },
      ],
    },
    ...propertiesOf(MESSAGE_RULES),
    id: {
      type: "string",
      minLength: 1,
      maxLength: ENTRY_ID_BYTES_MAX,
      pattern: "^[^\\u0000-\\u001f\\u007f]*$",
    },
    at: { type: "string", format: "date-time" },
  },
  $defs: { block: BLOCK },
};
