/** The agent that answers in a chat: a store, what the config says of the agent, and a loop for the session. */
import {
  AgentLoop,
  type Approve,
  type ChatModel,
  type RunOptions,
  type RunResult,
} from "../../../agent/index.ts";
import { asColloquyError } from "../../../errors.ts";
import { patchSessionEntry } from "../../../state/session-index/index.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Store } from "../../../store/store.ts";
import type { Call } from "../../command.ts";
import { report } from "../../output.ts";
import { openToAppend } from "../../store/open-store.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { recordRun } from "./session-facts.ts";

export const SESSION_DEFAULT = "cli:default";

export class ChatAgent implements AsyncDisposable {
  readonly store: Store;
  readonly #call: Call;
  #key: string;
  #setup: Promise<AgentSetup> | undefined;
  #loop: Promise<AgentLoop> | undefined;
  /** Asks the user about a tool. Without it, tools that need an approval do not run. */
  approve: Approve | undefined;

  private constructor(call: Call, store: Store, key: string) {
    this.#call = call;
    this.store = store;
    this.#key = store.resolveKey(key);
  }

  static async open(call: Call, key: string): Promise<ChatAgent> {
    const store = await openToAppend(call);
    try {
      return new ChatAgent(call, store, key);
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get key(): string {
    return this.#key;
  }

  /** The conversation, unless nothing was said yet. */
  existing(): Promise<Conversation | undefined> {
    return this.store.get(this.#key);
  }

  async messageCount(): Promise<number> {
    const conversation = await this.existing();
    return conversation === undefined ? 0 : (await conversation.info()).messageCount;
  }

  switchTo(key: string): void {
    this.#key = this.store.resolveKey(key);
    this.#loop = undefined;
  }

  /** As `provider/model`: that of the command line, the session, the agent, the config, or the first that can be used. */
  async modelName(): Promise<string> {
    return (await this.#settings()).modelName(this.#key);
  }

  async model(): Promise<ChatModel> {
    const setup = await this.#settings();
    return setup.model(setup.modelName(this.#key), this.#key);
  }

  async modelNames(): Promise<readonly string[]> {
    return (await this.#settings()).modelNames();
  }

  /** For this session, from now on. Refuses a name that cannot work. */
  async chooseModel(given: string): Promise<void> {
    const setup = await this.#settings();
    const { name } = await setup.model(given, this.#key);
    const { id } = await this.store.open(this.#key);
    const slash = name.indexOf("/");
    const patch = {
      sessionId: id,
      managedBy: "colloquy",
      providerOverride: name.slice(0, slash),
      modelOverride: name.slice(slash + 1),
    };
    await patchSessionEntry({ agentDir: setup.agentDir, sessionKey: this.#key, patch });
    setup.asked = undefined;
    this.#loop = undefined;
  }

  /** Answer a message of the user. */
  async answer(text: string, options: RunOptions): Promise<RunResult> {
    const result = await (await this.loop()).run(text, options);
    try {
      await recordRun((await this.#settings()).agentDir, this.store, result);
    } catch (error) {
      // The answer is stored; the index is a view of the store.
      report("warning", asColloquyError(error, "The session index was not updated"), this.#call.json);
    }
    return result;
  }

  /** The loop of the session, made when it is first needed. */
  loop(): Promise<AgentLoop> {
    this.#loop ??= this.#opened().catch((error: unknown) => {
      this.#loop = undefined;
      throw error;
    });
    return this.#loop;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#setup?.catch(() => undefined))?.close();
    await this.store.close();
  }

  async #opened(): Promise<AgentLoop> {
    const setup = await this.#settings();
    const model = await this.model();
    return new AgentLoop({
      store: this.store,
      key: this.#key,
      model,
      // MCP servers start when a message is answered, and can have other tools each time.
      tools: () => setup.tools(model, this.approve),
      system: setup.system,
      thinking: setup.thinking(this.#key),
    });
  }

  #settings(): Promise<AgentSetup> {
    // The config, credentials and models take as much code as the store.
    this.#setup ??= import("./agent-setup.ts").then(({ openSetup }) => openSetup(this.#call, this.store));
    return this.#setup;
  }
}
