/** JSON Schemas that several routes share. */
import type { ObjectSchema } from "../../agent/index.ts";
import { messageSchema } from "../../message/schema.ts";
import type { JsonObject } from "../../util/json.ts";
import { objectIn } from "../../util/values.ts";

/** Names, ids and cursors. The store has closer limits, in bytes. */
export const NAME = { type: "string", maxLength: 4096 } as const;
export const NAME_OR_NULL = {
  anyOf: [{ type: "string", maxLength: 4096 }, { type: "null" }],
} as const;
export const TIME = { type: "string", format: "date-time", maxLength: 64 } as const;
export const FLAG = { type: "boolean" } as const;

export const LIMIT = { type: "integer", minimum: 1, maximum: 1000 } as const;
/** From the page before. */
export const CURSOR = { type: "string", maxLength: 4096 } as const;

const { $schema: _, $defs, ...message } = messageSchema;
/** One message to append. Its schema refers to a definition at its root, which is here put in its place. */
const MESSAGE: JsonObject = JSON.parse(
  JSON.stringify(message).replaceAll('{"$ref":"#/$defs/block"}', JSON.stringify(objectIn($defs)?.block)),
);
export const MESSAGES: MessageListSchema = { type: "array", minItems: 1, maxItems: 10_000, items: MESSAGE };

interface MessageListSchema extends JsonObject {
  readonly type: "array";
  readonly items: JsonObject;
}

export function objectOf(properties: ObjectSchema["properties"]): JsonObject {
  return { type: "object", properties, required: Object.keys(properties) };
}

export function listOf(items: JsonObject): JsonObject {
  return objectOf({ items: { type: "array", items }, cursor: { type: ["string", "null"] } });
}

const TEXT_OR_NULL: JsonObject = { type: ["string", "null"] };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const WHEN: JsonObject = { type: "string", format: "date-time" };
const WHEN_OR_NULL: JsonObject = { type: ["string", "null"], format: "date-time" };

export const SUMMARY: JsonObject = objectOf({
  id: { type: "string", format: "uuid" },
  key: TEXT_OR_NULL,
  title: TEXT_OR_NULL,
  channel: TEXT_OR_NULL,
  model: TEXT_OR_NULL,
  messageCount: COUNT,
  branchCount: COUNT,
  createdAt: WHEN,
  updatedAt: WHEN,
  lastMessageAt: WHEN_OR_NULL,
  deletedAt: WHEN_OR_NULL,
  running: FLAG,
});

export const ENTRY: JsonObject = objectOf({
  id: { type: "string" },
  seq: COUNT,
  parentId: TEXT_OR_NULL,
  at: WHEN,
  kind: { type: "string" },
});

export const RECEIPT: JsonObject = objectOf({
  id: { type: "string" },
  at: WHEN,
  entries: COUNT,
  blobs: COUNT,
  bytes: COUNT,
  copies: { type: "array", items: { type: "string" } },
});
