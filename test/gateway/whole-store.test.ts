import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { ListOf, MemoryItem, SearchResult } from "../../src/gateway/wire/rest.ts";
import { until } from "../support/until.ts";
import { openPlace, type Place } from "./place.ts";

const SCOPES = { web: { channels: ["web"] } };

describe("search over HTTP", () => {
  it("finds messages, for a scope only those in it", async () => {
    await using place = await openPlace(SCOPES);
    for (const key of ["web:a", "discord:dm:1"]) {
      await (await place.store.create({ key })).append({ role: "user", content: "The lighthouse of Lisbon" });
    }
    const find = async (as: string) =>
      (await place.call("GET /api/v1/search?q=lighthouse", { as })).json<SearchResult>();
    expect((await find("read")).items).toHaveLength(2);
    expect(await find("web")).toMatchObject({ items: [{ key: "web:a" }], indexed: true });
    expect((await place.call("GET /api/v1/search")).status).toBe(400);
  });
});

describe("memory over HTTP", () => {
  it("is listed, searched, added to and forgotten, by the owner only", async () => {
    await using place = await openPlace(SCOPES);
    const body = { text: "The harbour closes at nine", source: "note:port/gate" };
    const added = await place.call("POST /api/v1/memory", { body });
    expect(added.status).toBe(201);
    const [item] = added.json<ListOf<MemoryItem>>().items;
    expect((await place.call("GET /api/v1/memory")).json()).toEqual({ items: [item], cursor: null });
    expect((await place.call("GET /api/v1/memory/search?q=harbour")).json()).toMatchObject({
      items: [{ id: item?.id }],
    });
    expect((await place.call("GET /api/v1/memory/sources")).json()).toEqual({
      items: [{ source: "note:port/gate", kind: "note", chunks: 1 }],
      cursor: null,
    });
    for (const path of ["", "/search?q=a", "/sources"]) {
      expect((await place.call(`GET /api/v1/memory${path}`, { as: "web" })).status).toBe(403);
    }
    const forget = await place.call(`DELETE /api/v1/memory/${encodeURIComponent("note:port/gate")}`);
    expect(forget.json()).toMatchObject({ sources: ["note:port/gate"] });
    expect((await place.call("GET /api/v1/memory")).json()).toEqual({ items: [], cursor: null });
  });
});

describe("blobs over HTTP", () => {
  it("are stored by their hash, and shown only as pictures", async () => {
    await using place = await openPlace(SCOPES);
    const bytes = Buffer.from("<svg onload=alert(1)>");
    const stored = await place.call("POST /api/v1/blobs", { body: bytes });
    const hash = createHash("sha256").update(bytes).digest("hex");
    expect([stored.status, stored.json()]).toEqual([201, { hash, size: bytes.length }]);
    const get = (query: string, as = "read") => place.call(`GET /api/v1/blobs/${hash}${query}`, { as });
    expect((await get("?type=image/png")).headers["content-type"]).toBe("image/png");
    for (const type of ["", "?type=text/html", "?type=image/svg%2Bxml", "?type=application/xhtml%2Bxml"]) {
      const { headers, text } = await get(type);
      expect(text).toBe(String(bytes));
      expect([headers["content-type"], headers["content-disposition"]]).toEqual([
        "application/octet-stream",
        "attachment",
      ]);
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
    expect((await get("", "web")).status).toBe(403);
    expect((await place.call(`GET /api/v1/blobs/${"0".repeat(64)}`)).status).toBe(404);
    expect((await place.call("GET /api/v1/blobs/..%2f..%2fetc")).status).toBe(400);
  });
});

describe("changes over HTTP", () => {
  it("are events that continue after the last one that was seen", async () => {
    await using place = await openPlace(SCOPES);
    await using events = await listen(place, "read");
    const conversation = await place.store.create({ key: "web:a" });
    await conversation.append({ role: "user", content: "one" });
    await until(() => events.list.length === 3);
    expect(events.list.map(({ event }) => event)).toEqual(["ready", "created", "entry"]);
    expect(events.list[2]?.data).toMatchObject({ conversation: conversation.id, entry: { kind: "message" } });
    await using resumed = await listen(place, "read", { "last-event-id": events.list[1]?.id ?? "" });
    await until(() => resumed.list.length === 2);
    expect(resumed.list[1]).toEqual(events.list[2]);
    expect((await place.call("GET /api/v1/changes?since=nonsense")).status).toBe(400);
  });

  it("are those of a scope only", async () => {
    await using place = await openPlace(SCOPES);
    await using events = await listen(place, "web");
    await place.store.create({ key: "discord:dm:1" });
    const { id } = await place.store.create({ key: "web:a" });
    await until(() => events.list.length === 2);
    expect(events.list[1]?.data).toMatchObject({ conversation: id });
  });

  it("end when the token is revoked", async () => {
    await using place = await openPlace();
    await using events = await listen(place, "read");
    const { items } = (await place.call("GET /api/v1/tokens")).json<ListOf<{ id: string; name: string }>>();
    await place.call(`DELETE /api/v1/tokens/${items.find(({ name }) => name === "read")?.id}`);
    await events.ended;
  });
});

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

async function listen({ port, secrets }: Place, as: string, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/changes`, {
    headers: { authorization: `Bearer ${secrets.get(as)}`, ...headers },
    signal: stop.signal,
  });
  const list: Event[] = [];
  const ended = read(response, list).catch(() => {});
  return {
    list,
    ended,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

async function read(response: Response, list: Event[]): Promise<void> {
  let text = "";
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const fields = new Map(
        text
          .slice(0, end)
          .split("\n")
          .map((line) => line.split(/: (.*)/s) as [string, string]),
      );
      text = text.slice(end + 2);
      if (!fields.has("event")) continue;
      list.push({
        id: fields.get("id") ?? "",
        event: fields.get("event") ?? "",
        data: JSON.parse(fields.get("data") ?? "null"),
      });
    }
  }
}
