/** The agent that answers on the page. */
import type { AgentSetup, Lookup } from "../../channel/setup/agent-setup.ts";
import type { Agents } from "../../channel/setup/agents.ts";
import type { ChatsOptions } from "./chats.ts";

const CHANNEL = "web";
const OF_AGENT = /^agent:([^:]+):/;

export function webAgent(agents: Agents): ChatsOptions["agentFor"] {
  return ({ key, lookup }) => webSetup(agents, key, lookup);
}

/** A conversation that belongs to an agent is answered by it, wherever it began. */
export function webSetup(agents: Agents, key: string, lookup?: Lookup): Promise<AgentSetup> {
  return agents.at({ channel: CHANNEL, agentId: OF_AGENT.exec(key)?.[1], lookup });
}
