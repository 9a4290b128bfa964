/** A gateway process whose files change while it runs. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ListOf, ModelView, StatusView } from "../../src/gateway/wire/rest.ts";
import { TelegramServer } from "../support/servers/telegram-server.ts";
import { signIn, startGateway } from "./gateway-process.ts";
import { Place } from "./run-command.ts";

it("config set says that the gateway refuses the result, until it does not", async () => {
  using place = new Place();
  const first = await place.run(["config", "set", "gateway.auth.mode", "password"]);
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("gateway.auth.password")]);
  const second = await place.run(["config", "set", "gateway.auth.password", "correct horse battery"]);
  expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining("refuses")]);
});

async function running(config: object) {
  const place = new Place();
  mkdirSync(place.state, { mode: 0o700 });
  const write = (value: object | string): void => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    writeFileSync(join(place.state, "colloquy.json"), text, { mode: 0o600 });
  };
  write(config);
  const { child, started, ended } = startGateway(place.state);
  const gateway = await started;
  const token = await signIn(gateway);
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${gateway.url}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return (await response.json()) as T;
  };
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    expect((await fetch(`${gateway.url}/api/v1/${path}`, sent)).status).toBe(201);
  };
  return {
    place,
    write,
    get,
    post,
    url: gateway.url,
    status: () => get<StatusView>("status"),
    file: (name: string) => readFileSync(join(place.state, name), "utf8"),
    end: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The status of a request with another name for the gateway. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/health`, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
}

const PATIENT = { timeout: 60_000, interval: 50 };

describe("a config that changes while the gateway runs", () => {
  it("is in effect without a restart: agents, models, hosts and channels", async () => {
    const telegram = await TelegramServer.start();
    const { write, get, status, url, file, end } = await running({ models: { default: "offline" } });
    const local = { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", models: [{ id: "small" }] };
    const config = {
      models: { default: "local/small", providers: { local } },
      agents: { list: [{ id: "main", default: true }, { id: "ops" }] },
      gateway: { hosts: ["chat.example.com"] },
      channels: { telegram: { token: "42:telegram-test-token", apiRoot: telegram.url, allowFrom: ["7"] } },
    };
    expect(await statusFor(url, "chat.example.com")).toBe(403);
    write(config);
    await expect.poll(async () => (await status()).channels[0]?.state, PATIENT).toBe("connected");
    expect(await statusFor(url, "chat.example.com")).toBe(200);
    const { items } = await get<ListOf<ModelView>>("models");
    expect(items.find(({ available }) => available)?.name).toBe("local/small");
    await expect.poll(() => file("agents/ops/models.json"), PATIENT).toContain('"small"');
    const calls = telegram.calls.filter((call) => call === "getMe").length;
    write({ ...config, agents: { defaults: { system: "Be brief." } } });
    const { changedAt } = (await status()).config;
    await expect.poll(async () => (await status()).config.changedAt, PATIENT).not.toBe(changedAt);
    expect((await status()).channels[0]?.state).toBe("connected");
    expect(telegram.calls.filter((call) => call === "getMe")).toHaveLength(calls);
    write({ ...config, channels: {} });
    await expect.poll(async () => (await status()).channels, PATIENT).toEqual([]);
    await end();
  });

  it("that is wrong changes nothing, and everyone is told until it is mended", async () => {
    const { write, status, url, place, file, end } = await running({ gateway: { hosts: ["a.example"] } });
    const [, port] = /:(\d+)$/.exec(url) ?? [];
    const shown = async () => (await place.run(["gateway", "status"])).stdout;
    expect(await shown()).toBe(`A gateway answers at ${url}\n`);
    for (const wrong of ['{ gateway: { hosts: ["b.example"', { gateway: { hosts: ["http://b/"] } }]) {
      write(wrong);
      await expect.poll(async () => (await status()).config.problem, PATIENT).toMatch(/colloquy\.json|b\//);
      expect(await statusFor(url, `a.example:${port}`)).toBe(200);
      expect(await shown()).toContain("The config is refused, and the last good one stays: ");
      const refused = "config refused: the last good one stays";
      await expect.poll(() => file("gateway.log"), PATIENT).toContain(refused);
      write({ gateway: { hosts: ["a.example"] }, models: { default: "offline" } });
      await expect.poll(async () => (await status()).config.problem, PATIENT).toBe(null);
    }
    await end();
  });

  it("names the settings that wait for the next start", async () => {
    const { write, status, place, file, end } = await running({});
    write({ gateway: { port: 4711 }, sessions: { tree_enabled: false } });
    const restart = ["gateway.port", "sessions.tree_enabled"];
    await expect.poll(async () => (await status()).config.restart, PATIENT).toEqual(restart);
    await expect.poll(() => file("gateway.log"), PATIENT).toContain(JSON.stringify(restart));
    const { stdout } = await place.run(["gateway", "status"]);
    expect(stdout).toContain(
      "These settings take effect with its next start: gateway.port, sessions.tree_enabled",
    );
    write({});
    await expect.poll(async () => (await status()).config.restart, PATIENT).toEqual([]);
    await end();
  });
});

it("removes secrets before a message is stored, if the config says so", async () => {
  const [key, code] = ["sk-ant-api03-0123456789abcdefABCDEF", "open sesame"];
  const { place, post, end } = await running({
    sessions: { redact: "secrets", redact_values: [code] },
    env: { vars: { DOOR_PASSWORD: "swordfish-and-chips" } },
  });
  const content = `My key is ${key}, say ${code}, or swordfish-and-chips`;
  await post("conversations", { key: "web:a" });
  await post("conversations/web:a/messages", { messages: [{ role: "user", content }] });
  await place.run(["sessions", "append", "web:a", "--role", "user", "--content", "-"], { input: content });
  const { stdout } = await place.run(["sessions", "history", "web:a", "--json"]);
  expect(stdout.match(/\[redacted: /g)).toHaveLength(6);
  await end();
  const store = readFileSync(join(place.state, "conversations.db"), "latin1");
  for (const secret of [key, code, "swordfish"]) expect(store).not.toContain(secret);
});

it("makes other sign-in links while it runs", async () => {
  const { place, url, end } = await running({});
  const { stdout } = await place.run(["gateway", "link", "--json"]);
  const link = JSON.parse(stdout) as { url: string; signIn: string };
  expect([link.url, await signIn(link)]).toEqual([url, expect.stringMatching(/^eyJ/)]);
  expect(await signIn(link)).toBeUndefined();
  await end();
  const ended = await place.run(["gateway", "link"]);
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("No gateway is running")]);
});

it("uses a key from the moment that it is added", async () => {
  const { get, place, file, end } = await running({});
  const usable = async () => {
    const { items } = await get<ListOf<ModelView>>("models");
    return items.some(({ name, available }) => available && name.startsWith("anthropic/"));
  };
  expect(await usable()).toBe(false);
  await place.run(["auth", "add", "anthropic", "--stdin"], {
    input: "sk-ant-api03-0123456789abcdefABCDEF\n",
  });
  await expect.poll(usable, PATIENT).toBe(true);
  await expect.poll(() => file("agents/main/models.json"), PATIENT).toContain("claude");
  await place.run(["auth", "remove", "anthropic:default"]);
  await expect.poll(usable, PATIENT).toBe(false);
  await end();
});
