/** JSON Schemas of what says who may do what. */
import type { JsonObject } from "../../util/json.ts";

export const PERMISSION = { enum: ["read", "write", "admin"] } as const;

export const NEW_SCOPE = {
  type: "object",
  properties: {
    channels: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 512 },
      minItems: 1,
      maxItems: 100,
    },
    keys: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 512 },
      minItems: 1,
      maxItems: 100,
    },
    conversations: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 512 },
      minItems: 1,
      maxItems: 100,
    },
  },
  additionalProperties: false,
} as const;

export const SCOPE: JsonObject = { ...NEW_SCOPE, type: ["object", "null"] };
