import type { SourceConversation } from "../../contract/reader.ts";
import { defined, filledIn, objectIn, parsedIn } from "../../contract/values.ts";

/** What `agent-<id>.meta.json` beside a sub-agent's file adds to what that says: who it is, and which call started it. */
export function agentHint(text: string): (start: SourceConversation) => SourceConversation {
  const { agentType, toolUseId, parentAgentId } = objectIn(parsedIn(text)) ?? {};
  const known = defined({ toolUse: filledIn(toolUseId), agent: filledIn(agentType) });
  const above = filledIn(parentAgentId);
  return (start) => {
    if (start.parent === undefined) return start;
    const [session] = start.sourceId.split("/", 1);
    const sourceId = above === undefined ? start.parent.sourceId : `${session}/agent-${above}`;
    return { ...start, parent: { ...start.parent, ...known, sourceId } };
  };
}
