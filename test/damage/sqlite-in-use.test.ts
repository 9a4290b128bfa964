/** A damaged store that is written to all the same. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type Message, openStore } from "../../src/index.ts";
import { PAGE_BYTES } from "../../src/sqlite/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

const says = (from: number, count: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({
    role: "user",
    content: `word ${from + index} ${"and more ".repeat(20)}`,
  }));

/** Two leaf pages of the table of entries, one with earlier entries than the other. */
async function filled(): Promise<{ path: string; cursor: string; pages: readonly [number, number] }> {
  const path = join(tempFolder(), "store.db");
  await using store = await openStore(`sqlite:${path}`);
  const chat = await store.open("cli:x");
  const feed = store.changes();
  const first = feed.next();
  await chat.append(says(0, 1));
  const cursor = (await first).value?.cursor as string;
  await feed.return();
  for (let at = 1; at < 400; at += 50) await chat.append(says(at, 50));
  await store.close();
  const database = new DatabaseSync(path, { readOnly: true });
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").get();
  database.close();
  const start = (Number(root?.rootpage) - 1) * PAGE_BYTES;
  const bytes = readFileSync(path);
  const child = (cell: number): number =>
    (bytes.readUInt32BE(start + bytes.readUInt16BE(start + 12 + 2 * cell)) - 1) * PAGE_BYTES;
  return { path, cursor, pages: [child(2), child(4)] };
}

function overwrite(path: string, page: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, page, page + PAGE_BYTES));
}

/** In another process: this one would lose its locks. */
function overwriteElsewhere(path: string, page: number): void {
  const script = `const fs = require("node:fs");
    fs.writeSync(fs.openSync(process.argv[1], "r+"), Buffer.alloc(${PAGE_BYTES}, 0xff), 0, ${PAGE_BYTES}, ${page});`;
  execFileSync(process.execPath, ["-e", script, path]);
}

async function textsOf(target: string, problems: string[]) {
  const store = await openStore(target, { onProblem: ({ message }) => problems.push(message) });
  const chat = await store.open("cli:x");
  const texts = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { message } of chat.messages({ limit: 500 })) found.push(String(message.content));
    return found.map((text) => text.split(" and ")[0] as string);
  };
  return { store, chat, texts };
}

describe("a damaged SQLite store in use", () => {
  it("shows what is written, without reading all of its pages again", async () => {
    const { path, pages } = await filled();
    overwrite(path, pages[0]);
    const problems: string[] = [];
    const { store, chat, texts } = await textsOf(`sqlite:${path}`, problems);
    await using _ = store;
    const before = await texts();
    expect(before.length).toBeLessThan(401);
    expect(before.length).toBeGreaterThan(300);
    // A second look at the pages would miss these.
    overwriteElsewhere(path, pages[1]);
    await chat.append(says(1000, 3));
    await chat.update({ title: "new" });
    expect(await texts()).toEqual([...before, "word 1000", "word 1001", "word 1002"]);
    expect((await chat.info()).title).toBe("new");
    expect(await chat.messages({ last: 2 })).toMatchObject({ items: [{}, {}] });
  });

  it("looks at its pages again when something was removed", async () => {
    const { path, pages } = await filled();
    overwrite(path, pages[0]);
    const { store, chat, texts } = await textsOf(`sqlite:${path}`, []);
    await using _ = store;
    const before = await texts();
    const { items } = await chat.messages({ last: 1 });
    await chat.redact(items[0]?.id as string);
    expect(await texts()).not.toEqual(before);
    expect(await texts()).not.toContain("word 400");
  });

  it("has a feed of everything that can be read, and of what follows", async () => {
    const { path, cursor, pages } = await filled();
    overwrite(path, pages[0]);
    const problems: string[] = [];
    const { store, chat, texts } = await textsOf(`sqlite:${path}`, problems);
    await using _ = store;
    const expected = (await texts()).slice(1);
    const seen: string[] = [];
    const abort = new AbortController();
    for await (const { entry } of store.changes({ since: cursor, signal: abort.signal })) {
      if (entry?.message !== undefined) seen.push(String(entry.message.content).split(" and ")[0] as string);
      if (seen.length === expected.length) await chat.append(says(1000, 1));
      if (seen.at(-1) === "word 1000") abort.abort();
    }
    expect(seen).toEqual([...expected, "word 1000"]);
    expect(problems[0]).toMatch(/damaged/);
  });
});
