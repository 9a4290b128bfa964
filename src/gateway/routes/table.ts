/** Every route of the gateway. A request that is not described here is a 404. */
import { AUTH_ROUTES } from "./auth.ts";
import { BLOB_ROUTES } from "./blobs.ts";
import { CHANGE_ROUTES } from "./changes.ts";
import { BRANCH_ROUTES } from "./conversation/branches.ts";
import { COMPACTION_ROUTES } from "./conversation/compactions.ts";
import { CONTEXT_ROUTES } from "./conversation/context.ts";
import { CONVERSATION_ROUTES } from "./conversation/conversations.ts";
import { ENTRY_ROUTES } from "./conversation/entries.ts";
import { EXPORT_ROUTES } from "./conversation/export.ts";
import { MESSAGE_ROUTES } from "./conversation/messages.ts";
import { DOCTOR_ROUTES } from "./doctor.ts";
import { HEALTH_ROUTES } from "./health.ts";
import { IMPORT_ROUTES } from "./imports.ts";
import { INSTALLATION_ROUTES } from "./installation.ts";
import { MEMORY_ROUTES } from "./memory.ts";
import { METRICS_ROUTES } from "./metrics.ts";
import { openApiRoute } from "./openapi.ts";
import type { Route } from "./route.ts";
import { SEARCH_ROUTES } from "./search.ts";
import { SETTING_ROUTES } from "./settings.ts";
import { TOKEN_ROUTES } from "./tokens.ts";
import { USAGE_ROUTES } from "./usage.ts";

const DESCRIBED: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...AUTH_ROUTES,
  ...CONVERSATION_ROUTES,
  ...MESSAGE_ROUTES,
  ...ENTRY_ROUTES,
  ...TOKEN_ROUTES,
  ...SETTING_ROUTES,
  ...DOCTOR_ROUTES,
  ...BRANCH_ROUTES,
  ...CONTEXT_ROUTES,
  ...COMPACTION_ROUTES,
  ...EXPORT_ROUTES,
  ...SEARCH_ROUTES,
  ...MEMORY_ROUTES,
  ...BLOB_ROUTES,
  ...CHANGE_ROUTES,
  ...IMPORT_ROUTES,
  ...USAGE_ROUTES,
  ...INSTALLATION_ROUTES,
  ...METRICS_ROUTES,
];

export const ROUTES: readonly Route[] = [...DESCRIBED, openApiRoute(DESCRIBED)];
