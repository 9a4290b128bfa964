import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openStore } from "../../src/store/open.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { until } from "../support/until.ts";
import { openPlace, type Place } from "./place.ts";

function indexOf({ stateDir }: Place, agent: string): JsonObject {
  try {
    return JSON.parse(readFileSync(join(stateDir, `agents/${agent}/sessions/sessions.json`), "utf8"));
  } catch {
    return {};
  }
}

const CONFIG = { agents: { list: [{ id: "main", default: true }, { id: "ops" }] } };

it("keeps the session index and the models file of each agent current", async () => {
  await using place = await openPlace({}, { config: CONFIG });
  await place.store.create({ key: "web:a" });
  const { id } = await place.store.create({ key: "agent:ops:web:b" });
  await until(() => "agent:ops:web:b" in indexOf(place, "ops"));
  expect(Object.keys(indexOf(place, "ops"))).toEqual(["agent:ops:web:b"]);
  expect(Object.keys(indexOf(place, "main"))).toEqual(["web:a"]);
  for (const agent of ["main", "ops"]) {
    expect(readFileSync(join(place.stateDir, `agents/${agent}/models.json`), "utf8")).toContain("providers");
  }
  const before = (indexOf(place, "ops")["agent:ops:web:b"] as JsonObject).updatedAt as number;
  const body = { messages: [{ role: "user", content: "Hello" }] };
  await place.call(`POST /api/v1/conversations/${id}/messages`, { body });
  await until(() => ((indexOf(place, "ops")["agent:ops:web:b"] as JsonObject).updatedAt as number) > before);
  await place.call(`DELETE /api/v1/conversations/${id}`);
  await until(() => Object.keys(indexOf(place, "ops")).length === 0);
});

it("writes an index once for thousands of changes", async () => {
  await using store = await openStore("ephemeral:");
  const listings = vi.spyOn(store, "list");
  await using place = await openPlace({}, { store });
  const keys = Array.from({ length: 10_000 }, (_, n) => `web:${n}`);
  for (let at = 0; at < keys.length; at += 500) {
    await Promise.all(keys.slice(at, at + 500).map((key) => store.create({ key })));
  }
  await until(() => Object.keys(indexOf(place, "main")).length === keys.length);
  // Two for each sync: one of the trash. The first is that of the start.
  expect(listings.mock.calls.length).toBeLessThanOrEqual(8);
});

it("writes what is missing when the gateway ends", async () => {
  const place = await openPlace();
  await place.store.create({ key: "web:last" });
  await place[Symbol.asyncDispose]();
  expect(Object.keys(indexOf(place, "main"))).toEqual(["web:last"]);
});
