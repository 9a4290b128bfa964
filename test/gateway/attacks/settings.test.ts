import { readdirSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { Auth } from "../../../src/gateway/auth/auth.ts";
import type { JsonObject } from "../../../src/util/json.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { openPlace, request } from "../place.ts";

const PASSWORD = "a horse that reads 71 maps";
const TAILSCALE = { mode: "tailscale", users: { "ada@example.com": "read" } };

const UNSAFE: readonly (readonly [name: string, field: string, gateway: JsonObject])[] = [
  ["a password that is not set", "gateway.auth.password", { auth: { mode: "password" } }],
  ["an empty password", "gateway.auth.password", { auth: { mode: "password", password: "" } }],
  ["a short password", "gateway.auth.password", { auth: { mode: "password", password: "hunter2" } }],
  [
    "the password changeme",
    "gateway.auth.password",
    { auth: { mode: "password", password: "changeme-changeme" } },
  ],
  [
    "a password of an example",
    "gateway.auth.password",
    { auth: { mode: "password", password: "your-password-here" } },
  ],
  [
    "a password of one letter",
    "gateway.auth.password",
    { auth: { mode: "password", password: "aaaaaaaaaaaaaaaa" } },
  ],
  ["a short token", "gateway.auth.token", { auth: { token: "4f9d1c" } }],
  [
    "a token of an example",
    "gateway.auth.token",
    { auth: { token: "replace-this-example-secret-token-1234567890" } },
  ],
  ["a token of zeros", "gateway.auth.token", { auth: { token: "0".repeat(64) } }],
  ["the network without encryption", "gateway.bind", { bind: "lan" }],
  ["any address without encryption", "gateway.bind", { bind: "custom", customBindHost: "0.0.0.0" }],
  [
    "the network with a password in clear",
    "gateway.bind",
    { bind: "lan", auth: { mode: "password", password: PASSWORD } },
  ],
  [
    "Tailscale users on the network",
    "gateway.bind",
    { bind: "lan", tls: { enabled: true }, hosts: ["h"], auth: TAILSCALE },
  ],
  [
    "Tailscale users on their own network",
    "gateway.bind",
    { bind: "tailnet", hosts: ["h"], auth: TAILSCALE },
  ],
  [
    "a name that only looks like loopback",
    "gateway.bind",
    { bind: "custom", customBindHost: "127.0.0.1.evil.example" },
  ],
  ["Tailscale without users", "gateway.auth.users", { hosts: ["h"], auth: { mode: "tailscale" } }],
  ["Tailscale without a host name", "gateway.hosts", { auth: TAILSCALE }],
  [
    "Tailscale users through Funnel",
    "gateway.tailscale.mode",
    { hosts: ["h"], auth: TAILSCALE, tailscale: { mode: "funnel" } },
  ],
  [
    "a Tailscale user called owner",
    "gateway.auth.users.owner",
    { hosts: ["h"], auth: { mode: "tailscale", users: { owner: "read" } } },
  ],
  [
    "a permission that is not one",
    "gateway.auth.users.a@b",
    { hosts: ["h"], auth: { mode: "tailscale", users: { "a@b": "root" } } },
  ],
  ["everyone as a trusted proxy", "gateway.trustedProxies", { trustedProxies: ["0.0.0.0/0"] }],
  ["half of everyone as a trusted proxy", "gateway.trustedProxies", { trustedProxies: ["::/1"] }],
  ["a proxy that is a name", "gateway.trustedProxies", { trustedProxies: ["proxy.example.com"] }],
];

describe("a gateway does not start with", () => {
  it.each(UNSAFE)("%s", async (_, field, config) => {
    const stateDir = tempFolder();
    await expect(Auth.open({ stateDir, config })).rejects.toMatchObject({ code: "VALIDATION_ERROR", field });
    expect(readdirSync(stateDir)).toEqual([]);
  });

  it.each([
    ["short", "c2VjcmV0"],
    ["not random", "A".repeat(43)],
  ])("a signing key that is %s", async (_, secret) => {
    const stateDir = tempFolder();
    const auth = await Auth.open({ stateDir, config: {} });
    auth.records.run("UPDATE keys SET secret = ?", secret);
    await auth.close();
    await expect(Auth.open({ stateDir, config: {} })).rejects.toThrow("signing key");
  });

  it("a change of the config that is unsafe: the last good one stays", async () => {
    await using auth = await Auth.open({ stateDir: tempFolder(), config: {} });
    await expect(auth.configure({ auth: { mode: "password" } })).rejects.toThrow("does not start");
    expect(auth.settings.mode).toBe("token");
  });
});

describe("a gateway starts", () => {
  it("with settings that are safe together", async () => {
    for (const config of [
      {},
      { bind: "lan", tls: { enabled: true } },
      { bind: "tailnet" },
      { bind: "auto" },
      { bind: "custom", customBindHost: "127.0.0.1" },
      { bind: "lan", trustedProxies: ["10.0.0.0/8"] },
      { auth: { mode: "password", password: PASSWORD } },
      { hosts: ["h"], auth: TAILSCALE, tailscale: { mode: "serve" } },
    ])
      await (await Auth.open({ stateDir: tempFolder(), config })).close();
  });
});

/** An address of this machine that is not loopback. */
const OUTSIDE = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

describe("a gateway behind a proxy that encrypts", () => {
  const proxied = (trustedProxies: string[], more = {}) => ({
    gateway: { bind: "lan", hosts: ["chat.example.com"], trustedProxies, ...more },
  });

  it.each([
    ["a machine that is not the proxy", "192.0.2.9", {}, false],
    ["the same, IPv4-mapped", "::ffff:192.0.2.9", {}, false],
    ["the proxy", "192.0.2.1", {}, true],
    ["the proxy, IPv4-mapped", "::ffff:192.0.2.1", {}, true],
    ["this machine", "127.0.0.1", {}, true],
    ["a machine that uses the encryption of the gateway", "192.0.2.9", { tls: { enabled: true } }, true],
  ])("answers %s as it should", async (_, remoteAddress, more, isServed) => {
    const { gateway } = proxied(["192.0.2.1"], more);
    await using auth = await Auth.open({ stateDir: tempFolder(), config: gateway });
    const check = () => auth.assertPeer({ remoteAddress });
    if (isServed) expect(check).not.toThrow();
    else expect(check).toThrow("gateway.trustedProxies");
  });

  it.skipIf(OUTSIDE === undefined)("refuses passwords that were sent in the clear", async () => {
    const options = { host: "0.0.0.0", hosts: ["chat.example.com"], config: proxied(["192.0.2.1"]) };
    await using place = await openPlace({}, options);
    const headers = { host: "chat.example.com" };
    const asked = (line: string, more = {}) =>
      request(place.port, line, { as: null, at: OUTSIDE, headers: { ...headers, ...more } });
    expect((await asked("GET /health")).status).toBe(403);
    expect((await asked("GET /ws", { connection: "Upgrade", upgrade: "websocket" })).status).toBe(403);
    expect((await place.call("GET /health", { headers })).status).toBe(200);
  });
});
