import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { legacyTwins } from "../../../test/support/samples/legacy-twins.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { importConversations } from "./run.ts";

async function keysOf(store: Store): Promise<Record<string, unknown>> {
  const { items } = await store.list();
  return Object.fromEntries(items.map(({ id, key, title }) => [title, key?.replace(id, "ID")]));
}

const SETTLED = { one: "cli:default~ID", two: "cli:default", three: "cli:default~ID" };

describe("conversations of one session key", () => {
  it("are imported like they are read in place: the one used last has the key", async () => {
    await using store = await openStore("ephemeral:");
    const folder = legacyTwins();
    const report = await importConversations(store, [folder]);
    expect(await keysOf(store)).toEqual(SETTLED);
    const told = report.imported.map(({ id, key, title, messages, flags }) => [
      title,
      key?.replace(id, "ID"),
      messages,
      flags,
    ]);
    expect(told.sort()).toEqual([
      ["one", "cli:default~ID", 1, { "twin-key": 1 }],
      ["three", "cli:default~ID", 1, { "twin-key": 1 }],
      ["two", "cli:default", 1, {}],
    ]);
    await importConversations(store, [folder], { again: true });
    expect(await keysOf(store)).toEqual(SETTLED);
  });

  it("have it also when the one used last is still being written while the other ends", async () => {
    const folder = tempFolder();
    const at = (day: number): string => new Date(Date.UTC(2025, 2, day)).toISOString();
    const line = (value: object): string => `${JSON.stringify(value)}\n`;
    const start = (title: string): string =>
      line({ _type: "metadata", created_at: at(1), key: "cli:default", title });
    const says = (day: number, content: string): string =>
      line({ role: "user", content, timestamp: at(day) });
    const parts = Array.from({ length: 60 }, (_, n) => says(n < 59 ? 2 : 20, `${n} `.repeat(16_000)));
    writeFileSync(join(folder, "a.jsonl"), start("long") + parts.join(""));
    writeFileSync(join(folder, "b.jsonl"), start("short") + says(10, "Short"));
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    await importConversations(store, [folder]);
    expect(await keysOf(store)).toEqual({ long: "cli:default", short: "cli:default~ID" });
  });

  it.each([
    ["one", "two", "three"],
    ["two", "three", "one"],
    ["three", "one", "two"],
  ])("have the same keys in whatever order they are imported: %s, %s, %s", async (...names) => {
    await using store = await openStore("ephemeral:");
    const folder = legacyTwins();
    for (const name of names) await importConversations(store, [join(folder, `${name}.jsonl`)]);
    expect(await keysOf(store)).toEqual(SETTLED);
  });

  it("leave the key with a conversation of the store that was used later", async () => {
    await using store = await openStore("ephemeral:");
    const mine = await store.open("cli:default", { title: "mine" });
    await mine.append({ role: "user", content: "Today" });
    await importConversations(store, [legacyTwins()]);
    expect(await keysOf(store)).toEqual({ ...SETTLED, two: "cli:default~ID", mine: "cli:default" });
  });

  it("keep their keys when another of them is used after the import", async () => {
    await using store = await openStore("ephemeral:");
    const folder = legacyTwins();
    await importConversations(store, [folder]);
    const one = (await store.list()).items.find(({ title }) => title === "one");
    await (await store.get(one?.id as string))?.append({ role: "user", content: "Now" });
    await importConversations(store, [folder], { again: true });
    expect(await keysOf(store)).toEqual(SETTLED);
  });
});

describe.each([
  ["control characters", "web:a\u0007b"],
  ["too many bytes", `web:${"a".repeat(600)}`],
  ["nothing after the agent", "agent:: x"],
])("a session key that cannot be one, because of %s", (_, key) => {
  it("is replaced by one that is made of the name of the file, and the report says so", async () => {
    const folder = join(tempFolder(), "sessions");
    mkdirSync(folder);
    const lines = [
      { _type: "metadata", key },
      { role: "user", content: "Hello", timestamp: "2025-03-02T08:00:00Z" },
    ];
    writeFileSync(join(folder, "one.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await using imported = await openStore("ephemeral:");
    const report = await importConversations(imported, [folder]);
    const made = expect.stringMatching(/^goclaw:one-/);
    expect(report.imported).toMatchObject([{ key: made, flags: { "bad-key": 1 } }]);
    await using place = await openStore(`jsonl:${folder}`);
    const [info] = (await place.list()).items;
    expect(info?.key).toBe("legacy:one");
    expect((await place.get("legacy:one"))?.id).toBe(info?.id);
  });
});
