/** A gateway process in trouble: a full disk, a locked store, and an end in the middle of an answer. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { connectGateway } from "../../src/gateway/client/index.ts";
import { signIn, startGateway } from "../cli/gateway-process.ts";
import { has, lacks } from "../process/child-process.ts";
import { modelServer } from "../support/models/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";

async function running(config: object = {}) {
  const stateDir = join(tempFolder(), "state");
  mkdirSync(stateDir, { mode: 0o700 });
  writeFileSync(join(stateDir, "colloquy.json"), JSON.stringify(config), { mode: 0o600 });
  const { child, started, ended } = startGateway(stateDir);
  const gateway = await started;
  const token = await signIn(gateway);
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${gateway.url}/api/v1/${path}`, sent);
    return {
      status: response.status,
      json: (await response.json()) as { id: string; error: { code: string } },
    };
  };
  const { json } = await call("POST", "conversations", { key: "web:a" });
  const append = () => call("POST", `conversations/${json.id}/messages`, { messages: [MESSAGE] });
  return { child, ended, call, append, token, stateDir, id: json.id, ...gateway };
}

const MESSAGE = { role: "user", content: "x".repeat(5000) };
const UNAVAILABLE = { status: 503, json: { error: { code: "SERVICE_UNAVAILABLE" } } };

describe("a store that cannot be written", () => {
  it.skipIf(lacks(has("prlimit"), "a limit on the size of files needs prlimit"))(
    "because the disk is full is a 503, and the gateway goes on when there is room",
    async () => {
      const { pid, call, append, id, child, ended } = await running();
      const limit = (bytes: string) =>
        spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]).status;
      expect((await append()).status).toBe(201);
      expect(limit("1")).toBe(0);
      expect(await append()).toMatchObject(UNAVAILABLE);
      expect((await call("GET", `conversations/${id}`)).status).toBe(200);
      limit("unlimited");
      expect((await append()).status).toBe(201);
      expect((await call("GET", `conversations/${id}`)).json).toMatchObject({ messageCount: 2 });
      child.kill("SIGTERM");
      expect((await ended).code).toBe(0);
    },
  );
});

/** A store that another process has locked is a 503 after a while, and can be read meanwhile. */
async function lockedStore(): Promise<void> {
  const { store, call, append, id, child, ended } = await running();
  const other = new DatabaseSync(store);
  other.exec("BEGIN IMMEDIATE");
  const refused = append();
  expect((await call("GET", `conversations/${id}`)).status).toBe(200);
  expect(await refused).toMatchObject(UNAVAILABLE);
  other.exec("ROLLBACK");
  other.close();
  expect((await append()).status).toBe(201);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
}

/** An answer that does not end in time is marked, and resumed after the next start. */
async function endlessAnswer(): Promise<void> {
  const never = Promise.withResolvers<void>();
  await using model = await modelServer([
    [{ text: "Once upon " }, { until: never.promise }],
    [{ text: "The end" }],
  ]);
  const local = { baseUrl: model.baseUrls.openai, api: "openai-completions", models: [{ id: "small" }] };
  const config = { models: { default: "local/small", providers: { local } } };
  const { url, token, id, stateDir, child, ended } = await running(config);
  const client = connectGateway({ url, token });
  let text = "";
  client.subscribe(`conversation:${id}`, (event) => {
    if (event.event === "chat.delta") text += event.data.text;
  });
  await client.request("chat.send", { conversation: id, text: "Tell me", idempotencyKey: "k" });
  await until(() => text !== "");
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
  client.close();
  never.resolve();
  const again = startGateway(stateDir);
  const gateway = await again.started;
  const next = connectGateway({ url: gateway.url, token: await signIn(gateway) });
  const messages = async (): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${gateway.url}/api/v1/conversations/${id}/messages`, { headers });
    return ((await response.json()) as { items: { message: unknown }[] }).items.map(({ message }) => message);
  };
  expect(await messages()).toMatchObject([
    { role: "user" },
    { role: "assistant", content: "Once upon ", endState: "stopped" },
  ]);
  const ends: string[] = [];
  next.subscribe(`conversation:${id}`, (event) => ends.push(event.event));
  expect((await next.request("chat.resume", { conversation: id })).run).not.toBeNull();
  await until(() => ends.includes("chat.done"));
  expect(await messages()).toMatchObject([
    { role: "user" },
    { role: "assistant", content: "Once upon " },
    { role: "assistant", content: [{ text: "The end" }], endState: "finished" },
  ]);
  next.close();
  again.child.kill("SIGTERM");
  expect((await again.ended).code).toBe(0);
}

// Each waits for many seconds.
it("ends the wait for a lock and for an answer", async () => {
  await Promise.all([lockedStore(), endlessAnswer()]);
});
