/** Keeps the session index and the models file of each agent current while a gateway runs. */
import { agentIds } from "../../agent/agents/agent-definition.ts";
import type { Agents } from "../../channel/setup/agents.ts";
import { asColloquyError } from "../../errors.ts";
import type { GatewayLog } from "../log.ts";
import { type Keeping, keepingHere } from "./keep.ts";
import { KeepingElsewhere } from "./keeping-elsewhere.ts";

/** After this long without a change, the indexes are written. */
const QUIET_MS = 1000;
/** Or after this long with changes. */
const DELAY_MAX_MS = 10_000;
/** A sync lists every conversation, so that it is made seldom where it takes long. */
const PAUSE_SHARE = 20;

export class KeptFiles {
  readonly #agents: Agents;
  readonly #log: GatewayLog;
  readonly #keeping: Keeping;
  #timer: NodeJS.Timeout | undefined;
  /** When the first change came that is not written yet. */
  #dirtySince: number | undefined;
  #notBefore = 0;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** `thread`: whether another thread waits for the disk. */
  constructor(agents: Agents, log: GatewayLog, thread: boolean) {
    this.#agents = agents;
    this.#log = log;
    const { store } = agents.installation;
    const onNotice = (text: string): void => agents.installation.onNotice(text);
    this.#keeping = thread ? new KeepingElsewhere({ store, onNotice }) : keepingHere({ store, onNotice });
  }

  /** Something in the store changed. */
  touch(): void {
    if (this.#isClosed) return;
    const now = performance.now();
    this.#dirtySince ??= now;
    const due = Math.max(Math.min(now + QUIET_MS, this.#dirtySince + DELAY_MAX_MS), this.#notBefore);
    // Changes that never pause would put off a timer that is due, again and again.
    if (due <= now && this.#timer !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sync(), Math.max(0, due - now)).unref();
  }

  /** At the start, and when the config or the credentials changed. */
  async settingsChanged(): Promise<void> {
    this.touch();
    await this.#next(() => this.#writeModels());
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#dirtySince !== undefined) this.#sync();
    await this.#writing;
    await this.#keeping.close();
  }

  #sync(): void {
    this.#timer = undefined;
    this.#dirtySince = undefined;
    void this.#next(async () => {
      const startMs = performance.now();
      const { config, stateDir } = this.#agents.installation;
      await this.#attempt("sessions.json", () => this.#keeping.indexes({ stateDir, config }));
      const endMs = performance.now();
      this.#notBefore = endMs + PAUSE_SHARE * (endMs - startMs);
    });
  }

  async #writeModels(): Promise<void> {
    const { credentials, stateDir, config, env } = this.#agents.installation;
    for (const agentId of agentIds(config)) {
      await this.#attempt("models.json", async () => {
        const providers = await credentials.of(agentId).providers();
        await this.#keeping.models({ stateDir, agentId, providers, config, env });
      });
    }
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(work);
    return this.#writing;
  }

  /** What cannot be written is noted, and tried again with the next change. */
  async #attempt(file: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.warn(
        { file, problem: asColloquyError(error, `Cannot write ${file}`).message },
        "not written",
      );
    }
  }
}
