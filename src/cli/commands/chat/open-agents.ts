import { Agents } from "../../../channel/setup/agents.ts";
import type { Store } from "../../../store/store.ts";
import type { Call } from "../../command.ts";
import { access, warn } from "../auth/access.ts";

/** The sections of the config that agents use. */
export const AGENT_SECTIONS: readonly string[] = [
  "env",
  "models",
  "agents",
  "bindings",
  "tools",
  "approvals",
  "memory",
  "mcp",
  "skills",
  "plugins",
];

/** The agents of the config. `sections`: what else of it the command uses. */
export async function openAgents(
  call: Call,
  store: Store,
  sections: readonly string[] = [],
): Promise<Agents> {
  const { config, env, credentials, stateDir } = await access(call, "values", [
    ...AGENT_SECTIONS,
    ...sections,
  ]);
  const onNotice = (text: string): void => warn(call, text);
  return new Agents({ store, config, env, credentials, stateDir, onNotice });
}
