import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { NO_LOG } from "../../src/gateway/log.ts";
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

const WHERE = [
  ["this thread", false],
  ["another thread", true],
] as const;

it.each(WHERE)("keeps the files of each agent current, in %s", async (_, thread) => {
  await using place = await openPlace({}, { config: CONFIG, thread });
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

it.each(WHERE)("writes what is missing when the gateway ends, in %s", async (_, thread) => {
  const place = await openPlace({}, { thread });
  await place.store.create({ key: "web:last" });
  await place[Symbol.asyncDispose]();
  expect(Object.keys(indexOf(place, "main"))).toEqual(["web:last"]);
});

it("notes that a file cannot be written by another thread, and tries again", async () => {
  const warn = vi.fn();
  await using place = await openPlace({}, { thread: true, log: { ...NO_LOG, warn } });
  const sessions = join(place.stateDir, "agents/main/sessions");
  await until(() => existsSync(sessions));
  rmSync(sessions, { recursive: true });
  writeFileSync(sessions, "in the way");
  await place.store.create({ key: "web:a" });
  await until(() => warn.mock.calls.length > 0);
  expect(warn.mock.calls[0]?.[0]).toMatchObject({ file: "sessions.json" });
  rmSync(sessions);
  await place.store.create({ key: "web:b" });
  await until(() => "web:b" in indexOf(place, "main"));
});
