/** Every method of the WebSocket protocol. */
import type { Method } from "../method.ts";
import { CHAT_METHODS } from "./chat.ts";
import { MESSAGE_METHODS } from "./messages.ts";
import { TOPIC_METHODS } from "./topics.ts";

export const METHODS: readonly Method[] = [...TOPIC_METHODS, ...CHAT_METHODS, ...MESSAGE_METHODS];
