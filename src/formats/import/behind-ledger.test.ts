import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import { Ingest } from "../../store/write/ingest.ts";
import type { ImportReport } from "./report.ts";
import { type ImportOptions, importConversations } from "./run.ts";

let folder: string;
let sources: string;
let target: string;

async function take(options: ImportOptions = {}): Promise<ImportReport> {
  await using store = await openStore(target);
  return await importConversations(store, [sources], options);
}

async function texts(): Promise<Record<string, readonly unknown[]>> {
  await using store = await openStore(target);
  const found: Record<string, readonly unknown[]> = {};
  for (const { id, key } of (await store.list()).items) {
    const { items } = (await (await store.get(id))?.messages({ limit: 100 })) ?? { items: [] };
    found[key ?? id] = items.map(({ message }) => message?.content);
  }
  return found;
}

/** Keep the files of the store, to be written over it in place, as `cp` and `rsync --inplace` do. The ledger stays. */
function keepCopy(): () => void {
  const place = join(folder, "store");
  const names = (): string[] =>
    readdirSync(place, { recursive: true, encoding: "utf8" }).filter(
      (name) => !name.includes("imports") && statSync(join(place, name)).isFile(),
    );
  const kept = new Map(names().map((name) => [name, readFileSync(join(place, name))]));
  return () => {
    for (const name of names()) if (!kept.has(name)) rmSync(join(place, name));
    for (const [name, bytes] of kept) writeFileSync(join(place, name), bytes);
  };
}

describe("an import of files that have not changed", () => {
  it("asks the store once for many conversations", async () => {
    folder = tempFolder();
    sources = join(folder, "sources");
    target = `sqlite:${join(folder, "store.db")}`;
    mkdirSync(sources);
    const line = (n: number): string =>
      `${JSON.stringify({ messages: [...Array(2)].map(() => ({ role: "user", content: `Question ${n}` })) })}\n`;
    writeFileSync(join(sources, "set.jsonl"), Array.from({ length: 1500 }, (_, n) => line(n)).join(""));
    expect(await take()).toMatchObject({ conversations: 1500 });
    const questions = (["logEnds", "logEnd", "find", "wasPurged", "locate", "log"] as const).map((name) =>
      vi.spyOn(Ingest.prototype, name),
    );
    expect(await take()).toMatchObject({ messages: 0, unchanged: 1 });
    expect(questions.map(({ mock }) => mock.calls.length)).toEqual([2, 0, 0, 0, 0, 0]);
    vi.restoreAllMocks();
  });
});

describe.each(["sqlite", "jsonl"])("a %s store that an earlier copy was put back over", (engine) => {
  beforeEach(() => {
    folder = tempFolder();
    sources = join(folder, "sources");
    mkdirSync(sources);
    mkdirSync(join(folder, "store"));
    target =
      engine === "sqlite" ? `sqlite:${join(folder, "store", "store.db")}` : `jsonl:${join(folder, "store")}`;
    writeFileSync(
      join(sources, "a.jsonl"),
      piHeader("a") + piSays("a1", null, "a one") + piSays("a2", "a1", "a two"),
    );
  });

  it("receives everything again, from files that have not changed and from files that have grown", async () => {
    await take();
    const putBack = keepCopy();
    appendFileSync(join(sources, "a.jsonl"), piSays("a3", "a2", "a three"));
    writeFileSync(join(sources, "b.jsonl"), piHeader("b") + piSays("b1", null, "b one"));
    writeFileSync(join(sources, "c.jsonl"), piHeader("c") + piSays("c1", null, "c one"));
    expect(await take()).toMatchObject({ messages: 3 });
    putBack();
    expect(await texts()).toEqual({ "pi:a": ["a one", "a two"] });
    appendFileSync(join(sources, "a.jsonl"), piSays("a4", "a3", "a four"));
    appendFileSync(join(sources, "b.jsonl"), piSays("b2", "b1", "b two"));
    expect(await take()).toMatchObject({ messages: 5, unresolved: 0 });
    const all = {
      "pi:a": ["a one", "a two", "a three", "a four"],
      "pi:b": ["b one", "b two"],
      "pi:c": ["c one"],
    };
    expect(await texts()).toEqual(all);
    expect(await take()).toMatchObject({ messages: 0, unchanged: 3 });
    expect(await texts()).toEqual(all);
  });

  it("receives everything again after its conversations were continued", async () => {
    await take();
    const putBack = keepCopy();
    appendFileSync(join(sources, "a.jsonl"), piSays("a3", "a2", "a three"));
    await take();
    putBack();
    {
      await using store = await openStore(target);
      await (await store.get("pi:a"))?.append([
        { role: "user", content: "mine" },
        { role: "user", content: "mine, too" },
      ]);
    }
    expect(await take()).toMatchObject({ messages: 1 });
    expect(await take()).toMatchObject({ messages: 0, unchanged: 1 });
  });

  it("is not confused by what the user removed, trashed or added", async () => {
    writeFileSync(join(sources, "b.jsonl"), piHeader("b") + piSays("b1", null, "b one"));
    writeFileSync(join(sources, "c.jsonl"), piHeader("c") + piSays("c1", null, "c one"));
    await take();
    {
      await using store = await openStore(target);
      await (await store.get("pi:a"))?.append({ role: "user", content: "mine" });
      await store.delete("pi:b");
      await store.purge((await store.get("pi:c"))?.id as string, { force: true });
    }
    // The purge has erased what the ledger knew of its file.
    expect(await take()).toMatchObject({ messages: 0, unchanged: 2 });
    expect(await take()).toMatchObject({ messages: 0, unchanged: 3 });
    expect(await texts()).toEqual({ "pi:a": ["a one", "a two", "mine"] });
  });
});
