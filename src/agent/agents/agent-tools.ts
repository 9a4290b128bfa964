/** Everything that an agent can call, put together from the config and the state folder, for every door to it. */
import { join } from "node:path";
import type { Memory } from "../../memory/memory.ts";
import { stateLayout } from "../../state/folder.ts";
import { patchSessionEntry } from "../../state/session-index/patch.ts";
import type { Store } from "../../store/store.ts";
import { defined, type JsonObject } from "../../util/json.ts";
import { listIn, objectIn } from "../../util/values.ts";
import { type Extensions, loadExtensions } from "../extensions/load-extensions.ts";
import type { AgentOptions } from "../loop/options.ts";
import { findSkills, type Skills } from "../skills/skills.ts";
import { type Approve, approvedTools } from "../tools/approvals/approved-tools.ts";
import { builtInTools } from "../tools/built-in/built-in-tools.ts";
import type { SearchScope } from "../tools/built-in/search-conversations.ts";
import { type SpawnedSession, spawnLoops } from "../tools/built-in/spawn-loops.ts";
import type { StartAgentOptions } from "../tools/built-in/start-agent.ts";
import { McpTools } from "../tools/mcp/mcp-tools.ts";
import { mcpServersIn } from "../tools/mcp/settings.ts";
import type { Tool } from "../tools/tool.ts";
import { type AgentDefinition, agentById } from "./agent-definition.ts";

export interface AgentToolsOptions {
  readonly config: JsonObject;
  readonly agent: AgentDefinition;
  readonly stateDir: string;
  /** The channel, for approvals. */
  readonly channel: string;
  readonly store: Store;
  /** A memory, or a function that opens it when tools are first asked for. */
  readonly memory?: Memory | (() => Promise<Memory>) | undefined;
  /** Where a run may search. Default: everywhere in the store. */
  readonly searchScope?: SearchScope | undefined;
  /** The model and the system prompt of a sub-agent. Without it, there are no sub-agents. */
  readonly loopOf?: ((agent: AgentDefinition, skills: Skills) => LoopParts | Promise<LoopParts>) | undefined;
  /** A sentence for the user: a skill, a server or an extension cannot be used. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

type LoopParts = Omit<AgentOptions, "store" | "key" | "conversation" | "tools" | "depth">;

/** What all agents of a process share. */
interface Shared {
  opened?: Promise<{ readonly extensions: Extensions; readonly mcp: McpTools }>;
}

/** The tools and skills of an agent. Servers and extensions are started when its tools are first asked for. */
export class AgentTools implements AsyncDisposable {
  readonly #options: AgentToolsOptions;
  readonly #shared: Shared;
  readonly #told = new Set<string>();

  constructor(options: AgentToolsOptions, shared: object = {}) {
    this.#options = options;
    this.#shared = shared;
  }

  /** In the workspace, in the folder of the agent, and in the state folder, as they are now. */
  skills(): Skills {
    const { agent, config, stateDir, onNotice = () => {} } = this.#options;
    const layout = stateLayout(stateDir);
    const section = objectIn(config.skills) ?? {};
    const extra = listIn(objectIn(section.load)?.extraDirs).filter((folder) => typeof folder === "string");
    const entries = Object.entries(objectIn(section.entries) ?? {});
    const disabled = entries.flatMap(([name, entry]) => (objectIn(entry)?.enabled === false ? [name] : []));
    const workspace = agent.workspace === undefined ? [] : [join(agent.workspace, "skills")];
    const folders = [...workspace, layout.agent(agent.id).skills, join(layout.root, "skills"), ...extra];
    const skills = findSkills(folders, { disabled });
    for (const { path, reason } of skills.problems) {
      const isNew = this.#told.size !== this.#told.add(`${path}: ${reason}`).size;
      if (isNew) onNotice(`The skill ${path} is not used: ${reason}`);
    }
    return skills;
  }

  /** The tools that may run now. Those that need approval call `approve` first. */
  async tools(approve?: Approve): Promise<Tool[]> {
    const { config, channel, agent } = this.#options;
    const builtIn = await this.#builtIn(approve);
    this.#shared.opened ??= this.#open(builtIn);
    const { extensions, mcp } = await this.#shared.opened;
    const tools = [...builtIn, ...extensions.tools, ...(await mcp.tools())];
    return approvedTools(tools, { config, channel, agent: agent.tools, approve });
  }

  /** Ends servers and extensions, those of sub-agents included. */
  async close(): Promise<void> {
    const opened = await this.#shared.opened;
    await Promise.all([opened?.extensions.close(), opened?.mcp.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #builtIn(approve: Approve | undefined): Promise<Tool[]> {
    const { store, memory: given, searchScope } = this.#options;
    const memory = typeof given === "function" ? await given() : given;
    return builtInTools({
      store,
      memory,
      searchScope,
      skills: this.skills(),
      subAgents: this.#subAgents(approve),
    });
  }

  #subAgents(approve: Approve | undefined): StartAgentOptions | undefined {
    const { agent, config, store, loopOf } = this.#options;
    if (loopOf === undefined) return undefined;
    const spawn = spawnLoops({
      loopOf: async ({ agent: id }) => {
        const other = id === agent.id ? this : this.#of(agentById(id, config));
        const parts = await loopOf(other.#options.agent, other.skills());
        return { ...parts, store, tools: () => other.tools(approve) };
      },
      onSpawn: (session) => this.#record(session),
    });
    return { spawn, agent: agent.id, others: agent.startable, limits: agent.spawn };
  }

  #of(agent: AgentDefinition): AgentTools {
    return new AgentTools({ ...this.#options, agent }, this.#shared);
  }

  async #record({ agent, key, sessionId, spawnedBy, spawnDepth }: SpawnedSession): Promise<void> {
    const agentDir = stateLayout(this.#options.stateDir).agent(agent).root;
    const patch = { sessionId, spawnDepth, managedBy: "colloquy", ...defined({ spawnedBy }) };
    await patchSessionEntry({ agentDir, sessionKey: key, patch });
  }

  async #open(builtIn: readonly Tool[]): Promise<{ extensions: Extensions; mcp: McpTools }> {
    const { config, stateDir, onNotice } = this.#options;
    const folder = stateLayout(stateDir).extensions;
    const extensions = await loadExtensions({ config, folder, tools: builtIn, onNotice });
    const taken = [...builtIn, ...extensions.tools].map(({ name }) => name);
    return { extensions, mcp: new McpTools(mcpServersIn(config, onNotice), { taken, onNotice }) };
  }
}
