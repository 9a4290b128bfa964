/** `gateway` of the config, as far as it decides who gets in. Unsafe settings are refused, so that nothing starts. */
import { type BlockList, isIP } from "node:net";
import { invalid } from "../../errors.ts";
import { isLoopback } from "../../util/addresses.ts";
import type { JsonObject } from "../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, textIn } from "../../util/values.ts";
import type { Permission } from "../wire/auth.ts";
import { isAccessToken } from "./access-token.ts";
import { addressList } from "./client.ts";
import { TOKEN_TEXT } from "./credential-of.ts";
import { OWNER, PERMISSIONS } from "./principal.ts";

type AuthMode = "token" | "password" | "tailscale";

export interface AuthSettings {
  readonly mode: AuthMode;
  readonly token: string | undefined;
  readonly password: string | undefined;
  readonly isTailscale: boolean;
  readonly accessMs: number;
  readonly refreshMs: number;
  /** Tailscale logins. */
  readonly users: ReadonlyMap<string, Permission>;
  /** Host names that requests may use besides loopback names. */
  readonly hosts: readonly string[];
  readonly proxies: BlockList;
  /** Only a proxy encrypts: other machines must not connect directly. */
  readonly isProxied: boolean;
  /** Of the Tailscale daemon, if not at its usual place. */
  readonly tailscaleSocket: string | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACCESS_HOURS = 24;
const TOKEN_CHARS_MIN = 32;
const PASSWORD_CHARS_MIN = 10;
const DISTINCT_MIN = 5;

/** Throws a `VALIDATION_ERROR` that names the setting and says why. */
export function authSettings(gateway: JsonObject): AuthSettings {
  const auth = objectIn(gateway.auth) ?? {};
  const mode = (textIn(auth.mode) ?? "token") as AuthMode;
  const settings: AuthSettings = {
    mode,
    token: checkToken(filledIn(auth.token)),
    password: checkSecret(filledIn(auth.password), "gateway.auth.password", PASSWORD_CHARS_MIN),
    isTailscale: mode === "tailscale" || auth.allowTailscale === true,
    accessMs: accessLifeMs(gateway),
    refreshMs: (numberIn(auth.refresh_token_days) ?? 30) * DAY_MS,
    users: usersIn(objectIn(auth.users) ?? {}),
    hosts: textsIn(gateway.hosts),
    proxies: addressList(textsIn(gateway.trustedProxies), "gateway.trustedProxies"),
    isProxied: !isOnLoopback(gateway) && !isEncrypted(gateway),
    tailscaleSocket: filledIn(objectIn(gateway.tailscale)?.socket),
  };
  checkTogether(gateway, settings);
  return settings;
}

/** How long an access token lasts. */
export function accessLifeMs({ auth }: JsonObject): number {
  return (numberIn(objectIn(auth)?.access_token_hours) ?? ACCESS_HOURS) * HOUR_MS;
}

const textsIn = (value: unknown): string[] => listIn(value).filter((item) => typeof item === "string");

/** The words of examples, and of people in a hurry. What is left without them must be worth guessing. */
const SAMPLE_WORDS =
  /change|replace|your|this|here|secret|token|passw[o0]rd|example|sample|placeholder|admin|test|gateway|colloquy|auth|default|letmein|qwerty|owner|key|abc|0123456789|1234567890?|12345|[^a-z0-9]/g;
const REST_CHARS_MIN = 6;

function checkSecret(value: string | undefined, field: string, charsMin: number): string | undefined {
  if (value === undefined) return undefined;
  if (value.length < charsMin) throw invalid(`${field} must have at least ${charsMin} characters`, field);
  const rest = value.toLowerCase().replace(SAMPLE_WORDS, "");
  if (new Set(rest).size < DISTINCT_MIN || rest.length < REST_CHARS_MIN)
    throw invalid(`${field} looks like an example. Use a random value`, field);
  return value;
}

/** A header must be able to have it, and nothing else that opens the gateway may look like it. */
function checkToken(value: string | undefined): string | undefined {
  const field = "gateway.auth.token";
  const token = checkSecret(value, field, TOKEN_CHARS_MIN);
  if (token === undefined || (TOKEN_TEXT.test(token) && !isAccessToken(token))) return token;
  throw invalid(`${field} must have only letters, digits and ._~+/=-, and not begin with eyJ`, field);
}

function usersIn(users: JsonObject): Map<string, Permission> {
  return new Map(
    Object.entries(users).map(([login, value]) => {
      const field = `gateway.auth.users.${login}`;
      const permission = PERMISSIONS.find((known) => known === value);
      if (permission === undefined) throw invalid(`${field} must be one of ${PERMISSIONS.join(", ")}`, field);
      if (login === OWNER || login === "")
        throw invalid(`${field} must be the login of a Tailscale user`, field);
      return [login, permission] as const;
    }),
  );
}

function checkTogether(
  gateway: JsonObject,
  { mode, password, isTailscale, users, hosts, isProxied }: AuthSettings,
): void {
  const isLocal = isOnLoopback(gateway);
  const refuse = (field: string, why: string): never => {
    throw invalid(`The gateway does not start: ${why}`, field);
  };
  if (mode === "password" && password === undefined)
    refuse("gateway.auth.password", "gateway.auth.mode is password, and gateway.auth.password is not set");
  if (isTailscale && users.size === 0)
    refuse("gateway.auth.users", "Tailscale users can log in, and gateway.auth.users names none");
  if (isTailscale && hosts.length === 0)
    refuse(
      "gateway.hosts",
      "Tailscale users can log in, and gateway.hosts does not name the host of Tailscale Serve",
    );
  if (isTailscale && !isLocal)
    refuse("gateway.bind", "a Tailscale login is only proved on loopback; set gateway.bind to loopback");
  const funnel = objectIn(gateway.tailscale)?.mode === "funnel";
  if (isTailscale && funnel)
    refuse("gateway.tailscale.mode", "Funnel is the public internet, where there are no Tailscale users");
  if (isProxied && textsIn(gateway.trustedProxies).length === 0)
    refuse(
      "gateway.bind",
      `gateway.bind is ${bindOf(gateway)} without encryption: everyone on the way could read passwords and tokens. Set gateway.tls, or gateway.trustedProxies for a proxy that encrypts`,
    );
}

function isOnLoopback(gateway: JsonObject): boolean {
  const bind = bindOf(gateway);
  const host = textIn(gateway.customBindHost) ?? "";
  return (
    bind === "loopback" || bind === "auto" || (bind === "custom" && isIP(host) !== 0 && isLoopback(host))
  );
}

function isEncrypted(gateway: JsonObject): boolean {
  return objectIn(gateway.tls)?.enabled === true || bindOf(gateway) === "tailnet";
}

function bindOf(gateway: JsonObject): string {
  return textIn(gateway.bind) ?? "loopback";
}
