import type { Call } from "../../../command.ts";
import { rememberList } from "../../../store/last-list.ts";
import { storeTarget } from "../../../store/store-target.ts";
import { byConversation } from "../../search/found.ts";
import { foundLines } from "../../search/hit-view.ts";
import type { ChatAgent } from "../chat-agent.ts";

const HITS = 10;

export async function searchCommand(call: Call, agent: ChatAgent, text: string): Promise<readonly string[]> {
  if (text === "") return ["What to search for? /search TEXT"];
  const { hits } = await agent.store.search(text, { limit: HITS });
  const conversations = await byConversation(
    agent.store,
    hits.map((hit) => ({ hit, before: [], after: [] })),
  );
  if (conversations.length === 0) return ["Nothing found."];
  rememberList(
    call,
    storeTarget(call.values),
    conversations.map(({ id }) => id),
  );
  return [...foundLines(call.out, conversations), "", "To open one: /sessions #1"];
}
