import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { importConversations } from "./run.ts";

let folder: string;
let sources: string;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  sources = join(folder, "sources");
  path = join(folder, "store.db");
  mkdirSync(sources);
  for (const name of ["a", "b", "c", "d"]) {
    const says = (n: number): string =>
      piSays(`${name}${n}`, n === 1 ? null : `${name}${n - 1}`, `${name} ${n}`);
    writeFileSync(join(sources, `${name}.jsonl`), piHeader(name) + [1, 2, 3].map(says).join(""));
  }
});

/** SQLite refuses an entry, with an error that the store does not expect. */
function refuse(entry: string): void {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN NEW.id = '${entry}'
    BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
  database.close();
}

function allow(): void {
  const database = new DatabaseSync(path);
  database.exec("DROP TRIGGER refuse");
  database.close();
}

describe("a file whose entries the store cannot take", () => {
  it("is reported, leaves nothing behind, and does not stop the others", async () => {
    await (await openStore(`sqlite:${path}`)).close();
    refuse("b2");
    await using store = await openStore(`sqlite:${path}`);
    const report = await importConversations(store, [sources]);
    expect(report.skipped).toEqual([
      {
        source: join(sources, "b.jsonl"),
        line: null,
        offset: null,
        reason: expect.stringContaining("not this one"),
      },
    ]);
    expect(report.messages).toBe(9);
    expect((await store.list()).items.map(({ key }) => key).sort()).toEqual(["pi:a", "pi:c", "pi:d"]);
  });

  it("leaves an existing conversation as it was, and is read again when the cause is gone", async () => {
    {
      await using store = await openStore(`sqlite:${path}`);
      await importConversations(store, [sources]);
    }
    writeFileSync(
      join(sources, "b.jsonl"),
      `${piHeader("b")}${piSays("b4", "b3", "b 4")}${piSays("b5", "b4", "b 5")}`,
    );
    refuse("b5");
    await using store = await openStore(`sqlite:${path}`);
    const before = await (await store.get("pi:b"))?.info();
    expect(await importConversations(store, [sources])).toMatchObject({ skippedCount: 1, messages: 0 });
    expect(await (await store.get("pi:b"))?.info()).toEqual(before);
    allow();
    expect(await importConversations(store, [sources])).toMatchObject({ skippedCount: 0, messages: 2 });
  });

  it("of more than 4 MB keeps its first entries, and the next import adds exactly the rest", async () => {
    const count = 60;
    const says = (n: number): string =>
      piSays(`b${n}`, n === 1 ? null : `b${n - 1}`, `b ${n} ${"x".repeat(150_000)}`);
    const lines = Array.from({ length: count }, (_, n) => says(n + 1));
    writeFileSync(join(sources, "b.jsonl"), piHeader("b") + lines.join(""));
    await (await openStore(`sqlite:${path}`)).close();
    refuse(`b${count - 5}`);
    {
      await using store = await openStore(`sqlite:${path}`);
      const report = await importConversations(store, [sources]);
      expect(report.skipped.map(({ source, reason }) => [source, reason])).toEqual([
        [join(sources, "b.jsonl"), expect.stringMatching(/^imported only in part: .*not this one/)],
      ]);
      const kept = await idsOf(store);
      expect(kept.length).toBeGreaterThan(0);
      expect(kept).toEqual(lines.slice(0, kept.length).map((_, n) => `b${n + 1}`));
      expect((await store.list()).items).toHaveLength(4);
    }
    allow();
    await using store = await openStore(`sqlite:${path}`);
    await importConversations(store, [sources]);
    await using other = await openStore(`sqlite:${join(folder, "other.db")}`);
    await importConversations(other, [sources]);
    expect(await logOf(store)).toEqual(await logOf(other));
    expect(await idsOf(store)).toHaveLength(count);
    expect(await importConversations(store, [sources])).toMatchObject({ messages: 0, unchanged: 4 });
  });

  it("of more than 4 MB leaves nothing when the error is within its first 4 MB", async () => {
    const lines = Array.from({ length: 60 }, (_, n) =>
      piSays(`b${n + 1}`, n === 0 ? null : `b${n}`, `b ${n} ${"x".repeat(100_000)}`),
    );
    writeFileSync(join(sources, "b.jsonl"), piHeader("b") + lines.join(""));
    await (await openStore(`sqlite:${path}`)).close();
    refuse("b1");
    await using store = await openStore(`sqlite:${path}`);
    expect(await importConversations(store, [sources])).toMatchObject({ skippedCount: 1, messages: 9 });
    expect(await store.get("pi:b")).toBeUndefined();
  });
});

async function idsOf(store: Store): Promise<string[]> {
  const chat = await store.get("pi:b");
  return chat === undefined ? [] : (await Array.fromAsync(chat.messages())).map(({ id }) => id);
}

/** Everything, the long texts as hashes. */
async function logOf(store: Store): Promise<unknown> {
  const { id = "" } = (await (await store.get("pi:b"))?.info()) ?? {};
  return Array.fromAsync(store.ingest().log(id, 0), (entry) => [
    ...[entry.seq, entry.id, entry.parentId],
    sha256Hex(JSON.stringify(entry)),
  ]);
}
