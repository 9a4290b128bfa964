/** Tokens of programs, signed-in devices, and the record of both: for admins. */
import { ColloquyError, invalid } from "../../errors.ts";
import { parseTime } from "../../util/time.ts";
import { auditEntries } from "../auth/records/audit.ts";
import { listDevices } from "../auth/records/sign-ins.ts";
import { listTokens } from "../auth/records/tokens.ts";
import { NEW_SCOPE, PERMISSION, SCOPE } from "./auth-schemas.ts";
import { defineRoute, type Route } from "./route.ts";
import { LIMIT, listOf, objectOf, TIME } from "./schemas.ts";

const TEXT = { type: "string" } as const;
const TEXT_OR_NULL = { type: ["string", "null"] } as const;

const TOKEN = {
  id: TEXT,
  name: TEXT,
  user: TEXT,
  permission: PERMISSION,
  scope: SCOPE,
  createdAt: TEXT,
  expiresAt: TEXT_OR_NULL,
  lastUsedAt: TEXT_OR_NULL,
  revokedAt: TEXT_OR_NULL,
} as const;

const DEVICE = {
  id: TEXT,
  user: TEXT,
  method: TEXT,
  agent: TEXT_OR_NULL,
  createdAt: TEXT,
  lastUsedAt: TEXT,
  expiresAt: TEXT,
  current: { type: "boolean" },
} as const;

const AUDIT_ENTRY = {
  id: { type: "integer" },
  at: TEXT,
  event: TEXT,
  user: TEXT_OR_NULL,
  client: TEXT_OR_NULL,
  details: TEXT_OR_NULL,
} as const;

const AUDIT_DEFAULT = 100;

export const TOKEN_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/tokens",
    permission: "admin",
    summary: "List tokens, never their secrets",
    answer: listOf(objectOf(TOKEN)),
    handle: (_, { auth }) => ({ json: { items: listTokens(auth.records), cursor: null } }),
  }),
  defineRoute({
    method: "POST",
    path: "/api/v1/tokens",
    permission: "admin",
    summary: "Create a token; its secret is shown only this once",
    body: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 200 },
        permission: PERMISSION,
        scope: NEW_SCOPE,
        expiresAt: TIME,
      },
      required: ["name", "permission"],
    },
    status: 201,
    answer: objectOf({ ...TOKEN, token: TEXT }),
    handle: async ({ body, principal }, { auth }) => {
      const { name, permission, expiresAt } = body;
      const until = expiresAt === undefined ? null : parseTime(expiresAt);
      if (until === undefined)
        throw invalid("expiresAt must be a time such as 2027-01-31T00:00:00Z", "expiresAt");
      const scope = body.scope ?? null;
      const token = { name, permission, scope, expiresAt: until, user: principal.user };
      const { info, secret } = await auth.createToken(token);
      return { json: { ...info, token: secret } };
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/api/v1/tokens/{id}",
    permission: "admin",
    summary: "Revoke a token: it and everything signed in with it ends within a second",
    answer: objectOf(TOKEN),
    handle: async ({ params, principal }, { auth }) => ({
      json: await auth.revokeToken(params.id ?? "", principal.user),
    }),
  }),
  defineRoute({
    method: "GET",
    path: "/api/v1/devices",
    permission: "admin",
    summary: "List browsers and programs that have signed in",
    answer: listOf(objectOf(DEVICE)),
    handle: ({ principal }, { auth }) => ({
      json: { items: listDevices(auth.records, auth.clock(), principal.tokenId), cursor: null },
    }),
  }),
  defineRoute({
    method: "DELETE",
    path: "/api/v1/devices/{id}",
    permission: "admin",
    summary: "Sign a browser or program out, within a second",
    status: 204,
    answer: { type: "null" },
    handle: async ({ params, principal }, { auth }) => {
      if (!(await auth.revokeDevice(params.id ?? "", principal.user)))
        throw new ColloquyError("NOT_FOUND", "There is no such device, or it was signed out before");
      return { status: 204 };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/api/v1/audit",
    permission: "admin",
    summary: "What happened to access, the newest first",
    query: { type: "object", properties: { limit: LIMIT } },
    answer: listOf(objectOf(AUDIT_ENTRY)),
    handle: ({ query }, { auth }) => ({
      json: { items: auditEntries(auth.records, query.limit ?? AUDIT_DEFAULT), cursor: null },
    }),
  }),
];
