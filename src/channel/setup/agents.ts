/** All agents of a process. What they share is opened once: models, memory, extensions and MCP servers. */

import { type AgentDefinition, agentById, agentFor, SharedTools } from "../../agent/index.ts";
import { composeModels, type ModelsFile } from "../../state/models/index.ts";
import { AgentSetup, type Lookup } from "./agent-setup.ts";
import { configuredMemory, type OpenedMemory } from "./configured-memory.ts";
import type { Installation } from "./installation.ts";

export interface AgentPlace {
  /** As in session keys, such as `cli`. */
  readonly channel: string;
  /** Default: the agent that answers in the channel wherever no other does. */
  readonly agentId?: string | undefined;
  /** Default: everywhere, which is right only where nobody but the owner can write. */
  readonly lookup?: Lookup | undefined;
}

export class Agents implements AsyncDisposable {
  readonly installation: Installation;
  /** The extensions and MCP servers. */
  readonly shared: SharedTools;
  readonly #setups = new Map<string, AgentSetup>();
  #models: Promise<ModelsFile> | undefined;
  #memory: Promise<OpenedMemory> | undefined;

  constructor(installation: Installation) {
    this.installation = installation;
    this.shared = new SharedTools(installation);
  }

  /** The same object for the same place. `NOT_FOUND` if the config has no such agent. */
  async at({ channel, agentId, lookup = "all" }: AgentPlace): Promise<AgentSetup> {
    const { installation, shared } = this;
    const { config } = installation;
    const agent: AgentDefinition =
      agentId === undefined ? agentFor({ channel }, config) : agentById(agentId, config);
    const models = await this.#composed();
    const name = JSON.stringify([agent.id, channel, lookup]);
    const known = this.#setups.get(name);
    if (known !== undefined) return known;
    const memory = (): Promise<OpenedMemory["memory"]> => this.memory();
    const setup = new AgentSetup({ installation, agent, models, channel, lookup, shared, memory });
    this.#setups.set(name, setup);
    return setup;
  }

  /** Every model that can be used here. */
  models(): Promise<ModelsFile> {
    return this.#composed();
  }

  /** That of the config. Closed with the agents. */
  async memory(): Promise<OpenedMemory["memory"]> {
    return (await this.#opened()).memory;
  }

  async close(): Promise<void> {
    await this.shared.close();
    await (await this.#memory?.catch(() => undefined))?.memory.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One attempt that failed does not decide about the next. */
  #composed(): Promise<ModelsFile> {
    this.#models ??= this.#compose().catch((error: unknown) => {
      this.#models = undefined;
      throw error;
    });
    return this.#models;
  }

  async #compose(): Promise<ModelsFile> {
    const { credentials, config, env, onNotice } = this.installation;
    const { file, warnings } = composeModels({ providers: await credentials.providers(), config, env });
    for (const warning of warnings) onNotice(warning);
    return file;
  }

  #opened(): Promise<OpenedMemory> {
    this.#memory ??= configuredMemory(this.installation).catch((error: unknown) => {
      this.#memory = undefined;
      throw error;
    });
    return this.#memory;
  }
}
