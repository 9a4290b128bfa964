import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { forgetSources } from "./forget.ts";
import { type ImportOptions, importConversations } from "./run.ts";

/** A session as pi writes it: the simplest tree of lines. */
function header(id: string): string {
  return line({ type: "session", version: 3, id, timestamp: "2026-01-01T10:00:00.000Z", cwd: "/work" });
}

function said(id: string, parentId: string | null, role: "user" | "assistant", text: string): string {
  const content = [{ type: "text", text }];
  const message = role === "user" ? { role, content } : { role, content, model: "m-1", stopReason: "stop" };
  return line({ type: "message", id, parentId, timestamp: "2026-01-01T10:00:01.000Z", message });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

const TALK = [
  header("s1"),
  said("a1", null, "user", "What is a lock?"),
  said("a2", "a1", "assistant", "Something that keeps others out."),
  said("a3", "a2", "user", "And a lease?"),
].join("");

let folder: string;
let sources: string;
let target: string;

beforeEach(() => {
  folder = tempFolder();
  sources = join(folder, "sources");
  target = `sqlite:${join(folder, "store.db")}`;
  mkdirSync(sources);
});

async function importOnce(options: ImportOptions = {}, at = target) {
  await using store = await openStore(at);
  return await importConversations(store, [sources], options);
}

/** Role and text of all messages of a conversation, on all branches. */
async function texts(store: Store, key: string): Promise<string[]> {
  const conversation = await store.get(key);
  const page = await conversation?.entries({ all: true, limit: 1000 } as never);
  return (page?.items ?? []).flatMap(({ message }) => {
    if (message === undefined) return [];
    const [block] = message.content as readonly { readonly text?: string }[];
    return [typeof message.content === "string" ? message.content : String(block?.text)];
  });
}

function write(name: string, text: string | Buffer): string {
  const path = join(sources, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe.each(["sqlite", "jsonl"])("importing into %s", (engine) => {
  beforeEach(() => {
    target = `${engine}:${join(folder, "store")}`;
  });

  it("takes in a conversation with its times, its model and the place of its record", async () => {
    write("a.jsonl", TALK);
    const report = await importOnce();
    expect(report).toMatchObject({
      conversations: 1,
      messages: 3,
      branches: 0,
      skippedCount: 0,
      unresolved: 0,
    });
    await using store = await openStore(target);
    const conversation = await store.get("pi:s1");
    expect(await conversation?.info()).toMatchObject({
      title: "What is a lock?",
      channel: "pi",
      messageCount: 3,
      lastMessageAt: "2026-01-01T10:00:01.000Z",
    });
    const { items } = (await conversation?.messages()) ?? { items: [] };
    expect(items.map(({ id }) => id)).toEqual(["a1", "a2", "a3"]);
    const lines = TALK.split("\n").map((line) => line.length + 1);
    const at = [[(lines[0] as number) + (lines[1] as number), lines[2]]];
    expect(items[1]?.message).toMatchObject({ model: "m-1", provenance: { import: "pi", original: 1, at } });
  });

  it("adds nothing when it is run again, with or without its ledger", async () => {
    write("a.jsonl", TALK);
    await importOnce();
    expect(await importOnce()).toMatchObject({ messages: 0, unchanged: 1, files: 0 });
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (/imports/.test(name)) rmSync(join(folder, name), { force: true });
    }
    expect(await importOnce()).toMatchObject({ messages: 0, unchanged: 0, files: 1 });
    await using store = await openStore(target);
    expect(await texts(store, "pi:s1")).toHaveLength(3);
  });

  it("continues where it stopped in a growing file", async () => {
    const path = write("a.jsonl", TALK);
    await importOnce();
    appendFileSync(path, said("a4", "a3", "assistant", "A lock that ends by itself."));
    expect(await importOnce()).toMatchObject({ messages: 1, files: 1 });
    await using store = await openStore(target);
    expect(await texts(store, "pi:s1")).toEqual([
      "What is a lock?",
      "Something that keeps others out.",
      "And a lease?",
      "A lock that ends by itself.",
    ]);
    expect((await (await store.get("pi:s1"))?.branches())?.length).toBe(1);
  });

  it("keeps its title and branch when a new entry names a missing parent", async () => {
    const path = write("a.jsonl", TALK);
    await importOnce();
    appendFileSync(path, said("a4", "nowhere", "user", "Something else"));
    expect(await importOnce()).toMatchObject({ messages: 1, branches: 0 });
    await using store = await openStore(target);
    expect(await (await store.get("pi:s1"))?.info()).toMatchObject({
      title: "What is a lock?",
      branchCount: 1,
    });
  });

  it("leaves an incomplete last line for later and reports no problem", async () => {
    const whole = said("a4", "a3", "assistant", "Later.");
    const path = write("a.jsonl", TALK + whole.slice(0, 30));
    expect(await importOnce()).toMatchObject({ messages: 3, skippedCount: 0, pending: 1 });
    appendFileSync(path, whole.slice(30));
    expect(await importOnce()).toMatchObject({ messages: 1, pending: 0 });
  });

  it("doubles nothing when a file is rewritten, renamed, compressed or copied", async () => {
    const path = write("a.jsonl", TALK);
    await importOnce();
    writeFileSync(path, `${TALK}${said("a4", "a3", "assistant", "More.")}`);
    expect(await importOnce()).toMatchObject({ messages: 1 });
    renameSync(path, join(sources, "b.jsonl"));
    expect(await importOnce()).toMatchObject({ messages: 0 });
    write("c.jsonl.zst", zstdCompressSync(readFileSync(join(sources, "b.jsonl"))));
    expect(await importOnce()).toMatchObject({ messages: 0 });
    await using store = await openStore(target);
    expect(await texts(store, "pi:s1")).toHaveLength(4);
  });

  it("makes a branch of a fork in a file, and of one in another file", async () => {
    write("a.jsonl", TALK + said("b3", "a2", "user", "And a key?"));
    write("fork.jsonl", TALK.replace('"s1"', '"s2"') + said("c4", "a3", "assistant", "Another answer."));
    const report = await importOnce();
    expect(report).toMatchObject({ conversations: 1, messages: 5, branches: 1 });
    await using store = await openStore(target);
    const branches = (await (await store.get("pi:s1"))?.branches()) ?? [];
    expect(branches.map(({ entryCount }) => entryCount)).toHaveLength(2);
    expect(report.imported[0]).toMatchObject({ branches: 2, leaves: 2 });
  });

  it("keeps what has no parent, what follows itself, and what has a double name, with flags", async () => {
    write(
      "a.jsonl",
      TALK +
        said("x1", "nowhere", "user", "Whose child am I?") +
        said("x2", "x2", "user", "I follow myself.") +
        said("a1", null, "user", "I have a name that is taken."),
    );
    const report = await importOnce();
    expect(report.messages).toBe(6);
    expect(report.imported[0]?.flags).toMatchObject({ "missing-parent": 2, "duplicate-id": 1 });
    expect(report.unresolved).toBe(2);
    expect(await importOnce({ again: true })).toMatchObject({ messages: 0 });
    await using store = await openStore(target);
    expect(await texts(store, "pi:s1")).toContain("I have a name that is taken.");
    expect((await store.verify()).ok).toBe(true);
  });

  it("keeps lines that are not records and reports their position", async () => {
    const [first, ...rest] = TALK.split("\n");
    write("a.jsonl", [first, "{broken", rest[0], `${rest[1]}${rest[2]}`, ""].join("\n"));
    const report = await importOnce();
    expect(report.messages).toBe(3);
    expect(report.skipped).toMatchObject([{ line: 2, offset: (first?.length ?? 0) + 1 }]);
    expect(await importOnce()).toMatchObject({ skippedCount: 1, messages: 0 });
  });

  it("leaves conversations alone that the user deleted, purged or forgot", async () => {
    write("a.jsonl", TALK);
    write("b.jsonl", TALK.replaceAll(/"a(\d)"/g, '"b$1"').replace('"s1"', '"s2"'));
    await importOnce();
    await using store = await openStore(target);
    await store.delete("pi:s1");
    appendFileSync(join(sources, "a.jsonl"), said("a4", "a3", "assistant", "Unwanted."));
    expect((await importConversations(store, [sources])).imported[0]?.flags).toEqual({ "in-trash": 1 });
    const [trashed] = (await store.list({ trash: true })).items;
    await store.purge(trashed?.id as string);
    appendFileSync(join(sources, "a.jsonl"), said("a5", "a4", "user", "Still unwanted."));
    expect((await importConversations(store, [sources])).imported[0]?.flags).toEqual({ purged: 1 });
    expect(await forgetSources(store, [join(sources, "b.jsonl")])).toMatchObject({ files: 1, shared: [] });
    expect(await store.get("pi:s2")).toBeUndefined();
    appendFileSync(join(sources, "b.jsonl"), said("b9", "b3", "assistant", "Forgotten."));
    expect(await importConversations(store, [sources])).toMatchObject({ messages: 0 });
    expect(await importConversations(store, [sources], { again: true })).toMatchObject({ messages: 6 });
  });

  it("reports in a dry run what it would do, and writes nothing", async () => {
    write("a.jsonl", TALK + said("b3", "a2", "user", "And a key?"));
    expect(await importOnce({ dryRun: true })).toMatchObject({
      dryRun: true,
      conversations: 1,
      messages: 4,
      branches: 1,
    });
    await using store = await openStore(target);
    expect((await store.list()).items).toEqual([]);
    expect(existsSync(`${join(folder, "store")}-imports`)).toBe(false);
  });

  it("verifies that nothing is missing, and finds missing entries", async () => {
    const path = write("a.jsonl", TALK);
    await importOnce();
    expect(await importOnce({ verify: true })).toMatchObject({
      missingCount: 0,
      messages: 0,
      conversations: 1,
    });
    appendFileSync(path, said("a4", "a3", "assistant", "Not yet imported."));
    const report = await importOnce({ verify: true });
    expect(report.missing).toMatchObject([
      { source: path, offset: TALK.length, reason: expect.stringMatching(/bytes of the original/) },
      { source: path, line: 5 },
    ]);
  });

  it("keeps a title that the user gave", async () => {
    const path = write("a.jsonl", TALK);
    await importOnce();
    await using store = await openStore(target);
    await (await store.get("pi:s1"))?.update({ title: "Mine" });
    appendFileSync(
      path,
      line({
        type: "session_info",
        id: "n1",
        parentId: "a3",
        timestamp: "2026-01-01T10:00:02.000Z",
        name: "Theirs",
      }),
    );
    await importConversations(store, [sources]);
    expect(await (await store.get("pi:s1"))?.info()).toMatchObject({ title: "Mine" });
  });

  it("never changes a source", async () => {
    const path = write("a.jsonl", `${TALK}{torn`);
    const before = [readFileSync(path, "utf8"), statSync(path).mtimeMs];
    await importOnce();
    expect([readFileSync(path, "utf8"), statSync(path).mtimeMs]).toEqual(before);
    expect(readdirSync(sources)).toEqual(["a.jsonl"]);
  });
});

describe("importing", () => {
  it("stops on abort, and the next run continues", async () => {
    for (let file = 0; file < 40; file++)
      write(`f${file}.jsonl`, TALK.replace('"s1"', `"s${file}"`).replaceAll(/"a(\d)"/g, `"${file}a$1"`));
    const controller = new AbortController();
    const told: number[] = [];
    const report = await importOnce({
      signal: controller.signal,
      onProgress: ({ files, messages }) => {
        told.push(messages);
        if (files > 5) controller.abort();
      },
    });
    expect(told.some((messages) => messages > 0)).toBe(true);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(report.interrupted).toBe(true);
    expect(report.messages).toBeLessThan(120);
    const rest = await importOnce();
    expect(rest.messages + report.messages).toBe(120);
  });

  it("refuses a second import into the same store at the same time", async () => {
    write("a.jsonl", TALK);
    await using store = await openStore(target);
    const first = importConversations(store, [sources]);
    await expect(importConversations(store, [sources])).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    await first;
  });

  it("ignores files of other programs and says how many there were", async () => {
    write("photo.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]));
    write("notes.txt", "Buy milk.\n");
    write("package.json", '{ "name": "x", "version": "1.0.0" }');
    write("empty.jsonl", "");
    expect(await importOnce()).toMatchObject({ conversations: 0, ignored: 3, skippedCount: 0 });
  });

  it("opens a database of another program once", async () => {
    const path = join(sources, "photos.sqlite");
    new DatabaseSync(path).exec("CREATE TABLE photos (id TEXT)");
    utimesSync(path, 1e9, 1e9);
    expect(await importOnce()).toMatchObject({ conversations: 0, ignored: 1 });
    // It seems to be unchanged, and would be imported if it were opened.
    writeFileSync(path, TALK.padEnd(statSync(path).size, "\n"));
    utimesSync(path, 1e9, 1e9);
    expect(await importOnce()).toMatchObject({ conversations: 0, ignored: 1 });
  });

  it("opens a database again whose conversations may be in its log", async () => {
    using database = new DatabaseSync(join(folder, "agent.sqlite"));
    const put = (end: string): void =>
      copyFileSync(join(folder, `agent.sqlite${end}`), join(sources, `agent.sqlite${end}`));
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE sessions (id TEXT, channel TEXT)");
    put("");
    put("-wal");
    expect(await importOnce()).toMatchObject({ ignored: 1 });
    database.exec("CREATE TABLE messages (id INTEGER, session_id TEXT, role TEXT, content TEXT)");
    database.exec("INSERT INTO messages VALUES (1, 's1', 'user', 'Hello')");
    put("-wal");
    expect(await importOnce()).toMatchObject({ conversations: 1, messages: 1, ignored: 0 });
  });

  it("reads a ledger that is damaged as none and sets it aside", async () => {
    write("a.jsonl", TALK);
    await importOnce();
    writeFileSync(`${join(folder, "store.db")}-imports`, "this is no database at all, is it?");
    expect(await importOnce()).toMatchObject({ messages: 0, files: 1 });
    expect(readdirSync(folder).some((name) => name.includes("imports.damaged-"))).toBe(true);
  });
});
