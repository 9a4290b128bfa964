/** What agents open once and share: extensions, MCP servers and the memory. Open until the last run has ended. */
import { SharedTools } from "../../agent/index.ts";
import type { Memory } from "../../memory/index.ts";
import { configuredMemory, type OpenedMemory } from "./configured-memory.ts";
import type { Installation } from "./installation.ts";

/** The sections that decide what is opened. */
const SECTIONS = ["mcp", "plugins", "memory"] as const;

export class OpenedParts {
  readonly shared: SharedTools;
  readonly #installation: Installation;
  #memory: Promise<OpenedMemory> | undefined;
  #users = 0;
  #isRetired = false;
  #closing: Promise<void> | undefined;

  constructor(installation: Installation) {
    this.#installation = installation;
    this.shared = new SharedTools(installation);
  }

  /** Whether the same would be opened for another installation. */
  fits({ config, env }: Installation): boolean {
    const { config: own, env: ownEnv } = this.#installation;
    return (
      SECTIONS.every((name) => JSON.stringify(config[name]) === JSON.stringify(own[name])) &&
      JSON.stringify(env) === JSON.stringify(ownEnv)
    );
  }

  async memory(): Promise<Memory> {
    this.#memory ??= configuredMemory(this.#installation).catch((error: unknown) => {
      this.#memory = undefined;
      throw error;
    });
    return (await this.#memory).memory;
  }

  /** Keep it open until the returned function is called. */
  hold(): () => Promise<void> {
    this.#users++;
    let isHeld = true;
    return async () => {
      if (!isHeld) return;
      isHeld = false;
      this.#users--;
      await this.#closeIfUnused();
    };
  }

  /** Something else is used from now on. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#closeIfUnused();
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #closeIfUnused(): Promise<void> {
    if (this.#isRetired && this.#users === 0) await this.close();
  }

  async #close(): Promise<void> {
    await this.shared.close();
    await (await this.#memory?.catch(() => undefined))?.memory.close();
  }
}
