/** Signing in and out. */
import { asColloquyError, unauthorized } from "../../errors.ts";
import { isoTime } from "../../util/time.ts";
import type { Auth } from "../auth/auth.ts";
import type { Client } from "../auth/client.ts";
import { cookieIn, cookieText } from "../auth/cookies.ts";
import { assertOwnPage } from "../auth/credential-of.ts";
import type { Session } from "../auth/login/session.ts";
import { DEVICE_MS, isKnownDevice } from "../auth/records/known-device.ts";
import type { SessionState, SignedIn } from "../wire/auth.ts";
import { PERMISSION, SCOPE } from "./auth-schemas.ts";
import { defineRoute, type Route, type RouteAnswer } from "./route.ts";

const TEXT = { type: "string", maxLength: 4096 } as const;
/** Strangers send it. */
const BODY_MAX = 64 * 1024;
const COOKIES = {
  type: "boolean",
  description: "For the page of the gateway: the tokens become cookies that scripts cannot read",
} as const;

const SIGNED_IN = {
  type: "object",
  properties: {
    user: { type: "string" },
    permission: PERMISSION,
    scope: SCOPE,
    accessToken: { type: ["string", "null"] },
    refreshToken: { type: ["string", "null"] },
    expiresAt: { type: "string", format: "date-time" },
  },
  required: ["user", "permission", "scope", "accessToken", "refreshToken", "expiresAt"],
} as const;

export const AUTH_ROUTES: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/auth/token",
    permission: "public",
    summary: "Sign in with a password, an access token, a sign-in link, or as a Tailscale user",
    body: {
      type: "object",
      properties: {
        password: TEXT,
        token: TEXT,
        code: TEXT,
        tailscale: { type: "boolean" },
        cookies: COOKIES,
      },
      additionalProperties: false,
    },
    bodyMax: BODY_MAX,
    answer: SIGNED_IN,
    handle: async (request, { auth }) => {
      const { body } = request;
      const client = auth.clientOf(request);
      const { cookies = false, ...login } = body;
      if (cookies) assertOwnPage(client);
      const device = cookieIn(client, "device");
      return signedIn(auth, client, await auth.signIn({ ...login, device }, client), cookies);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/auth/refresh",
    permission: "public",
    summary: "Exchange a refresh token, which can be used once, for new tokens",
    body: {
      type: "object",
      properties: { refreshToken: TEXT, cookies: COOKIES },
      additionalProperties: false,
    },
    bodyMax: BODY_MAX,
    answer: SIGNED_IN,
    handle: async (request, { auth }) => {
      const { body } = request;
      const client = auth.clientOf(request);
      const { cookies = false } = body;
      if (cookies) assertOwnPage(client);
      const secret = cookies ? cookieIn(client, "refresh") : body.refreshToken;
      if (secret === undefined) throw unauthorized("There is no refresh token. Sign in");
      return signedIn(auth, client, await auth.refresh(secret, client), cookies);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/auth/logout",
    permission: "read",
    scoped: "filters",
    summary: "End this sign-in, with its open connections",
    status: 204,
    answer: { type: "null" },
    handle: async (request, { auth }) => {
      const client = auth.clientOf(request);
      await auth.signOut(request.principal, client);
      const gone = (["access", "refresh"] as const).map((name) => cookieText(client, name, "", 0));
      return { status: 204, headers: { "set-cookie": gone } };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/auth/session",
    permission: "public",
    summary: "Who is signed in, and how to sign in",
    answer: {
      type: "object",
      properties: {
        signedIn: { type: "boolean" },
        user: { type: ["string", "null"] },
        permission: { enum: ["read", "write", "admin", null] },
        scope: SCOPE,
        methods: { type: "array", items: { enum: ["token", "password", "tailscale"] } },
      },
      required: ["signedIn", "user", "permission", "scope", "methods"],
    },
    handle: async (request, { auth }) => {
      const principal = await auth.authenticate(request).catch(orSignedOut);
      const { user = null, permission = null, scope = null } = principal ?? {};
      const methods = methodsOf(auth);
      const json: SessionState = { signedIn: user !== null, user, permission, scope, methods };
      return { json };
    },
  }),
  defineRoute({
    method: "POST",
    path: "/auth/ticket",
    permission: "read",
    scoped: "filters",
    summary: "A ticket that opens one WebSocket within 30 s, from the same origin",
    answer: {
      type: "object",
      properties: { ticket: { type: "string" }, expiresAt: { type: "string", format: "date-time" } },
      required: ["ticket", "expiresAt"],
    },
    handle: (request, { auth }) => {
      const { ticket, expiresAt } = auth.issueTicket(request.principal, auth.clientOf(request).origin);
      return { json: { ticket, expiresAt: isoTime(expiresAt) } };
    },
  }),
];

function methodsOf({ settings }: Auth): SessionState["methods"] {
  const { mode, isTailscale } = settings;
  return [
    ...(mode === "password" ? (["password"] as const) : []),
    ...(isTailscale ? (["tailscale"] as const) : []),
    "token",
  ];
}

async function signedIn(
  auth: Auth,
  client: Client,
  session: Session,
  cookies: boolean,
): Promise<RouteAnswer> {
  const { principal, accessToken, refreshToken } = session;
  const { user, permission, scope, expiresAt } = principal;
  const shown = cookies ? { accessToken: null, refreshToken: null } : { accessToken, refreshToken };
  const json: SignedIn = { user, permission, scope, ...shown, expiresAt: isoTime(expiresAt) };
  return cookies ? { json, headers: { "set-cookie": await cookiesOf(auth, client, session) } } : { json };
}

async function cookiesOf(
  auth: Auth,
  client: Client,
  { principal, accessToken, refreshToken }: Session,
): Promise<string[]> {
  const { settings, records, changes } = auth;
  const now = auth.clock();
  const device = cookieIn(client, "device");
  const isKnown = device !== undefined && isKnownDevice(records, now, device);
  // A known browser has its own count of wrong passwords. Others than the owner could guess on with a new one.
  const isOwner = principal.permission === "admin" && principal.scope === null;
  return [
    cookieText(client, "access", accessToken, principal.expiresAt - now),
    cookieText(client, "refresh", refreshToken, settings.refreshMs),
    ...(isKnown || !isOwner
      ? []
      : [cookieText(client, "device", await changes.make("addKnownDevice", principal.user), DEVICE_MS)]),
  ];
}

/** A sign-in that has ended is none; records that cannot be read are not a reason to sign in again. */
function orSignedOut(error: unknown): undefined {
  const { code } = asColloquyError(error, "Cannot read who is signed in");
  if (code !== "UNAUTHORIZED" && code !== "FORBIDDEN") throw error;
}
