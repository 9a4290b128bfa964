import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SignedIn } from "../../../src/gateway/wire/auth.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { type Answer, openPlace, type Place } from "../place.ts";

const HOST = "box.tail1234.ts.net";
const LOGIN = "ada@example.com";
const PEER = "100.64.0.7";

/** What the daemon answers for an address, and after how long. */
const DEVICES: Readonly<
  Record<string, { readonly json: unknown; readonly status?: number; readonly ms?: number }>
> = {
  [PEER]: { json: { Node: { Name: "laptop" }, UserProfile: { LoginName: LOGIN } } },
  "100.64.0.8": { json: { Node: { Name: "other" }, UserProfile: { LoginName: "mallory@example.com" } } },
  "100.64.0.9": { json: { Node: { Name: "ci", Tags: ["tag:ci"] }, UserProfile: { LoginName: LOGIN } } },
  "100.64.0.10": { json: { Node: { Name: "slow" }, UserProfile: { LoginName: LOGIN } }, ms: 3000 },
  "100.64.0.11": { json: "not what was asked for" },
  "100.64.0.12": { json: { UserProfile: { LoginName: LOGIN } } },
  "100.64.0.13": { json: { Node: { Name: "laptop" }, UserProfile: { LoginName: LOGIN } }, status: 403 },
  "100.64.0.14": { json: { Node: { Name: "guest" }, UserProfile: { LoginName: "guest@example.com" } } },
};

/** The local interface of tailscaled, on a Unix socket. */
async function daemon(path: string): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    const device = DEVICES[url.searchParams.get("addr") ?? ""];
    const isAsked = url.pathname === "/localapi/v0/whois" && request.headers.host === "local-tailscaled.sock";
    setTimeout(() => {
      response.writeHead(isAsked && device !== undefined ? (device.status ?? 200) : 404);
      response.end(JSON.stringify(device?.json ?? {}));
    }, device?.ms ?? 0).unref();
  });
  server.listen(path);
  await once(server, "listening");
  return server;
}

describe("a Tailscale login", () => {
  let server: Server;
  let place: Place;
  // Not a folder of one test: it is used by all.
  const folder = mkdtempSync(join(tmpdir(), "colloquy-tailscale-"));
  const socket = join(folder, "tailscaled.sock");
  const gateway = (users: Record<string, string>, extra = {}) => ({
    hosts: [HOST],
    auth: { mode: "tailscale", users },
    tailscale: { mode: "serve", socket, ...extra },
  });
  beforeAll(async () => {
    server = await daemon(socket);
    const config = { gateway: gateway({ [LOGIN]: "write", "mallory@example.com": "read" }) };
    place = await openPlace({}, { config, hosts: [HOST] });
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  type Headers = Record<string, string | string[]>;
  const GOOD: Headers = { host: HOST, "tailscale-user-login": LOGIN, "x-forwarded-for": PEER };
  const login = (headers: Headers): Promise<Answer> =>
    place.call("POST /auth/token", { as: null, body: { tailscale: true }, headers });

  it("ends in tokens of the permission that the config names, until it no longer does", async () => {
    const session = (await login(GOOD)).json<SignedIn>();
    expect(session).toMatchObject({ user: LOGIN, permission: "write" });
    const as = session.accessToken;
    expect((await place.call("GET /api/v1/conversations", { as })).status).toBe(200);
    expect((await place.call("GET /api/v1/tokens", { as })).status).toBe(403);
    await place.auth.configure(gateway({ "mallory@example.com": "read" }));
    expect((await place.call("GET /api/v1/conversations", { as })).status).toBe(401);
    await place.auth.configure(gateway({ [LOGIN]: "write", "mallory@example.com": "read" }));
    expect((await place.call("GET /api/v1/conversations", { as })).status).toBe(401);
  });

  const without = (name: string): Headers =>
    Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== name));

  it.each<readonly [string, Headers]>([
    ["no login", without("tailscale-user-login")],
    ["no address", without("x-forwarded-for")],
    ["two logins", { ...GOOD, "tailscale-user-login": [LOGIN, LOGIN] }],
    ["two logins in one header", { ...GOOD, "tailscale-user-login": `${LOGIN}, ${LOGIN}` }],
    ["two addresses", { ...GOOD, "x-forwarded-for": [PEER, PEER] }],
    ["two addresses in one header", { ...GOOD, "x-forwarded-for": `${PEER}, ${PEER}` }],
    [
      "an address of Tailscale's range that the daemon does not know",
      { ...GOOD, "x-forwarded-for": "100.64.9.9" },
    ],
    ["the address of another user", { ...GOOD, "x-forwarded-for": "100.64.0.8" }],
    ["the login of another user", { ...GOOD, "tailscale-user-login": "mallory@example.com" }],
    ["the login in other letters", { ...GOOD, "tailscale-user-login": LOGIN.toUpperCase() }],
    [
      "a user who is not in the config",
      { ...GOOD, "tailscale-user-login": "guest@example.com", "x-forwarded-for": "100.64.0.14" },
    ],
    ["the name of the owner", { ...GOOD, "tailscale-user-login": "owner" }],
    ["__proto__ as login", { ...GOOD, "tailscale-user-login": "__proto__" }],
    ["a tagged device", { ...GOOD, "x-forwarded-for": "100.64.0.9" }],
    ["a daemon that is slow", { ...GOOD, "x-forwarded-for": "100.64.0.10" }],
    ["a daemon that answers with something else", { ...GOOD, "x-forwarded-for": "100.64.0.11" }],
    ["a daemon that knows no device", { ...GOOD, "x-forwarded-for": "100.64.0.12" }],
    ["a daemon that refuses", { ...GOOD, "x-forwarded-for": "100.64.0.13" }],
    ["a request through Funnel", { ...GOOD, "tailscale-funnel-request": "?1" }],
    ["a request for a loopback name", { ...GOOD, host: "127.0.0.1:PORT" }],
    [
      "an address that asks the daemon for something else",
      { ...GOOD, "x-forwarded-for": "100.64.0.8&addr=100.64.0.7" },
    ],
    ["loopback as address", { ...GOOD, "x-forwarded-for": "127.0.0.1" }],
  ])("is refused: %s", async (_, headers) => {
    const host = String(headers.host).replace("PORT", String(place.port));
    // Limits are tested elsewhere.
    place.auth.records.run("DELETE FROM failures");
    expect((await login({ ...headers, host })).status).toBe(401);
    // So that it was not refused for another reason.
    expect((await login(GOOD)).status).toBe(200);
  });

  it("is refused without a daemon", async () => {
    place.auth.records.run("DELETE FROM failures");
    const config = gateway({ [LOGIN]: "write" }, { socket: join(tempFolder(), "nothing.sock") });
    await place.auth.configure(config);
    expect((await login(GOOD)).status).toBe(401);
  });
});
