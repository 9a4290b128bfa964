import { defined } from "../../../util/json.ts";
import { filledIn, objectIn, parsedIn } from "../../../util/values.ts";
import type { Describe } from "../../contract/format.ts";

/** Adds the facts of the file beside a session: that it was archived, or those of a sub-agent. */
export function describeSession(text: string): Describe {
  const { archived } = objectIn(parsedIn(text)) ?? {};
  if (archived !== true) return describeAgent(text);
  return (start) => ({ ...start, isHidden: true, about: { ...start.about, archived } });
}

/** Adds the facts of `agent-<id>.meta.json` to a sub-agent: its type, and the call that started it. */
export function describeAgent(text: string): Describe {
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
