import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectGateway } from "../../src/gateway/client/index.ts";
import type {
  FoundTool,
  ImportJob,
  ListOf,
  ModelView,
  StatusView,
  UsageView,
} from "../../src/gateway/wire/rest.ts";
import { openStore } from "../../src/store/open.ts";
import { piHeader, piSays } from "../formats/pi-session.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { openPlace, type Place } from "./place.ts";

const SCOPES = { web: { channels: ["web"] } };

async function use({ store }: Place, key: string, at: string, model: string): Promise<void> {
  const usage = { input_tokens: 10, output_tokens: 5, cost: 0.5 };
  await (await store.open(key)).append([
    { role: "user", content: "How much?", at },
    { role: "assistant", content: "That much.", at, model, usage },
  ]);
}

describe("usage over HTTP", () => {
  it("is summed by day, model and channel, from where it was counted before", async () => {
    const folder = tempFolder();
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    await using place = await openPlace(SCOPES, { store });
    await use(place, "web:a", "2026-01-01T10:00:00Z", "local/small");
    await use(place, "discord:dm:1", "2026-01-02T10:00:00Z", "local/large");
    const read = async (as = "read", query = "?from=2026-01-01&to=2026-01-31") =>
      (await place.call(`GET /api/v1/usage${query}`, { as })).json<UsageView>();
    const used = {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      cost: 0.5,
      messages: 1,
    };
    expect(await read()).toMatchObject({
      total: { messages: 4, inputTokens: 20, cost: 1 },
      days: [
        { day: "2026-01-01", messages: 2 },
        { day: "2026-01-02", messages: 2 },
      ],
      models: [
        { model: "local/large", ...used },
        { model: "local/small", ...used },
      ],
      channels: [{ channel: "discord" }, { channel: "web" }],
    });
    expect((await read("web")).channels).toMatchObject([{ channel: "web" }]);
    expect((await read("read", "?from=2026-01-02&to=2026-01-02")).total.messages).toBe(2);
    const details = await place.call("GET /api/v1/conversations/web:a");
    expect(details.json()).toMatchObject({ usage: { inputTokens: 10, cost: 0.5 } });
    await use(place, "web:a", "2026-01-03T10:00:00Z", "local/small");
    expect((await place.call("GET /api/v1/conversations/web:a")).json()).toMatchObject({
      usage: { cost: 1 },
    });
    for (const wrong of ["from=2026-02-30", "to=yesterday", "from=2026-1-1"]) {
      expect((await place.call(`GET /api/v1/usage?${wrong}`)).status).toBe(400);
    }
    const kept = JSON.parse(readFileSync(join(place.stateDir, "usage.json"), "utf8"));
    expect(Object.keys(kept.conversations)).toHaveLength(2);
  });
});

describe("imports over HTTP", () => {
  it("are found, run in the background, and reported", async () => {
    const home = tempFolder();
    const sessions = join(home, ".pi", "agent", "sessions");
    mkdirSync(sessions, { recursive: true });
    const file = join(sessions, "a.jsonl");
    writeFileSync(file, piHeader("s1") + piSays("a1", null, "Where is Lisbon?"));
    await using place = await openPlace(SCOPES, { env: { HOME: home } });
    const found = (await place.call("GET /api/v1/imports/found")).json<ListOf<FoundTool>>();
    expect(found.items).toEqual([
      {
        format: "pi",
        name: expect.any(String),
        path: expect.stringContaining(home),
        files: 1,
        bytes: readFileSync(file).length,
      },
    ]);
    expect((await place.call("POST /api/v1/imports", { body: { formats: ["codex"] } })).status).toBe(404);
    const started = await place.call("POST /api/v1/imports", { body: {} });
    expect([started.status, started.json()]).toMatchObject([202, { state: "running", formats: ["pi"] }]);
    const { id } = started.json<ImportJob>();
    let job = started.json<ImportJob>();
    while (job.state === "running") job = (await place.call(`GET /api/v1/imports/${id}`)).json<ImportJob>();
    expect(job).toMatchObject({
      state: "done",
      progress: { files: 1, conversations: 1, messages: 1 },
      error: null,
    });
    expect((await place.call("GET /api/v1/imports")).json<ListOf<ImportJob>>().items).toEqual([job]);
    expect((await place.call(`DELETE /api/v1/imports/${id}`)).json<ImportJob>()).toEqual(job);
    expect(await place.store.get("pi:s1")).toBeDefined();
    expect((await place.call("GET /api/v1/imports/none")).status).toBe(404);
  });
});

describe("the installation over HTTP", () => {
  it("shows its store, models and channels", async () => {
    await using place = await openPlace(SCOPES);
    await use(place, "web:a", "2026-01-01T10:00:00Z", "local/small");
    expect((await place.call("GET /api/v1/status")).json<StatusView>()).toMatchObject({
      version: "1",
      engine: "ephemeral",
      path: null,
      conversations: 1,
      messages: 2,
      channels: [],
    });
    const models = (await place.call("GET /api/v1/models", { as: "web" })).json<ListOf<ModelView>>().items;
    const offline = { name: "offline/recall", contextWindow: null, available: true, answers: true };
    expect(models.filter(({ answers }) => answers)).toEqual([offline]);
    expect(models.some(({ name, available }) => name.startsWith("anthropic/") && !available)).toBe(true);
    expect((await place.call("GET /api/v1/channels")).json()).toEqual({ items: [], cursor: null });
  });

  it("answers offline, and says why, if the model of the config has no key", async () => {
    await using place = await openPlace(SCOPES, { config: { models: { default: "groq/tiny" } } });
    const models = (await place.call("GET /api/v1/models")).json<ListOf<ModelView>>().items;
    expect(models.filter(({ answers }) => answers)).toMatchObject([{ name: "offline/recall" }]);
    await place.store.open("web:new", { channel: "web" });
    const details = await place.call("GET /api/v1/conversations/web:new");
    expect(details.json()).toMatchObject({ answeredBy: { model: "offline/recall" } });
    const client = connectGateway({ url: place.gateway.url, token: place.secrets.get("admin") ?? "" });
    onTestFinished(() => client.close());
    await client.request("chat.send", { conversation: "web:new", text: "Hello", idempotencyKey: "1" });
    const chat = await place.store.open("web:new");
    const said = async (): Promise<string> => JSON.stringify((await chat.messages()).items[1]?.message);
    await expect
      .poll(said, { timeout: 60_000 })
      .toContain("`groq/tiny`, which has no key. Add one: `colloquy auth add groq`");
  });

  it("counts requests for Prometheus, by route and not by path", async () => {
    await using place = await openPlace();
    await place.call("GET /api/v1/conversations/web:secret-name");
    const chat = await place.store.create();
    await chat.append({ role: "user", content: "one", id: "e1" });
    // An entry that is not a message.
    await chat.branch("e1");
    const { text, headers } = await place.call("GET /metrics");
    expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain(
      'colloquy_requests_total{method="GET",path="/api/v1/conversations/{id}",status="404"} 1\n',
    );
    expect(text).toMatch(/^colloquy_conversations 1$/m);
    expect(text).toMatch(/^colloquy_messages 1$/m);
    expect((await place.call("GET /api/v1/status")).json()).toMatchObject({ conversations: 1, messages: 1 });
    expect(text).not.toContain("secret-name");
  });
});

describe("the page", () => {
  it("is served with its types, and cached by the names of its files", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), "<!doctype html>");
    writeFileSync(join(folder, "assets", "index-Abc123_x.js"), "1");
    writeFileSync(join(folder, "..", "outside.txt"), "secret");
    await using place = await openPlace({}, { page: folder });
    const get = async (path: string, method = "GET") => {
      const { status, headers, text } = await place.call(`${method} ${path}`, { as: null });
      return [status, text, headers["content-type"], headers["cache-control"]];
    };
    expect(await get("/")).toEqual([200, "<!doctype html>", "text/html; charset=utf-8", "no-store"]);
    expect(await get("/assets/index-Abc123_x.js")).toEqual([
      200,
      "1",
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
    ]);
    expect((await get("/", "HEAD")).slice(0, 2)).toEqual([200, ""]);
    for (const path of [
      "/../outside.txt",
      "/%2e%2e/outside.txt",
      "/..%2foutside.txt",
      "/assets",
      "/assets/../../outside.txt",
      "//etc/passwd",
    ]) {
      const [status, text] = await get(path);
      expect([path, status]).toEqual([path, path.includes("/../") || path.includes("/%2e%2e/") ? 400 : 404]);
      expect(text).not.toContain("secret");
    }
    expect((await get("/", "POST"))[0]).toBe(404);
  });
});
