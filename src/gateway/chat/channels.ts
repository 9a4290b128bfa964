/** The channels of the config, in the process of the gateway. One that fails is started again. */
import type { Agents } from "../../channel/setup/agents.ts";
import { channelStamp } from "../../channel/setup/channel-stamp.ts";
import { type RunningChannel, startChannel } from "../../channel/setup/start-channel.ts";
import { asColloquyError, type ColloquyError, type ErrorCode } from "../../errors.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import type { JsonObject } from "../../util/json.ts";
import { objectIn } from "../../util/values.ts";
import type { StatusView } from "../wire/rest.ts";

export type ChannelState = StatusView["channels"][number];

const BACKOFF_MIN_MS = 1000;
const BACKOFF_MAX_MS = 300_000;
/** Another attempt with the same config would fail the same way. */
const PERMANENT: ReadonlySet<ErrorCode> = new Set([
  ...(["NOT_FOUND", "VALIDATION_ERROR", "UNAUTHORIZED", "FORBIDDEN", "NOT_SUPPORTED"] as const),
]);

export class GatewayChannels {
  readonly #onProblem: (problem: ColloquyError) => void;
  #kept: readonly KeptChannel[] = [];
  /** One change at a time. */
  #changing: Promise<void> = Promise.resolve();

  constructor(onProblem: (problem: ColloquyError) => void) {
    this.#onProblem = onProblem;
  }

  /** Run the channels of a config. Those that it does not change stay connected. */
  use(agents: Agents): Promise<void> {
    return this.#change(async () => {
      const { installation } = agents;
      return Promise.all(
        accountsIn(installation.config).map(async ([name, account]): Promise<Wanted> => {
          const stamp = await channelStamp(installation, name);
          return { agents, name, account, stamp: JSON.stringify([name, account ?? null, stamp]) };
        }),
      );
    });
  }

  states(): readonly ChannelState[] {
    return this.#kept.map(({ state }) => state);
  }

  /** What is not answered or delivered by then is taken up by the next start. */
  close(): Promise<void> {
    return this.#change(async () => []);
  }

  #change(next: () => Promise<readonly Wanted[]>): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      const wanted = await next();
      const running = new Map(this.#kept.map((channel) => [channel.stamp, channel]));
      const stamps = new Set(wanted.map(({ stamp }) => stamp));
      const ending = this.#kept.filter(({ stamp }) => !stamps.has(stamp));
      await Promise.all(ending.map((channel) => channel.close()));
      this.#kept = wanted.map((one) => running.get(one.stamp) ?? new KeptChannel(one, this.#onProblem));
    });
    return this.#changing;
  }
}

interface Wanted {
  readonly agents: Agents;
  readonly name: string;
  readonly account: string | undefined;
  /** Two channels with the same one are the same. */
  readonly stamp: string;
}

/** One that is started again until it is closed. */
class KeptChannel {
  state: ChannelState;
  readonly stamp: string;
  readonly #agents: Agents;
  readonly #account: string | undefined;
  readonly #onProblem: (problem: ColloquyError) => void;
  readonly #end = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  #isClosed = false;

  constructor({ agents, name, account, stamp }: Wanted, onProblem: (problem: ColloquyError) => void) {
    this.stamp = stamp;
    this.#agents = agents;
    this.#account = account;
    this.#onProblem = onProblem;
    this.state = { name, account: account ?? "default", state: "connecting", problem: null };
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#isClosed; failures++) {
      let channel: RunningChannel | undefined;
      try {
        channel = await this.#start();
        this.#enter("connected", null);
        await this.#end.promise;
      } catch (error) {
        const problem = asColloquyError(error, `The channel ${this.state.name} cannot be started`);
        this.#enter("failed", problem.message);
        this.#onProblem(problem);
        await this.#pause(PERMANENT.has(problem.code) ? undefined : backoff(failures));
      }
      await channel?.close().catch((error: unknown) => {
        this.#onProblem(asColloquyError(error, `The channel ${this.state.name} cannot be closed`));
      });
    }
    this.#enter("stopped", this.state.problem);
  }

  #start(): Promise<RunningChannel> {
    return startChannel(this.#agents, {
      name: this.state.name,
      account: this.#account,
      onProblem: (problem) => {
        this.#enter(this.state.state, problem.message);
        this.#onProblem(problem);
      },
    });
  }

  /** Until it is closed, if there is no point in another attempt. */
  async #pause(ms: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    await Promise.race([promise, this.#end.promise]);
    clearTimeout(timer);
  }

  #enter(state: ChannelState["state"], problem: string | null): void {
    this.state = { ...this.state, state, problem: problem === null ? null : redactSecrets(problem).text };
  }
}

function backoff(failures: number): number {
  return Math.min(BACKOFF_MIN_MS * 2 ** failures, BACKOFF_MAX_MS) * (0.5 + Math.random() / 2);
}

/** The channels of a config, with their accounts; `undefined` is the account of the channel itself. */
function accountsIn(config: JsonObject): [name: string, account: string | undefined][] {
  return Object.entries(objectIn(config.channels) ?? {}).flatMap(([name, value]) => {
    const section = objectIn(value);
    if (section === undefined || section.enabled === false) return [];
    const accounts = Object.entries(objectIn(section.accounts) ?? {}).filter(
      ([, account]) => objectIn(account)?.enabled !== false,
    );
    const own: [string, undefined][] = accounts.length === 0 || "token" in section ? [[name, undefined]] : [];
    return [...own, ...accounts.map(([account]): [string, string] => [name, account])];
  });
}
