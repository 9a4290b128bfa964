/** A gateway as `colloquy start` opens it: a SQLite store in its worker thread. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Agents } from "../../src/channel/setup/agents.ts";
import { Auth } from "../../src/gateway/auth/auth.ts";
import { openGateway } from "../../src/gateway/gateway.ts";
import { openLog } from "../../src/gateway/log.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { median, microseconds } from "../harness.ts";

export interface BenchPlace extends AsyncDisposable {
  readonly store: Store;
  readonly path: string;
  readonly url: string;
  readonly token: string;
  /** Signs a browser in, once. */
  link(): string;
}

export interface BenchPlaceOptions {
  readonly config?: JsonObject;
  /** The file of the store. Default: a new one in the folder. */
  readonly path?: string;
  /** The folder of the page. */
  readonly page?: string;
  /** Whether requests are noted in a file. */
  readonly logs?: boolean;
}

export async function openBenchPlace(folder: string, options: BenchPlaceOptions = {}): Promise<BenchPlace> {
  const stateDir = join(folder, `gateway-${process.hrtime.bigint()}`);
  mkdirSync(stateDir, { mode: 0o700 });
  const { config = {}, path = join(stateDir, "store.db"), page, logs = false } = options;
  const store = await openStore(`sqlite:${path}`, { worker: true });
  const credentials = openCredentials({ stateDir, env: {} });
  const agents = new Agents({ store, config, env: {}, credentials, stateDir, onNotice: () => {} });
  const auth = await Auth.open({ stateDir, config: {}, thread: true });
  const grant = { user: "owner", name: "bench", permission: "admin", scope: null, expiresAt: null } as const;
  const { secret: token } = await auth.createToken(grant);
  const log = logs ? openLog(stateDir) : undefined;
  const gateway = await openGateway({
    agents,
    auth,
    port: 0,
    version: "1",
    page,
    thread: true,
    ...(log && { log }),
  });
  return {
    ...{ store, path, token, url: gateway.url },
    link: () => auth.signInLink(gateway.url),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await agents.close();
      await auth.close();
      await store.close();
      await log?.[Symbol.asyncDispose]();
    },
  };
}

/** Clients in a process of their own, which would otherwise share the processor of the gateway. */
export class Clients {
  readonly #child: ChildProcess;
  readonly #died: Promise<never>;

  constructor(...args: readonly (string | number)[]) {
    this.#child = fork(join(import.meta.dirname, "clients-child.ts"), args.map(String));
    this.#died = once(this.#child, "exit").then(() => {
      throw new Error("The clients ended before they were done");
    });
    // Seen when something is awaited from them.
    this.#died.catch(() => {});
  }

  /** What it says next. */
  async next<T>(): Promise<T> {
    const [message] = await Promise.race([once(this.#child, "message"), this.#died]);
    return message as T;
  }

  tell(word: string): void {
    this.#child.send(word);
  }

  /** One round of their work. Resolves to the microseconds of each unit. */
  async round(): Promise<number> {
    const done = this.next<number>();
    this.tell("go");
    return done;
  }

  end(): void {
    this.#child.kill();
  }
}

/** Runs `work` and notes the processor time of this process, of all its threads: steadier than any clock. */
export class ProcessorTime {
  readonly #times: number[] = [];

  /** `count`: how often `work` does what is measured. */
  async of<T>(count: number, work: () => Promise<T>): Promise<T> {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    this.#times.push((user + system) / count);
    return result;
  }

  /** Without the first round, which warms up. */
  get median(): number {
    return median(this.#times.slice(1));
  }
}

export function showProcessorTime(ours: ProcessorTime, bare: ProcessorTime): void {
  const [one, other] = [ours, bare].map((time) => microseconds(time.median));
  console.log(`     processor time of this process for each: ours ${one}, bare ${other}`);
}
