import { describe, expect, it } from "vitest";
import type { BranchesView, CompactionView, ContextView, ListOf } from "../../src/gateway/wire/rest.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { openPlace, type Place } from "./place.ts";

async function talk({ store }: Place, turns = 3): Promise<{ api: string; ids: string[] }> {
  const conversation = await store.create({ key: "web:a" });
  const ids: string[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const { entries } = await conversation.append([
      { role: "user", content: `Question ${turn}` },
      { role: "assistant", content: `Answer ${turn}` },
    ]);
    ids.push(...entries.map(({ id }) => id));
  }
  return { api: `/api/v1/conversations/${conversation.id}`, ids };
}

describe("branches over HTTP", () => {
  it("may be as deep as the config says since its last change", async () => {
    await using place = await openPlace();
    const { api, ids } = await talk(place);
    const credentials = openCredentials({ stateDir: place.stateDir, env: {} });
    const use = (max_depth?: number) => {
      const tree = max_depth === undefined ? {} : { max_depth };
      return place.gateway.use({ env: {}, credentials, config: { sessions: { tree } } });
    };
    const branch = (name: string) =>
      place.call(`POST ${api}/branches`, { body: { from: ids.at(-1), name, checkout: true } });
    const deepest = async () =>
      (await place.call(`GET ${api}/branches`)).json<BranchesView>().limits.depthMax;
    await use(2);
    expect(await deepest()).toBe(2);
    expect((await branch("first")).status).toBe(201);
    const more = await place.call(`POST ${api}/messages`, {
      body: { messages: [{ role: "user", content: "x" }] },
    });
    ids.push(more.json<{ head: string }>().head);
    expect((await branch("second")).status).toBe(400);
    await use();
    expect(await deepest()).toBe(10);
    expect((await branch("second")).status).toBe(201);
  });

  it("are made, listed with the words that differ, compared, flattened and pruned", async () => {
    await using place = await openPlace();
    const { api, ids } = await talk(place);
    const made = await place.call(`POST ${api}/branches`, {
      body: { from: ids[1], name: "side", checkout: true },
    });
    expect(made.status).toBe(201);
    await place.call(`POST ${api}/messages`, {
      body: { messages: [{ role: "user", content: "Another way" }] },
    });
    const { branches, limits } = (await place.call(`GET ${api}/branches`)).json<BranchesView>();
    expect(branches).toMatchObject([
      { name: "main", firstWords: null, active: false },
      { name: "side", firstWords: "Another way", active: true, parent: "main" },
    ]);
    expect(limits).toEqual({ depthMax: 10, depthWarning: 7 });
    const compared = await place.call(`GET ${api}/branches/compare?a=main&b=side`);
    expect(compared.json()).toMatchObject({ commonAncestor: ids[1], b: [{ kind: "message" }] });
    expect((await place.call(`POST ${api}/branches/checkout`, { body: { name: "main" } })).status).toBe(200);
    const prune = (dryRun: boolean) =>
      place.call(`POST ${api}/branches/prune`, { body: { names: ["side"], dryRun } });
    expect((await prune(true)).json()).toMatchObject({ dryRun: true, removed: [{ name: "side" }] });
    expect((await prune(false)).json()).toMatchObject({ dryRun: false, removed: [{ name: "side" }] });
    expect((await place.call(`POST ${api}/branches/flatten`)).status).toBe(200);
    expect((await place.call(`POST ${api}/branches/checkout`, { body: { name: "side" } })).status).toBe(404);
  });
});

describe("contexts and compactions over HTTP", () => {
  it("show what would be sent, and what a summary replaces", async () => {
    await using place = await openPlace();
    const { api, ids } = await talk(place);
    const context = async () => (await place.call(`GET ${api}/context?maxTokens=10000`)).json<ContextView>();
    const before = await context();
    expect(before.ledger).toHaveLength(6);
    expect(before.ledger[0]).toMatchObject({
      entry: ids[0],
      what: "kept",
      role: "user",
      words: "Question 1",
    });
    expect(before.tokens.system).toBeGreaterThan(0);
    const compacted = await place.call(`POST ${api}/compactions`, { body: { keepMessages: 2 } });
    expect([compacted.status, compacted.json()]).toMatchObject([201, { data: { strategy: "plain" } }]);
    const { items } = (await place.call(`GET ${api}/compactions`)).json<ListOf<CompactionView>>();
    expect(items).toMatchObject([
      { summarised: 4, undone: false, summary: expect.stringContaining("Question 1") },
    ]);
    expect((await context()).ledger[0]).toMatchObject({ what: "summarized", entry: items[0]?.id });
    expect((await place.call(`POST ${api}/compactions/${items[0]?.id}/undo`)).status).toBe(200);
    expect((await context()).ledger).toHaveLength(6);
    const nothing = await place.call(`POST ${api}/compactions`, { body: { keepMessages: 100 } });
    expect(nothing.status).toBe(409);
    const named = { body: { keepMessages: 2, summary: "They talked." } };
    expect((await place.call(`POST ${api}/compactions`, named)).json()).toMatchObject({
      data: { summary: "They talked." },
    });
  });
});

describe("messages without text in a context", () => {
  it("still have words, so that a link to them has a name", async () => {
    await using place = await openPlace();
    const conversation = await place.store.open("web:tools");
    await conversation.append([
      { role: "user", content: "```\nls\n```" },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "a b" }] },
    ]);
    const url = `/api/v1/conversations/${conversation.id}/context`;
    const { ledger } = (await place.call(`GET ${url}`)).json<ContextView>();
    expect(ledger.map(({ words }) => words)).toEqual(["ls", "Calls bash", "A tool's result"]);
  });
});

describe("what does not fit into a context", () => {
  it("is measured, so that it can be drawn", async () => {
    await using place = await openPlace();
    const conversation = await place.store.open("web:long");
    const long = "word ".repeat(2000);
    await conversation.append(
      ["user", "assistant", "user"].map((role) => ({ role: role as "user", content: long })),
    );
    const url = `/api/v1/conversations/${conversation.id}/context?maxTokens=8000`;
    const { tokens, ledger } = (await place.call(`GET ${url}`)).json<ContextView>();
    expect(ledger[0]).toMatchObject({ what: "dropped", role: "user" });
    expect(tokens.dropped).toBe(ledger[0]?.tokens);
    expect(tokens.dropped).toBe(tokens.kept / 2);
  });
});

describe("exports over HTTP", () => {
  it("are files", async () => {
    await using place = await openPlace();
    const { api } = await talk(place);
    const { headers, text } = await place.call(`GET ${api}/export?to=html`);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-disposition"]).toMatch(/^attachment; filename="web-a-[0-9a-f-]+\.html"$/);
    expect(text).toContain("Question 2");
    expect((await place.call(`GET ${api}/export?to=json`)).json()).toMatchObject({ info: { key: "web:a" } });
    expect((await place.call(`GET ${api}/export?to=pdf`)).status).toBe(400);
    expect((await place.call(`GET ${api}/export?to=markdown&branch=none`)).status).toBe(404);
  });
});
