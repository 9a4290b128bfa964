import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPlace } from "../place.ts";

describe("an admin session that was stolen", () => {
  async function attempt(path: string, text: string): Promise<readonly [status: number, file: string]> {
    await using place = await openPlace();
    const file = join(place.stateDir, "colloquy.json");
    writeFileSync(join(place.stateDir, ".env"), "ANTHROPIC_API_KEY=x\n", { mode: 0o600 });
    writeFileSync(file, "{}\n", { mode: 0o600 });
    const answer = await place.call(`PUT /api/v1/settings/${encodeURIComponent(path)}`, { body: { text } });
    return [answer.status, readFileSync(file, "utf8")];
  }

  it("can change what is harmless", async () => {
    expect(await attempt("agents.defaults.system", "Be brief")).toEqual([
      200,
      expect.stringContaining("brief"),
    ]);
  });

  it.each([
    ["a model at a cloud's metadata address", "models.providers.evil.baseUrl", '"http://169.254.169.254/"'],
    [
      "a model elsewhere, which would get the keys",
      "models.providers.anthropic.baseUrl",
      '"https://evil.example"',
    ],
    ["embeddings elsewhere", "memory.embedding.baseUrl", '"http://127.0.0.1:6379/"'],
    ["files of this machine as memory", "memory.paths", '["/etc"]'],
    ["a program as a server of tools", "mcp.servers.x.command", '"/bin/sh"'],
    ["a server of tools elsewhere", "mcp.servers.x.url", '"http://10.0.0.1/"'],
    ["a plugin", "plugins.load.paths", '["/tmp/evil"]'],
    ["a variable", "env.vars.NODE_OPTIONS", '"--require /tmp/evil.js"'],
    ["a shell", "env.shellEnv.enabled", "true"],
    ["rules of approvals", "approvals.mode", '"off"'],
    ["tools", "tools.allow", '["*"]'],
    ["a host name", "gateway.hosts", '["evil.example"]'],
    ["a proxy to trust", "gateway.trustedProxies", '["127.0.0.1"]'],
    ["another way to sign in", "gateway.auth.mode", '"password"'],
    ["its own user", "gateway.auth.users", '{"mallory@example.com":"admin"}'],
    ["the address to listen on", "gateway.bind", '"lan"'],
    ["the bot of a channel", "channels.telegram.botToken", '"123456789:AAAA"'],
    ["the whole config", "", "{}"],
    ["a file to include", "$include", '"/etc/passwd"'],
    ["a prototype", "sessions.__proto__.polluted", "true"],
    ["a way out of a section", "sessions.../gateway.bind", '"lan"'],
    ["a section in brackets", '["gateway"].bind', '"lan"'],
  ])("cannot set %s", async (_, path, text) => {
    const [status, file] = await attempt(path, text);
    expect([400, 403, 404]).toContain(status);
    expect(file).toBe("{}\n");
  });

  const VARIABLE = "$" + "{ANTHROPIC_API_KEY}";
  it.each([
    ["a variable", "agents.defaults.system", `"${VARIABLE}"`],
    ["a variable without quotes", "agents.defaults.system", VARIABLE],
    ["a variable that is escaped in JSON", "agents.defaults.system", `"\\u0024${VARIABLE.slice(1)}"`],
    ["a variable inside of a list", "agents.defaults.model.fallbacks", `["${VARIABLE}"]`],
    ["a variable as a name", "streaming", `{ "${VARIABLE}": {} }`],
    ["a file", "sessions", '{ "$include": "/etc/passwd" }'],
  ])("cannot read %s through a setting that it may change", async (_, path, text) => {
    expect(await attempt(path, text)).toEqual([400, "{}\n"]);
  });
});

describe("a message with an address in it", () => {
  let trap: Server;
  let hits = 0;
  beforeAll(async () => {
    trap = createServer((_, response) => {
      hits++;
      response.end("x");
    });
    trap.listen(0, "127.0.0.1");
    await once(trap, "listening");
  });
  afterAll(() => trap.close());

  it("makes the gateway fetch nothing", async () => {
    await using place = await openPlace();
    const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/secret`;
    const contents = [
      [{ type: "image", source: { type: "url", url } }],
      [{ type: "document", source: { type: "url", url } }],
      [{ type: "text", text: `![x](${url}) <img src="${url}">` }],
      `[x](${url})`,
    ];
    const { id } = (
      await place.call("POST /api/v1/conversations", { body: { title: url, key: "web:x" } })
    ).json<{ id: string }>();
    const messages = contents.map((content) => ({ role: "user", content }));
    const path = `/api/v1/conversations/${id}`;
    expect((await place.call(`POST ${path}/messages`, { body: { messages } })).status).toBe(201);
    for (const line of [
      `GET ${path}/messages`,
      `GET ${path}/context?maxTokens=1000`,
      `GET ${path}/export?format=markdown`,
      "GET /api/v1/search?q=secret",
    ])
      await place.call(line);
    await place.call(`GET /api/v1/blobs/${encodeURIComponent(url)}`);
    await place.call("POST /api/v1/blobs", { body: Buffer.from(url) });
    expect(hits).toBe(0);
  });
});
