import type { Memory } from "../../../memory/memory.ts";
import type { Store } from "../../../store/store.ts";
import { checkObject } from "../../../util/checked-arguments.ts";
import type { Clock } from "../../../util/time.ts";
import type { Tool } from "../tool.ts";
import { currentTime } from "./current-time.ts";
import { memoryTools } from "./memory-tools.ts";
import { readSkillTool, type SkillSource } from "./read-skill.ts";
import { type SearchScope, searchConversations } from "./search-conversations.ts";
import { type StartAgentOptions, startAgent } from "./start-agent.ts";

export interface BuiltInOptions {
  /** For `search_conversations`. */
  readonly store?: Store | undefined;
  /** Where a run may search. Default: everywhere in the store. */
  readonly searchScope?: SearchScope | undefined;
  /** For `recall`, `remember` and `forget`. */
  readonly memory?: Memory | undefined;
  /** For `read_skill`, unless there are none. */
  readonly skills?: SkillSource | undefined;
  /** For `start_agent`. */
  readonly subAgents?: StartAgentOptions | undefined;
  readonly clock?: Clock | undefined;
}

/** No other tool can have one of these names, also where there is nothing for the built-in one to work on. */
export const BUILT_IN_NAMES: readonly string[] = [
  ...["current_time", "search_conversations", "recall", "remember", "forget", "read_skill", "start_agent"],
];

/** The built-in tools, as far as there is something for them to work on. */
export function builtInTools(options: BuiltInOptions = {}): Tool[] {
  checkObject(options, "options");
  const { store, searchScope, memory, skills, subAgents, clock } = options;
  return [
    currentTime(clock),
    ...(store === undefined ? [] : [searchConversations(store, searchScope)]),
    ...(memory === undefined ? [] : memoryTools(memory)),
    ...(skills === undefined || skills.list().length === 0 ? [] : [readSkillTool(skills)]),
    ...(subAgents === undefined ? [] : [startAgent(subAgents)]),
  ];
}
