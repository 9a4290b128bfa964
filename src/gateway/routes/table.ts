/** Every route of the gateway. A request that is not described here is a 404. */
import { AUTH_ROUTES } from "./auth.ts";
import { CONVERSATION_ROUTES } from "./conversations.ts";
import { DOCTOR_ROUTES } from "./doctor.ts";
import { ENTRY_ROUTES } from "./entries.ts";
import { HEALTH_ROUTES } from "./health.ts";
import { MESSAGE_ROUTES } from "./messages.ts";
import type { Route } from "./route.ts";
import { SETTING_ROUTES } from "./settings.ts";
import { TOKEN_ROUTES } from "./tokens.ts";

export const ROUTES: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...AUTH_ROUTES,
  ...CONVERSATION_ROUTES,
  ...MESSAGE_ROUTES,
  ...ENTRY_ROUTES,
  ...TOKEN_ROUTES,
  ...SETTING_ROUTES,
  ...DOCTOR_ROUTES,
];
