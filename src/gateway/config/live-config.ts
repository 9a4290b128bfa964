/** Brings a changed config, and changed credentials, into a gateway that runs. */
import { isDeepStrictEqual } from "node:util";
import type { Agents, Settings } from "../../channel/setup/agents.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import { depthsIn } from "../../state/config/store-options.ts";
import { checkedDepths } from "../../tree/branches.ts";
import type { JsonObject } from "../../util/json.ts";
import { isoTime, systemClock } from "../../util/time.ts";
import { objectIn } from "../../util/values.ts";
import type { Auth } from "../auth/auth.ts";
import { authSettings } from "../auth/settings.ts";
import type { GatewayChannels } from "../chat/channels.ts";
import type { AllowedHosts } from "../http/allowed-hosts.ts";
import type { KeptFiles } from "../kept/kept-files.ts";
import type { GatewayLog } from "../log.ts";
import type { ConfigView } from "../wire/rest.ts";
import { effectiveSection, waitingForRestart } from "./needs-restart.ts";

export interface LiveConfigOptions {
  readonly agents: Agents;
  readonly auth: Auth;
  readonly hosts: AllowedHosts;
  readonly channels: GatewayChannels;
  readonly files: KeptFiles;
  readonly log: GatewayLog;
  /** Each time that the state changes. */
  readonly onState: (state: ConfigView) => void;
}

export class LiveConfig {
  readonly #options: LiveConfigOptions;
  readonly #atStart: JsonObject;
  #state: ConfigView = { changedAt: null, problem: null, restart: [] };
  /** One change after the other: they take different times, and the last one must stay. */
  #changing: Promise<void> = Promise.resolve();

  constructor(options: LiveConfigOptions) {
    this.#options = options;
    this.#atStart = options.agents.installation.config;
  }

  get state(): ConfigView {
    return this.#state;
  }

  /** Resolves when a config is in effect, or refused: then nothing of it is. */
  use(settings: Settings): Promise<void> {
    return this.#next(async () => {
      const restart = await this.#apply(settings);
      this.#enter({ changedAt: isoTime(systemClock()), problem: null, restart });
      const { log } = this.#options;
      if (restart.length === 0) log.info({}, "config changed: it is in effect");
      else log.warn({ restart }, "config changed: these settings take effect with the next start");
    });
  }

  /** A config that cannot be read. The last good one stays. */
  refuse(problem: ColloquyError): Promise<void> {
    return this.#next(() => {
      throw problem;
    });
  }

  /** A key was added, changed or removed. */
  credentialsChanged(): Promise<void> {
    return this.#next(async () => {
      const { agents, channels, files, log } = this.#options;
      await agents.use(agents.installation);
      await this.#follow(channels, files);
      log.info({}, "credentials changed: they are in effect");
    });
  }

  async close(): Promise<void> {
    await this.#changing;
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#changing = this.#changing.then(work).catch((error: unknown) => {
      // The message may quote the file.
      const message = redactSecrets(asColloquyError(error, "Cannot use the config").message).text;
      this.#enter({ ...this.#state, problem: message });
      this.#options.log.error({ problem: message }, "config refused: the last good one stays");
    });
    return this.#changing;
  }

  /** Everything that can be refused is checked before the first change. Returns what waits for a restart. */
  async #apply(settings: Settings): Promise<string[]> {
    const { agents, auth, hosts, channels, files } = this.#options;
    const { config } = settings;
    const { hosts: names } = authSettings(objectIn(config.gateway) ?? {});
    hosts.checkNames(names);
    const { store, config: before } = agents.installation;
    const depths = depthsIn(config);
    // A store that was opened with limits other than those of the config keeps them until the config changes.
    const hasOtherDepths = !isDeepStrictEqual(depthsIn(before), depths);
    if (hasOtherDepths) checkedDepths(depths);
    const enter = await agents.prepare(settings);
    const restart = waitingForRestart(this.#atStart, config);
    // Settings that are safe together may not be safe where the gateway listens now.
    const section = effectiveSection(this.#atStart, config);
    if (isSafe(section)) {
      // The first change, because the disk can refuse it.
      await auth.configure(section);
      hosts.use(names);
    } else restart.push("gateway.auth");
    if (hasOtherDepths) store.limitDepths(depths);
    await enter();
    await this.#follow(channels, files);
    return restart;
  }

  async #follow(channels: GatewayChannels, files: KeptFiles): Promise<void> {
    const { agents } = this.#options;
    // Closing a channel waits for its answers; the config is in effect before that.
    void channels.use(agents);
    await files.settingsChanged();
  }

  #enter(state: ConfigView): void {
    this.#state = state;
    this.#options.onState(state);
  }
}

function isSafe(section: JsonObject): boolean {
  try {
    authSettings(section);
    return true;
  } catch {
    return false;
  }
}
