/** An agent as the config and the state folder describe it, in one channel. It serves any number of sessions at once. */

import {
  type AgentDefinition,
  type AgentLoop,
  AgentTools,
  type Approve,
  type ChatModel,
  type ChosenModel,
  chooseModel,
  isOffline,
  offlineModel,
  openModel,
  recordSession,
  type Skills,
  systemPrompt,
  THINKING_LEVELS,
  type ThinkingLevel,
  type Tool,
} from "../../agent/index.ts";
import { keysFor } from "../../agent/model/keys.ts";
import { targetOf } from "../../agent/model/target.ts";
import { ColloquyError } from "../../errors.ts";
import { stateLayout } from "../../state/folder.ts";
import type { ModelsFile } from "../../state/models/index.ts";
import { loadSessionStore, patchSessionEntry, type SessionEntry } from "../../state/session-index/index.ts";
import type { Conversation } from "../../store/conversation.ts";
import { defined } from "../../util/json.ts";
import { HeldLoop } from "./held-loop.ts";
import type { Installation } from "./installation.ts";
import type { OpenedParts } from "./opened-parts.ts";

/** Where an agent may look things up: everywhere, or only in the conversation that it answers in. */
export type Lookup = "all" | "session";

export interface SetupOptions {
  readonly installation: Installation;
  readonly agent: AgentDefinition;
  readonly models: ModelsFile;
  readonly channel: string;
  readonly lookup: Lookup;
  readonly parts: OpenedParts;
}

/** A session, and what its user wants just now. */
export interface SessionRun {
  readonly key: string;
  /** Instead of the one with this key. */
  readonly conversation?: Conversation | undefined;
  /** Instead of the model of the session. */
  readonly asked?: string | undefined;
  /** Asks the user about a tool. Without it, tools that need an approval do not run. */
  readonly approve?: Approve | undefined;
}

export class AgentSetup {
  /** The folder of the agent in the state folder. */
  readonly agentDir: string;
  readonly #options: SetupOptions;
  readonly #tools: AgentTools;

  constructor(options: SetupOptions) {
    const { installation, agent, channel, lookup, parts } = options;
    const { store, config, stateDir, onNotice } = installation;
    const { shared } = parts;
    this.#options = options;
    this.agentDir = stateLayout(stateDir).agent(agent.id).root;
    this.#tools = new AgentTools({
      ...{ config, agent, stateDir, channel, store, shared, onNotice },
      // The memory belongs to the owner: others must neither read nor change it.
      ...(lookup === "all"
        ? { memory: () => parts.memory() }
        : { searchScope: ({ conversation }) => ({ conversation: conversation?.id ?? NOWHERE }) }),
      loopOf: async (other, skills, model) => ({
        // A sub-agent of another kind has its own model, if the config names one.
        model: model ?? (await this.model(other.model ?? this.modelName(""), "")),
        system: promptOf(other, skills),
      }),
    });
  }

  modelNames(): string[] {
    return Object.entries(this.#options.models.providers).flatMap(([provider, { models }]) =>
      models.map(({ id }) => `${provider}/${id}`),
    );
  }

  /** The name of the model that answers in a session: what is asked for, or what the session or the agent has. */
  modelName(key: string, asked?: string): string {
    return this.#chosen(key, asked).name;
  }

  #chosen(key: string, asked?: string): ChosenModel {
    const { modelOverride, providerOverride } = this.#session(key);
    const { agent, models } = this.#options;
    const { model, fallbacks } = agent;
    return chooseModel({ asked, modelOverride, providerOverride, agent: model, fallbacks, models });
  }

  async model(name: string, key: string): Promise<ChatModel> {
    const { installation, agent, models, lookup, parts } = this.#options;
    const { store, credentials, env, onNotice } = installation;
    if (isOffline(name)) {
      const { insteadOf } = this.#chosen(key);
      const said = { store, insteadOf, linkTo: this.#options.channel === "web" ? pageLink : undefined };
      if (lookup === "all") return offlineModel({ ...said, memory: await parts.memory() });
      return offlineModel({ ...said, conversation: key === "" ? NOWHERE : key });
    }
    return openModel({
      ...{ name, models, credentials, env, onNotice },
      fallbacks: name === agent.model ? agent.fallbacks : [],
      ...defined({ profileId: this.#session(key).authProfileOverride }),
    });
  }

  /** For a session, from now on; `undefined` for that of the agent again. Refuses a model that cannot be asked. */
  async chooseModel(given: string | undefined, key: string): Promise<void> {
    const { installation, models } = this.#options;
    if (given !== undefined && !isOffline(given)) await checkKey(given, models, installation);
    const name = given === undefined ? undefined : (await this.model(given, key)).name;
    const { id } = await installation.store.open(key);
    const slash = name?.indexOf("/") ?? 0;
    const patch = {
      sessionId: id,
      managedBy: "colloquy",
      providerOverride: name?.slice(0, slash),
      modelOverride: name?.slice(slash + 1),
    };
    await patchSessionEntry({ agentDir: this.agentDir, sessionKey: key, patch });
  }

  thinking(key: string): ThinkingLevel | undefined {
    const { thinkingLevel } = this.#session(key);
    return THINKING_LEVELS.find((level) => level === thinkingLevel) ?? this.#options.agent.thinking;
  }

  /** The tools that may run here, those that need an approval included. Sub-agents have the model of their run. */
  tools(model: ChatModel, approve: Approve | undefined): Promise<Tool[]> {
    return this.#tools.tools({ model, approve });
  }

  /** Made for each run, because files and the date change. */
  readonly system = (): string => promptOf(this.#options.agent, this.#tools.skills());

  /** A loop that answers in a session, with everything that the config says. */
  async loop({ key, conversation, asked, approve }: SessionRun): Promise<AgentLoop> {
    const { installation, parts } = this.#options;
    const release = parts.hold();
    try {
      const model = await this.model(this.modelName(key, asked), key);
      const options = {
        store: installation.store,
        ...(conversation === undefined ? { key } : { conversation }),
        model,
        // MCP servers start when a message is answered, and can have other tools each time.
        tools: () => this.tools(model, approve),
        system: this.system,
        thinking: this.thinking(key),
      };
      return new HeldLoop(options, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Note what a run used in the session index, also one that failed. */
  async record(key: string, conversation: Conversation): Promise<void> {
    const { channel } = this.#options;
    const fields = { channel, chatType: "direct", lastChannel: channel } as const;
    await recordSession({ agentDir: this.agentDir }, key, conversation, fields);
  }

  #session(key: string): Partial<SessionEntry> {
    return loadSessionStore({ agentDir: this.agentDir, readonly: true })[key] ?? {};
  }
}

/** `UNAUTHORIZED` if there is no key for a model. One that is paused now is a key. */
async function checkKey(
  name: string,
  models: ModelsFile,
  { credentials, env }: Pick<Installation, "credentials" | "env">,
): Promise<void> {
  try {
    await keysFor(targetOf(name, models), { credentials, env }).next();
  } catch (error) {
    if (!(error instanceof ColloquyError && error.code === "RATE_LIMITED")) throw error;
  }
}

/** As the page addresses a message. Parentheses would end a link in Markdown. */
function pageLink(conversation: string, entry: string): string {
  const part = encodeURIComponent(entry).replaceAll("(", "%28").replaceAll(")", "%29");
  return `#/c/${encodeURIComponent(conversation)}/${part}`;
}

/** A conversation that no store has. */
const NOWHERE = "00000000-0000-0000-0000-000000000000";

function promptOf({ workspace, name, system }: AgentDefinition, skills: Skills): string {
  return systemPrompt({ workspace, name, system, skills });
}
