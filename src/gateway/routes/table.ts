/** Every route of the gateway. A request that is not described here is a 404. */
import { HEALTH_ROUTES } from "./health.ts";
import type { Route } from "./route.ts";

export const ROUTES: readonly Route[] = [...HEALTH_ROUTES];
