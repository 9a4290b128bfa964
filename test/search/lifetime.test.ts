/** An index that is locked by another process, a store that is closed while it is searched, a folder that is gone. */
import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { found, Place, say } from "./kit.ts";

const GONE = { code: "SERVICE_UNAVAILABLE" };

describe("an index that another process keeps locked", () => {
  it("holds up no append, and answers as far as it is complete", async () => {
    const place = new Place("sqlite");
    await using store = await place.open();
    const chat = await store.open("cli:a");
    await chat.append(say("first one1"));
    await store.search("one1");
    using other = new DatabaseSync(place.index);
    other.exec("BEGIN IMMEDIATE");
    await chat.append(say("second two2"));
    const { hits, indexed } = await store.search("one1");
    expect([hits.map(({ entry }) => entry !== null), indexed]).toEqual([[true], false]);
    const receipt = await store.purge((await store.open("cli:b")).id, { force: true });
    expect(receipt.copies).toEqual([place.index]);
    other.exec("COMMIT");
    expect(await found(store, "two2")).toEqual(["second two2"]);
  });

  it("has no erased words once it can be changed", async () => {
    const place = new Place("jsonl");
    await using store = await place.open();
    const chat = await store.open("cli:a");
    const { entries } = await chat.append(say("first one1", "second two2"));
    await store.search("one1");
    using other = new DatabaseSync(place.index);
    other.exec("BEGIN IMMEDIATE");
    const { copies } = await chat.redact(entries[1]?.id ?? "");
    expect(copies).toEqual([place.index]);
    other.exec("COMMIT");
    expect(await found(store, "two2")).toEqual([]);
    expect(await found(store, "one1")).toEqual(["first one1"]);
    const words = other.prepare("SELECT term FROM vocabulary WHERE term = 'two2'").all();
    expect(words).toEqual([]);
  });
});

describe.each(["sqlite", "jsonl"] as const)("a %s store", (engine) => {
  it.each([{}, { worker: true }])("that is closed refuses to search (%o)", async (options) => {
    const place = new Place(engine);
    const store = await place.open(options);
    await (await store.open("cli:a")).append(say(...Array.from({ length: 300 }, (_, n) => `word${n}`)));
    const running = Promise.allSettled([store.search("word7"), store.rebuildSearch()]);
    await store.close();
    for (const one of await running) {
      if (one.status === "rejected") expect(one.reason).toMatchObject(GONE);
      else if (one.value !== undefined) expect(one.value.hits.length).toBeGreaterThan(0);
    }
    await expect(store.search("word7")).rejects.toMatchObject(GONE);
    await expect(store.rebuildSearch()).rejects.toMatchObject(GONE);
    await using again = await place.open();
    expect(await found(again, "word299")).toEqual(["word299"]);
  });

  it("that is only read leaves no index behind", async () => {
    const place = new Place(engine);
    await (async () => {
      await using store = await place.open();
      await (await store.open("cli:a")).append(say("word1"));
    })();
    await using reader = await place.open({ readonly: true });
    expect(await found(reader, "word1")).toEqual(["word1"]);
    expect(existsSync(place.index)).toBe(false);
  });
});

it("a search in a folder that was removed does not make it again", async () => {
  const place = new Place("jsonl");
  await using store = await place.open();
  await (await store.open("cli:a")).append(say("word1"));
  rmSync(place.folder, { recursive: true });
  await Promise.allSettled([store.search("word1")]);
  expect(existsSync(place.folder)).toBe(false);
});
