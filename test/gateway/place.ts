/** A gateway over a store, and users with each permission. */
import { request as send } from "node:http";
import { Agents } from "../../src/channel/setup/agents.ts";
import { Auth } from "../../src/gateway/auth/auth.ts";
import { OWNER, PERMISSIONS } from "../../src/gateway/auth/principal.ts";
import { type Gateway, type GatewayOptions, openGateway } from "../../src/gateway/gateway.ts";
import type { Permission, Scope } from "../../src/gateway/wire/auth.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import type { JsonObject } from "../../src/util/json.ts";
import type { Clock } from "../../src/util/time.ts";
import { objectIn } from "../../src/util/values.ts";
import { tempFolder } from "../support/temp-folder.ts";

export interface Place extends AsyncDisposable {
  readonly store: Store;
  readonly agents: Agents;
  readonly gateway: Gateway;
  readonly port: number;
  readonly auth: Auth;
  /** The secret of a token with a permission or a scope. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly stateDir: string;
  /** Such as `call("GET /health")`. */
  call(line: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  /** A permission, or the name of a scope; `null` does not sign in. Default: `admin`. */
  readonly as?: string | null;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The address of the gateway. Default: loopback. */
  readonly at?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed text. */
  json<T = Record<string, unknown>>(): T;
}

export async function openPlace(
  scopes: Readonly<Record<string, Scope>> = {},
  options: Partial<GatewayOptions> & {
    readonly store?: Store;
    readonly config?: JsonObject;
    readonly clock?: Clock;
    /** Whether slow writes are made in other threads, as by the command. */
    readonly thread?: boolean;
    readonly env?: Readonly<Record<string, string>>;
    /** Default: one that is removed after the test. */
    readonly stateDir?: string;
  } = {},
): Promise<Place> {
  const {
    store = await openStore("ephemeral:"),
    config = {},
    env = {},
    clock,
    thread = false,
    ...rest
  } = options;
  const { stateDir = tempFolder() } = options;
  const credentials = openCredentials({ stateDir, env: {} });
  const agents = new Agents({ store, config, env, credentials, stateDir, onNotice: () => {} });
  const section = objectIn(config.gateway) ?? {};
  const auth = await Auth.open({ stateDir, config: section, thread, ...(clock && { clock }) });
  const secrets = await secretsFor(auth, scopes);
  const gateway = await openGateway({ agents, auth, port: 0, version: "1", thread, ...rest });
  const port = Number(new URL(gateway.url).port);
  return {
    store,
    agents,
    gateway,
    port,
    auth,
    secrets,
    stateDir,
    call: (line, call = {}) => {
      const { as = "admin" } = call;
      return request(port, line, { ...call, as: as === null ? null : (secrets.get(as) ?? as) });
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await agents.close();
      await auth.close();
      if (options.store === undefined) await store.close();
    },
  };
}

/** A token with each permission, and one with each scope. */
async function secretsFor(
  auth: Auth,
  scopes: Readonly<Record<string, Scope>>,
): Promise<ReadonlyMap<string, string>> {
  const same = { user: OWNER, expiresAt: null };
  const secrets = new Map<string, string>();
  const make = async (name: string, permission: Permission, scope: Scope | null): Promise<void> => {
    secrets.set(name, (await auth.createToken({ ...same, name, permission, scope })).secret);
  };
  for (const permission of PERMISSIONS) await make(permission, permission, null);
  for (const [name, scope] of Object.entries(scopes)) await make(name, "admin", scope);
  return secrets;
}

/** With `node:http`, which sends every header as it is. */
export function request(
  port: number,
  line: string,
  { as = "admin", body, headers, at = "127.0.0.1" }: CallOptions = {},
): Promise<Answer> {
  const [method = "GET", path = "/"] = line.split(" ");
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const payload = body === undefined || isRaw ? body : JSON.stringify(body);
  const all: Record<string, string | string[]> = {
    host: `127.0.0.1:${port}`,
    ...(as === null ? {} : { authorization: `Bearer ${as}` }),
    ...(body === undefined || body instanceof Uint8Array ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  if (payload !== undefined && all["transfer-encoding"] === undefined) {
    all["content-length"] ??= String(Buffer.byteLength(payload));
  }
  // As a list, each header is sent as often as it is given, also Host.
  const raw = Object.entries(all).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]));
  return new Promise((resolve, reject) => {
    const sent = send({ host: at, port, method, path, headers: raw, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      const end = (): void => {
        const text = Buffer.concat(pieces).toString();
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, headers: received, text, json: () => JSON.parse(text) });
      };
      response.on("data", (piece: Buffer) => {
        pieces.push(piece);
        // Its stream does not end.
        if (response.headers["content-type"] === "text/event-stream") response.destroy();
      });
      response.on("error", reject);
      response.on("close", end);
    });
    sent.on("error", reject);
    sent.end(payload);
  });
}
