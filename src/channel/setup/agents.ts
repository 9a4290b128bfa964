/** All agents of a process. What they share is opened once: models, memory, extensions and MCP servers. */

import { agentById, agentFor, defaultAgentId, type SharedTools } from "../../agent/index.ts";
import type { Memory } from "../../memory/index.ts";
import { rememberSecrets } from "../../secrets/known-secrets.ts";
import { secretsOf } from "../../state/config/hide-secrets.ts";
import { composeModels, type ModelsFile } from "../../state/models/index.ts";
import { AgentSetup, type Lookup } from "./agent-setup.ts";
import type { Installation } from "./installation.ts";
import { OpenedParts } from "./opened-parts.ts";

export interface AgentPlace {
  /** As in session keys, such as `cli`. */
  readonly channel: string;
  /** Default: the agent that answers in the channel wherever no other does. */
  readonly agentId?: string | undefined;
  /** Default: everywhere, which is right only where nobody but the owner can write. */
  readonly lookup?: Lookup | undefined;
}

/** What can change while agents run. */
export type Settings = Pick<Installation, "config" | "env" | "credentials">;

export class Agents implements AsyncDisposable {
  #installation: Installation;
  #parts: OpenedParts;
  /** Those of former settings, which runs may still use. */
  #former: readonly OpenedParts[] = [];
  #setups = new Map<string, AgentSetup>();
  #models: Promise<ModelsFile> | undefined;

  constructor(installation: Installation) {
    rememberSecrets(secretsOf({ value: installation.config, env: installation.env }));
    this.#installation = installation;
    this.#parts = new OpenedParts(installation);
  }

  /** With the settings of now. */
  get installation(): Installation {
    return this.#installation;
  }

  /** The extensions and MCP servers. */
  get shared(): SharedTools {
    return this.#parts.shared;
  }

  /**
   * Other settings, from the next run on; a run that has begun ends with those it began with. Settings that no agent
   * could be made from change nothing.
   */
  async use(settings: Settings): Promise<void> {
    const enter = await this.prepare(settings);
    await enter();
  }

  /** Refuses what `use` refuses. The result uses the settings. */
  async prepare(settings: Settings): Promise<() => Promise<void>> {
    const next = { ...this.#installation, ...settings };
    rememberSecrets(secretsOf({ value: next.config, env: next.env }));
    agentById(defaultAgentId(next.config), next.config);
    const models = await compose(next);
    return () => this.#enter(next, models);
  }

  async #enter(next: Installation, models: ModelsFile): Promise<void> {
    this.#installation = next;
    this.#models = Promise.resolve(models);
    this.#setups = new Map();
    if (this.#parts.fits(next)) return;
    const former = this.#parts;
    this.#former = [...this.#former.filter(({ isClosed }) => !isClosed), former];
    this.#parts = new OpenedParts(next);
    await former.retire();
  }

  /** The same object for the same place and settings. `NOT_FOUND` if the config has no such agent. */
  async at({ channel, agentId, lookup = "all" }: AgentPlace): Promise<AgentSetup> {
    const models = await this.models();
    const installation = this.#installation;
    const { config } = installation;
    const agent = agentId === undefined ? agentFor({ channel }, config) : agentById(agentId, config);
    const name = JSON.stringify([agent.id, channel, lookup]);
    const known = this.#setups.get(name);
    if (known !== undefined) return known;
    const setup = new AgentSetup({ installation, agent, models, channel, lookup, parts: this.#parts });
    this.#setups.set(name, setup);
    return setup;
  }

  /** Every model that can be used here. One attempt that failed does not decide about the next. */
  models(): Promise<ModelsFile> {
    this.#models ??= compose(this.#installation).catch((error: unknown) => {
      this.#models = undefined;
      throw error;
    });
    return this.#models;
  }

  /** That of the config. Closed with the agents. */
  memory(): Promise<Memory> {
    return this.#parts.memory();
  }

  /** Keep what is open now until the returned function is called, whatever the settings become. */
  hold(): () => Promise<void> {
    return this.#parts.hold();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#former, this.#parts].map((parts) => parts.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

async function compose({ credentials, config, env, onNotice }: Installation): Promise<ModelsFile> {
  const { file, warnings } = composeModels({ providers: await credentials.providers(), config, env });
  for (const warning of warnings) onNotice(warning);
  return file;
}
