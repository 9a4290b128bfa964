/** The agent that answers in a chat: a store, what the config says of the agent, and a loop for the session. */
import type { AgentLoop, Approve, ChatModel, RunOptions, RunResult } from "../../../agent/index.ts";
import type { AgentSetup } from "../../../channel/setup/agent-setup.ts";
import type { Agents } from "../../../channel/setup/agents.ts";
import { asColloquyError } from "../../../errors.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Store } from "../../../store/store.ts";
import type { Call } from "../../command.ts";
import { report } from "../../output.ts";
import { openToAppend } from "../../store/open-store.ts";

const CHANNEL = "cli";
export const SESSION_DEFAULT = "cli:default";

export class ChatAgent implements AsyncDisposable {
  readonly store: Store;
  readonly #call: Call;
  #key: string;
  /** The model of the command line, until another is chosen. */
  #asked: string | undefined;
  #agents: Promise<Agents> | undefined;
  #loop: Promise<AgentLoop> | undefined;
  /** Asks the user about a tool. Without it, tools that need an approval do not run. */
  approve: Approve | undefined;

  private constructor(call: Call, store: Store, key: string) {
    this.#call = call;
    this.#asked = call.values.get("model");
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
    return (await this.#setup()).modelName(this.#key, this.#asked);
  }

  async model(): Promise<ChatModel> {
    const setup = await this.#setup();
    return setup.model(setup.modelName(this.#key, this.#asked), this.#key);
  }

  async modelNames(): Promise<readonly string[]> {
    return (await this.#setup()).modelNames();
  }

  /** For this session, from now on; `undefined` for the default again. Refuses one that cannot be asked. */
  async chooseModel(given: string | undefined): Promise<void> {
    await (await this.#setup()).chooseModel(given, this.#key);
    this.#asked = undefined;
    this.#loop = undefined;
  }

  /** Answer a message of the user. */
  async answer(text: string, options: RunOptions): Promise<RunResult> {
    const key = this.#key;
    const loop = await this.loop();
    const record = async (): Promise<void> => (await this.#setup()).record(key, await loop.conversation());
    const result = await loop.run(text, options).catch(async (error: unknown) => {
      await record().catch(() => {});
      throw error;
    });
    await record().catch((error: unknown) => {
      // The answer is stored; the index is a view of the store.
      report("warning", asColloquyError(error, "The session index was not updated"), this.#call.json);
    });
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
    await (await this.#agents?.catch(() => undefined))?.close();
    await this.store.close();
  }

  async #opened(): Promise<AgentLoop> {
    const [key, asked, approve] = [this.#key, this.#asked, this.approve];
    return (await this.#setup()).loop({ key, asked, approve });
  }

  async #setup(): Promise<AgentSetup> {
    // The config, credentials and models take as much code as the store.
    this.#agents ??= import("./open-agents.ts").then(({ openAgents }) => openAgents(this.#call, this.store));
    return (await this.#agents).at({ channel: CHANNEL });
  }
}
