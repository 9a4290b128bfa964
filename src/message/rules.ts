/** What a message may hold, as data: the store's checks and the JSON Schema are both made from it. */

import type { EndState, Role } from "./types.ts";

export const ROLES: readonly Role[] = ["user", "assistant", "system"];
export const END_STATES: readonly EndState[] = ["finished", "stopped", "interrupted"];

export function isRole(value: unknown): value is Role {
  return ROLES.includes(value as Role);
}

export const ENTRY_ID_BYTES_MAX = 256;

/** What a value must be. `filled` is a string that is not empty; `content` a string or blocks, and optional. */
export type ValueRule = "string" | "filled" | "object" | "content" | "endState" | "any";

/** The optional properties of a message. */
export const MESSAGE_RULES: Readonly<Record<string, ValueRule>> = {
  model: "string",
  usage: "object",
  stopReason: "string",
  endState: "endState",
  provenance: "object",
  source: "any",
  extra: "object",
};

/** The properties that a block of each known type must have. It may have others, which are kept. */
export const BLOCK_RULES: Readonly<Record<string, Readonly<Record<string, ValueRule>>>> = {
  text: { text: "string" },
  image: { source: "object" },
  document: { source: "object" },
  thinking: { thinking: "string" },
  redacted_thinking: { data: "string" },
  tool_use: { id: "filled", name: "filled", input: "object" },
  tool_result: { tool_use_id: "filled", content: "content" },
};
