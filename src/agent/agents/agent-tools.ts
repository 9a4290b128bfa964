/** Everything that an agent can call, put together from the config and the state folder, for every door to it. */
import { join } from "node:path";
import type { Memory } from "../../memory/memory.ts";
import { stateLayout } from "../../state/folder.ts";
import type { Store } from "../../store/store.ts";
import { defined, type JsonObject } from "../../util/json.ts";
import { listIn, objectIn } from "../../util/values.ts";
import type { AgentOptions } from "../loop/options.ts";
import { recordSession } from "../loop/record-session.ts";
import type { ChatModel } from "../model/chat-model.ts";
import { findSkills, type Skills } from "../skills/skills.ts";
import { type Approve, approvedTools } from "../tools/approvals/approved-tools.ts";
import { builtInTools } from "../tools/built-in/built-in-tools.ts";
import type { SearchScope } from "../tools/built-in/search-conversations.ts";
import { type SpawnedSession, spawnLoops } from "../tools/built-in/spawn-loops.ts";
import type { StartAgentOptions } from "../tools/built-in/start-agent.ts";
import type { Tool } from "../tools/tool.ts";
import { type AgentDefinition, agentById } from "./agent-definition.ts";
import { SharedTools } from "./shared-tools.ts";

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
  readonly loopOf?: LoopOf | undefined;
  /** The extensions and servers, if several agents share them. They are then closed by their owner. */
  readonly shared?: SharedTools | undefined;
  /** A sentence for the user: a skill, a server or an extension cannot be used. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

type LoopParts = Omit<AgentOptions, "store" | "key" | "conversation" | "tools" | "depth">;

/** `model`: that of the run which starts a sub-agent of its own kind, if it is known. */
type LoopOf = (
  agent: AgentDefinition,
  skills: Skills,
  model: ChatModel | undefined,
) => LoopParts | Promise<LoopParts>;

/** What the tools of one run depend on. */
export interface RunTools {
  /** Asks the user. Without it, a tool that needs approval does not run. */
  readonly approve?: Approve | undefined;
  /** The model of the run. */
  readonly model?: ChatModel | undefined;
}

/** The tools and skills of an agent. Servers and extensions are started when its tools are first asked for. */
export class AgentTools implements AsyncDisposable {
  readonly #options: AgentToolsOptions;
  readonly #shared: SharedTools;
  readonly #told = new Set<string>();

  constructor(options: AgentToolsOptions) {
    this.#options = options;
    this.#shared = options.shared ?? new SharedTools(options);
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
  async tools(run: RunTools = {}): Promise<Tool[]> {
    const { config, channel, agent } = this.#options;
    const builtIn = await this.#builtIn(run);
    const extensions = await this.#shared.extensions();
    const mcp = await this.#shared.mcp();
    const tools = [...builtIn, ...extensions.tools, ...(await mcp.tools())];
    return approvedTools(tools, { config, channel, agent: agent.tools, approve: run.approve });
  }

  /** Ends servers and extensions, those of sub-agents included. */
  async close(): Promise<void> {
    if (this.#options.shared === undefined) await this.#shared.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #builtIn(run: RunTools): Promise<Tool[]> {
    const { store, memory: given, searchScope } = this.#options;
    const memory = typeof given === "function" ? await given() : given;
    return builtInTools({
      store,
      memory,
      searchScope,
      skills: this.skills(),
      subAgents: this.#subAgents(run),
    });
  }

  #subAgents({ approve, model }: RunTools): StartAgentOptions | undefined {
    const { agent, config, store, loopOf } = this.#options;
    if (loopOf === undefined) return undefined;
    const spawn = spawnLoops({
      loopOf: async ({ agent: id }) => {
        const isSame = id === agent.id;
        const other = isSame ? this : this.#of(agentById(id, config));
        const parts = await loopOf(other.#options.agent, other.skills(), isSame ? model : undefined);
        return { ...parts, store, tools: () => other.tools({ approve, model: parts.model }) };
      },
      onSession: (session) => this.#record(session),
    });
    return { spawn, agent: agent.id, others: agent.startable, limits: agent.spawn };
  }

  #of(agent: AgentDefinition): AgentTools {
    return new AgentTools({ ...this.#options, agent, shared: this.#shared });
  }

  async #record({ agent, key, conversation, spawnedBy, spawnDepth }: SpawnedSession): Promise<void> {
    const agentDir = stateLayout(this.#options.stateDir).agent(agent).root;
    await recordSession({ agentDir }, key, conversation, { spawnDepth, ...defined({ spawnedBy }) });
  }
}
