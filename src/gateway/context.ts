/** What the routes and methods of a gateway work with. */
import type { Agents } from "../channel/setup/agents.ts";
import type { Store, StoreCounts } from "../store/store.ts";
import type { Auth } from "./auth/auth.ts";
import type { GatewayChannels } from "./chat/channels.ts";
import type { LiveConfig } from "./config/live-config.ts";
import type { Metrics } from "./http/metrics.ts";
import type { ImportJobs } from "./imports/import-jobs.ts";
import type { GatewayLog } from "./log.ts";
import type { Live } from "./socket/live.ts";
import type { UsageIndex } from "./usage/usage-index.ts";

export interface GatewayContext {
  /** That of the agents. */
  readonly store: Store;
  /** Also has the config and the credentials as they are now, and the state folder (`installation`). */
  readonly agents: Agents;
  readonly version: string;
  readonly auth: Auth;
  readonly config: LiveConfig;
  /** Answers that are being written, and those who watch. */
  readonly live: Live;
  /** The channels of the config. */
  readonly channels: GatewayChannels;
  readonly imports: ImportJobs;
  readonly usage: UsageIndex;
  readonly metrics: Metrics;
  readonly log: GatewayLog;
  /** Of the store; not older than a few seconds. */
  counts(): Promise<StoreCounts>;
  /** Whether an answer is being written in a conversation. */
  isRunning(conversation: string): boolean;
}
