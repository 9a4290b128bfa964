import type { Message } from "../message/types.ts";

/** What an agent's loop works on. `messages` is its own: it may add to them. */
export interface AgentContext<Config> {
  readonly sessionId: string;
  readonly config: Config;
  readonly messages: Message[];
}

/**
 * An agent's context that begins with the messages of an earlier run. System
 * messages are left out: the agent makes its system prompt anew, and the old
 * one may say what is no longer so.
 */
export function createAgentContextWithHistory<Config>(
  config: Config,
  sessionId: string,
  messages: readonly Message[],
): AgentContext<Config> {
  const spoken = messages.filter(({ role }) => role !== "system");
  return { sessionId, config, messages: structuredClone(spoken) };
}
