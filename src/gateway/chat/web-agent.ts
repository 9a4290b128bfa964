/** The agent that answers on the page. */
import type { Agents } from "../../channel/setup/agents.ts";
import type { ChatsOptions } from "./chats.ts";

const CHANNEL = "web";
const OF_AGENT = /^agent:([^:]+):/;

/** A conversation that belongs to an agent is answered by it, wherever it began. */
export function webAgent(agents: Agents): ChatsOptions["agentFor"] {
  return async ({ key, lookup }) => {
    const agentId = OF_AGENT.exec(key)?.[1];
    return { agent: await agents.at({ channel: CHANNEL, agentId, lookup }) };
  };
}
