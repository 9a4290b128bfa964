import type { Message } from "../message/types.ts";
import { checkMessages } from "./item.ts";

/** The working state of an agent loop, which owns `messages` and may add to them. */
export interface AgentContext<Config> {
  readonly sessionId: string;
  readonly config: Config;
  readonly messages: Message[];
}

/**
 * An agent context that starts with the messages of an earlier run. System
 * messages are dropped: the agent writes a new system prompt, and the old one
 * may be out of date.
 */
export function createAgentContextWithHistory<Config>(
  config: Config,
  sessionId: string,
  messages: readonly Message[],
): AgentContext<Config> {
  checkMessages(messages, "messages");
  const spoken = messages.filter(({ role }) => role !== "system");
  return { sessionId, config, messages: structuredClone(spoken) };
}
