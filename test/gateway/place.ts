/** A gateway over a store, and users with each permission. */
import { request as send } from "node:http";
import { Agents } from "../../src/channel/setup/agents.ts";
import type { Principal } from "../../src/gateway/auth/principal.ts";
import { type Gateway, type GatewayOptions, openGateway } from "../../src/gateway/gateway.ts";
import type { Scope } from "../../src/gateway/wire/auth.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { tempFolder } from "../support/temp-folder.ts";

const PERMISSIONS = ["read", "write", "admin"] as const;

export interface Place extends AsyncDisposable {
  readonly store: Store;
  readonly gateway: Gateway;
  readonly port: number;
  /** Such as `call("GET /health")`. */
  call(line: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  /** A permission, or the name of a scope; `null` does not sign in. Default: `admin`. */
  readonly as?: string | null;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
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
  options: Partial<GatewayOptions> & { readonly store?: Store; readonly config?: JsonObject } = {},
): Promise<Place> {
  const { store = await openStore("ephemeral:"), config = {}, ...rest } = options;
  const stateDir = tempFolder();
  const credentials = openCredentials({ stateDir, env: {} });
  const agents = new Agents({ store, config, env: {}, credentials, stateDir, onNotice: () => {} });
  const auth = {
    authenticate: async (request: { header(name: string): string | undefined }) =>
      principalOf(request.header("authorization")?.slice("Bearer ".length), scopes),
  };
  const gateway = await openGateway({ agents, auth, port: 0, version: "1", ...rest });
  const port = Number(new URL(gateway.url).port);
  return {
    store,
    gateway,
    port,
    call: (line, call) => request(port, line, call),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await agents.close();
      if (options.store === undefined) await store.close();
    },
  };
}

function principalOf(
  name: string | undefined,
  scopes: Readonly<Record<string, Scope>>,
): Principal | undefined {
  const same = { user: "ada", tokenId: "t", expiresAt: Number.MAX_SAFE_INTEGER };
  const permission = PERMISSIONS.find((one) => one === name);
  if (permission !== undefined) return { ...same, permission, scope: null };
  const scope = name === undefined ? undefined : scopes[name];
  return scope && { ...same, permission: "admin", scope };
}

/** With `node:http`, which sends every header as it is. */
export function request(
  port: number,
  line: string,
  { as = "admin", body, headers }: CallOptions = {},
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
    const sent = send({ host: "127.0.0.1", port, method, path, headers: raw, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: () => JSON.parse(text),
        });
      });
    });
    sent.on("error", reject);
    sent.end(payload);
  });
}
