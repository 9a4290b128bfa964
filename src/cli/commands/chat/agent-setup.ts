/** What the config and the state folder say of the agent that answers on the command line. */
import {
  type AgentDefinition,
  AgentTools,
  type Approve,
  agentById,
  agentFor,
  type ChatModel,
  chooseModel,
  isOffline,
  offlineModel,
  openModel,
  type Skills,
  systemPrompt,
  THINKING_LEVELS,
  type ThinkingLevel,
  type Tool,
} from "../../../agent/index.ts";
import type { Memory } from "../../../memory/index.ts";
import { stateLayout } from "../../../state/folder.ts";
import { composeModels, type ModelsFile } from "../../../state/models/index.ts";
import { loadSessionStore, type SessionEntry } from "../../../state/session-index/index.ts";
import type { Store } from "../../../store/store.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import type { Call } from "../../command.ts";
import { type Access, access, warn } from "../auth/access.ts";
import { openedMemory } from "../memory/open.ts";

const CHANNEL = "cli";
const SECTIONS = [
  ...["env", "models", "agents", "bindings", "tools", "approvals", "memory"],
  ...["mcp", "skills", "plugins"],
];

/** Where an agent may look things up: everywhere, or only in the conversation that it answers in. */
export type Lookup = "all" | "session";

/** `agentId`: instead of the agent that answers in the channel wherever no other does. */
export async function openSetup(
  call: Call,
  store: Store,
  channel: string = CHANNEL,
  agentId?: string,
  lookup: Lookup = "all",
): Promise<AgentSetup> {
  const accessed = await access(call, "values", SECTIONS);
  const { credentials, config, env } = accessed;
  const composed = composeModels({ providers: await credentials.providers(), config, env });
  for (const warning of composed.warnings) warn(call, warning);
  return new AgentSetup({ call, store, accessed, models: composed.file, channel, agentId, lookup });
}

interface SetupParts {
  readonly call: Call;
  readonly store: Store;
  readonly accessed: Access;
  readonly models: ModelsFile;
  readonly channel: string;
  readonly agentId: string | undefined;
  readonly lookup: Lookup;
}

export class AgentSetup {
  /** The folder of the agent in the state folder. */
  readonly agentDir: string;
  /** The model that was asked for, before any other. */
  asked: string | undefined;
  readonly #call: Call;
  readonly #store: Store;
  readonly #access: Access;
  readonly #models: ModelsFile;
  readonly #lookup: Lookup;
  #memory: Promise<Memory> | undefined;
  readonly #agent: AgentDefinition;
  readonly #tools: AgentTools;
  /** The model of the session, which answers for its sub-agents too. */
  #model: ChatModel | undefined;

  constructor({ call, store, accessed, models, channel, agentId, lookup }: SetupParts) {
    this.#call = call;
    this.asked = call.values.get("model");
    this.#store = store;
    this.#access = accessed;
    this.#models = models;
    this.#lookup = lookup;
    this.#agent =
      agentId === undefined ? agentFor({ channel }, this.#config) : agentById(agentId, this.#config);
    this.agentDir = stateLayout(accessed.stateDir).agent(this.#agent.id).root;
    this.#tools = new AgentTools({
      config: this.#config,
      agent: this.#agent,
      stateDir: accessed.stateDir,
      channel,
      store,
      // The memory belongs to the owner: others must neither read nor change it.
      ...(lookup === "all"
        ? { memory: () => this.#opened() }
        : { searchScope: ({ conversation }) => ({ conversation: conversation?.id ?? NOWHERE }) }),
      loopOf: (agent, skills) => this.#loopOf(agent, skills),
      onNotice: (text) => warn(call, text),
    });
  }

  get #config(): JsonObject {
    return this.#access.config as JsonObject;
  }

  modelNames(): string[] {
    return Object.entries(this.#models.providers).flatMap(([provider, { models }]) =>
      models.map(({ id }) => `${provider}/${id}`),
    );
  }

  /** The name of the model that answers in a session. */
  modelName(key: string): string {
    const { modelOverride, providerOverride } = this.#session(key);
    const [agent, models] = [this.#agent.model, this.#models];
    return chooseModel({ asked: this.asked, modelOverride, providerOverride, agent, models }).name;
  }

  async model(name: string, key: string): Promise<ChatModel> {
    if (isOffline(name)) {
      const [store, isAll] = [this.#store, this.#lookup === "all"];
      if (isAll) return offlineModel({ store, memory: await this.#opened() });
      return offlineModel({ store, conversation: key === "" ? NOWHERE : key });
    }
    const { credentials, env } = this.#access;
    return openModel({
      name,
      models: this.#models,
      credentials,
      env,
      fallbacks: name === this.#agent.model ? this.#agent.fallbacks : [],
      onNotice: (text) => warn(this.#call, text),
      ...defined({ profileId: this.#session(key).authProfileOverride }),
    });
  }

  thinking(key: string): ThinkingLevel | undefined {
    const { thinkingLevel } = this.#session(key);
    return THINKING_LEVELS.find((level) => level === thinkingLevel) ?? this.#agent.thinking;
  }

  /** The tools that may run here, those that need an approval included. */
  tools(model: ChatModel, approve: Approve | undefined): Promise<Tool[]> {
    this.#model = model;
    return this.#tools.tools(approve);
  }

  /** Made for each run, because files and the date change. */
  readonly system = (): string => promptOf(this.#agent, this.#tools.skills());

  async close(): Promise<void> {
    await this.#tools.close();
    await (await this.#memory?.catch(() => undefined))?.close();
  }

  /** A sub-agent of another kind has its own model, if the config names one. */
  async #loopOf(agent: AgentDefinition, skills: Skills): Promise<{ model: ChatModel; system: string }> {
    const same = agent.id === this.#agent.id ? this.#model : undefined;
    const model = same ?? (await this.model(agent.model ?? this.modelName(""), ""));
    return { model, system: promptOf(agent, skills) };
  }

  /** Memory is opened when a model or its tools need it: a prompt does not wait for it. */
  #opened(): Promise<Memory> {
    this.#memory ??= openedMemory(this.#call).then(({ memory }) => memory);
    return this.#memory;
  }

  #session(key: string): Partial<SessionEntry> {
    return loadSessionStore({ agentDir: this.agentDir, readonly: true })[key] ?? {};
  }
}

/** A conversation that no store has. */
const NOWHERE = "00000000-0000-0000-0000-000000000000";

function promptOf({ workspace, name, system }: AgentDefinition, skills: Skills): string {
  return systemPrompt({ workspace, name, system, skills });
}
