import { describe, expect, it } from "vitest";
import type { ConversationDetails, ConversationSummary, ListOf } from "../../src/gateway/wire/rest.ts";
import type { Entry } from "../../src/message/types.ts";
import { until } from "../support/until.ts";
import { openPlace } from "./place.ts";

const API = "/api/v1/conversations";
const said = (content: string) => ({ role: "user", content });

describe("conversations over HTTP", () => {
  it("are created, listed by page, changed, deleted, restored and purged", async () => {
    await using place = await openPlace();
    const made = await place.call(`POST ${API}`, { body: { key: "discord:dm:1", title: "Plans" } });
    expect(made.status).toBe(201);
    const { id, channel } = made.json<ConversationDetails>();
    expect(channel).toBe("discord");
    expect(made.headers.location).toBe(`${API}/${id}`);
    await place.call(`POST ${API}`, { body: {} });
    const first = (await place.call(`GET ${API}?limit=1`)).json<ListOf<ConversationSummary>>();
    expect(first.items).toHaveLength(1);
    const second = await place.call(`GET ${API}?limit=1&cursor=${first.cursor}`);
    expect(second.json<ListOf<ConversationSummary>>()).toMatchObject({ items: [{ id }], cursor: null });

    const patched = await place.call(`PATCH ${API}/discord:dm:1`, { body: { title: null, model: "groq/b" } });
    expect(patched.json<ConversationDetails>()).toMatchObject({
      id,
      title: null,
      model: "groq/b",
      branch: "main",
    });
    for (const model of ["nonsense", "nobody/b"]) {
      const refused = await place.call(`PATCH ${API}/${id}`, { body: { model } });
      expect(refused.json()).toMatchObject({ error: { code: "VALIDATION_ERROR", field: "model" } });
    }
    expect((await place.call(`POST ${API}/${id}/purge`)).status).toBe(409);
    expect((await place.call(`DELETE ${API}/${id}`)).json<ConversationSummary>().deletedAt).not.toBeNull();
    expect((await place.call(`GET ${API}/${id}`)).json<ConversationSummary>().deletedAt).not.toBeNull();
    expect((await place.call(`POST ${API}/${id}/restore`)).status).toBe(200);
    await place.call(`DELETE ${API}/${id}`);
    expect((await place.call(`POST ${API}/${id}/purge`)).json()).toMatchObject({ id });
    expect((await place.call(`GET ${API}/${id}`)).status).toBe(404);
  });

  it("say which model would answer", async () => {
    const local = {
      baseUrl: "http://127.0.0.1:9/v1",
      api: "openai-completions",
      models: [{ id: "a", contextWindow: 9 }, { id: "b" }],
    };
    await using place = await openPlace(
      {},
      { config: { models: { default: "local/a", providers: { local } } } },
    );
    const models = [null, "local/b", "imported-model", "offline"];
    const answered = await Promise.all(
      models.map(async (model) => {
        const { id } = await place.store.create(model === null ? {} : { model });
        return (await place.call(`GET ${API}/${id}`)).json<ConversationDetails>().answeredBy.model;
      }),
    );
    expect(answered).toEqual(["local/a", "local/b", "local/a", "offline/recall"]);
  });

  it("show their first and last words on request", async () => {
    await using place = await openPlace();
    const conversation = await place.store.create();
    await conversation.append([
      { role: "user", content: "Where is Lisbon?" },
      { role: "assistant", content: "In Portugal.\nBy the sea." },
    ]);
    const { items } = (await place.call(`GET ${API}?words=true`)).json<ListOf<ConversationSummary>>();
    expect(items[0]).toMatchObject({ firstWords: "Where is Lisbon?", lastWords: "In Portugal." });
  });

  it("append once for each key, and only after the expected head", async () => {
    await using place = await openPlace();
    const { id } = await place.store.create();
    const path = `${API}/${id}/messages`;
    const append = (text: string, headers: Record<string, string>) =>
      place.call(`POST ${path}`, { body: { messages: [said(text)] }, headers });
    const first = await append("one", { "idempotency-key": "k1", "if-match": '""' });
    expect(first.status).toBe(201);
    expect(first.headers.etag).toBe(`"${first.json<{ head: string }>().head}"`);
    const again = await append("one", { "idempotency-key": "k1", "if-match": '""' });
    expect([again.status, again.json<{ replayed: boolean }>().replayed]).toEqual([200, true]);
    const other = await append("two", { "if-match": '""' });
    expect([other.status, other.json()]).toMatchObject([
      412,
      { error: { code: "CONFLICT", field: "If-Match" } },
    ]);
    expect((await append("two", { "if-match": String(first.headers.etag) })).status).toBe(201);
    const { items } = (await place.call(`GET ${path}?last=10`)).json<ListOf<Entry>>();
    expect(items.map(({ message }) => message?.content)).toEqual(["one", "two"]);
  });

  it("edit, label and redact an entry", async () => {
    await using place = await openPlace();
    const conversation = await place.store.create();
    const { head } = await conversation.append({ role: "user", content: "teh" });
    const path = `${API}/${conversation.id}/entries/${head}`;
    expect((await place.call(`PUT ${path}/label`, { body: { label: "typo" } })).status).toBe(200);
    const edited = await place.call(`POST ${path}/edit`, { body: { messages: [said("the")] } });
    expect([edited.status, edited.json<{ branch: { active: boolean } }>().branch.active]).toEqual([
      201,
      true,
    ]);
    expect((await place.call(`POST ${path}/redact`)).json()).toMatchObject({ entries: 1 });
    expect((await place.call(`GET ${path}`)).json<Entry>().message?.content).toBe("[redacted]");
    expect((await place.call(`GET ${API}/${conversation.id}/entries/none`)).status).toBe(404);
  });
});

describe("a token with a scope", () => {
  it("sees and makes only conversations in it", async () => {
    await using place = await openPlace({ discord: { channels: ["discord"] }, key: { keys: ["web:a*"] } });
    const inside = await place.store.create({ key: "discord:dm:1" });
    const outside = await place.store.create({ key: "telegram:dm:1" });
    const list = await place.call(`GET ${API}`, { as: "discord" });
    expect(list.json<ListOf<ConversationSummary>>().items.map(({ id }) => id)).toEqual([inside.id]);
    expect((await place.call(`GET ${API}/${inside.id}`, { as: "discord" })).status).toBe(200);
    for (const way of ["GET", "PATCH", "DELETE"]) {
      const options = { as: "discord", ...(way === "PATCH" && { body: {} }) };
      expect((await place.call(`${way} ${API}/${outside.id}`, options)).status).toBe(404);
    }
    const make = (as: string, body: object) => place.call(`POST ${API}`, { as, body });
    expect((await make("discord", { channel: "telegram" })).status).toBe(403);
    expect((await make("discord", { id: outside.id, channel: "discord" })).status).toBe(409);
    expect((await make("discord", { key: "discord:dm:2" })).status).toBe(201);
    expect((await make("key", { key: "web:b" })).status).toBe(403);
    expect((await make("key", { key: "web:a1" })).status).toBe(201);
  });

  it("looks through a limited number of conversations for a request, and continues from its cursor", async () => {
    await using place = await openPlace({ discord: { channels: ["discord"] } });
    const inside = await place.store.create({ key: "discord:dm:1" });
    // Those of one millisecond are in no certain order.
    const { createdAt } = await inside.info();
    await until(() => Date.now() > Date.parse(createdAt));
    for (let n = 0; n < 15; n++) await place.store.create({ key: `telegram:dm:${n}` });
    const page = async (query: string) =>
      (await place.call(`GET ${API}?limit=1${query}`, { as: "discord" })).json<ListOf<ConversationSummary>>();
    const first = await page("");
    expect(first).toEqual({ items: [], cursor: expect.any(String) });
    const next = await page(`&cursor=${first.cursor}`);
    expect(next.items.map(({ id }) => id)).toEqual([inside.id]);
  });
});
