/** What the routes and methods of a gateway work with. */
import type { Store } from "../store/store.ts";

export interface GatewayContext {
  readonly store: Store;
  readonly version: string;
}
