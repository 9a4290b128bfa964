/** What the routes and methods of a gateway work with. */
import type { Agents } from "../channel/setup/agents.ts";
import type { Store } from "../store/store.ts";
import type { Principal } from "./auth/principal.ts";
import type { Incoming } from "./http/incoming.ts";

export interface GatewayContext {
  /** That of the agents. */
  readonly store: Store;
  /** Also has the config, the credentials and the state folder (`installation`). */
  readonly agents: Agents;
  readonly version: string;
  readonly auth: Authenticator;
  /** Whether an answer is being written in a conversation. */
  isRunning(conversation: string): boolean;
}

export interface Authenticator {
  /** Who sends a request; `undefined` if it does not say. `UNAUTHORIZED` if what it says is not valid (any more). */
  authenticate(request: Incoming): Promise<Principal | undefined>;
}
