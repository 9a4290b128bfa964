/** opencode writes an answer row by row, and changes the rows until it is complete. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeOriginals } from "../../src/formats/export/original/write-originals.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";

const HOUR_MS = 3_600_000;

let source: string;
let database: DatabaseSync;

beforeEach(() => {
  const folder = join(tempFolder(), "opencode");
  mkdirSync(folder);
  source = join(folder, "opencode.db");
  database = new DatabaseSync(source);
  database.exec(`
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT, title TEXT, version TEXT,
      time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
      time_updated INTEGER, data TEXT);
    INSERT INTO session VALUES ('s1', 'p', '/d', 'Talk', '1', 1, 1);`);
  write("m1", "user", "Tell me", 1, 1);
});

afterEach(() => database.close());

/** The session itself stays as it was when the prompt was written. */
function write(id: string, role: string, text: string, created: number, completed?: number): void {
  const data = JSON.stringify({ role, time: { created, ...(completed && { completed }) } });
  const row = [id, "s1", created, completed ?? created, data] as const;
  database.prepare("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)").run(...row);
  const part = JSON.stringify({ type: "text", text, time: { start: created } });
  database
    .prepare("INSERT OR REPLACE INTO part VALUES (?, ?, 's1', ?, ?, ?)")
    .run(`p-${id}`, id, created, created, part);
}

async function said(store: Store): Promise<unknown[]> {
  const chat = await store.get("opencode:s1");
  expect(await chat?.branches()).toHaveLength(1);
  const { items } = (await chat?.messages()) ?? { items: [] };
  return items.map(({ message }) => message.content);
}

async function keptRows(store: Store): Promise<unknown[]> {
  const id = (await store.get("opencode:s1"))?.id as string;
  const [written] = await writeOriginals(store, [id], tempFolder());
  const lines = readFileSync(written?.path as string, "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line).row.id);
}

function text(of: string): object[] {
  return [{ type: "text", text: of }];
}

describe("an answer of opencode", () => {
  it("that is being written waits, and is imported once it is complete", async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const now = Date.now();
    write("m2", "assistant", "Once up", now);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 1, pending: 1 });
    write("m2", "assistant", "Once upon", now);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 0, pending: 1 });
    write("m2", "assistant", "Once upon a time", now, now);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 1, pending: 0 });
    expect(await said(store)).toEqual([text("Tell me"), text("Once upon a time")]);
    expect(await importConversations(store, [source], { verify: true })).toMatchObject({ missing: [] });
  });

  it("that was never completed is imported after a while", async () => {
    await using store = await openStore("ephemeral:");
    write("m2", "assistant", "Once up", Date.now() - HOUR_MS);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 2, pending: 0 });
    expect(await said(store)).toEqual([text("Tell me"), text("Once up")]);
  });

  it("waits with the prompts that were queued while it is written", async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const now = Date.now();
    write("m2", "assistant", "Once up", now - 2);
    write("m3", "user", "And then?", now - 1, now - 1);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 1, pending: 1 });
    expect(await importConversations(store, [source], { verify: true })).toMatchObject({ missing: [] });
    write("m2", "assistant", "Once upon a time", now - 2, now);
    write("m4", "assistant", "They lived", now, now);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 3, pending: 0 });
    expect(await importConversations(store, [source])).toMatchObject({ messages: 0, pending: 0 });
    expect(await said(store)).toEqual(
      ["Tell me", "Once upon a time", "And then?", "They lived"].map((words) => text(words)),
    );
    expect(await importConversations(store, [source], { verify: true })).toMatchObject({ missing: [] });
    expect(await keptRows(store)).toEqual(["s1", "m1", "p-m1", "m2", "p-m2", "m3", "p-m3", "m4", "p-m4"]);
  });

  it("waits with what follows it in the table of newer versions", async () => {
    await using store = await openStore("ephemeral:");
    const now = Date.now();
    database.exec(`CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER,
      time_created INTEGER, time_updated INTEGER, data TEXT)`);
    const put = (id: string, seq: number, type: string, data: object): void => {
      const row = [id, "s1", type, seq, now + seq, now + seq, JSON.stringify(data)] as const;
      database.prepare("INSERT OR REPLACE INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)").run(...row);
    };
    put("m2", 1, "assistant", { content: [{ type: "text", text: "Once up" }], time: { created: now } });
    put("n1", 2, "agent-switched", { agent: "plan" });
    put("m3", 3, "user", { text: "And then?" });
    expect(await importConversations(store, [source])).toMatchObject({ messages: 1, pending: 1 });
    expect(await keptRows(store)).toEqual(["s1", "m1", "p-m1"]);
    const whole = {
      content: [{ type: "text", text: "Once upon a time" }],
      time: { created: now, completed: now },
    };
    put("m2", 1, "assistant", whole);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 2, pending: 0 });
    expect(await said(store)).toEqual(
      ["Tell me", "Once upon a time", "And then?"].map((words) => text(words)),
    );
    expect(await keptRows(store)).toEqual(["s1", "m1", "p-m1", "m2", "n1", "m3"]);
  });

  it("that was never completed keeps what follows waiting for a while only", async () => {
    await using store = await openStore("ephemeral:");
    write("m2", "assistant", "Once up", Date.now() - HOUR_MS);
    write("m3", "user", "And then?", Date.now(), Date.now());
    write("m4", "assistant", "They", Date.now());
    expect(await importConversations(store, [source])).toMatchObject({ messages: 3, pending: 1 });
    expect(await said(store)).toEqual([text("Tell me"), text("Once up"), text("And then?")]);
  });

  it("waits while a call runs for long, whose row is still changed", async () => {
    await using store = await openStore("ephemeral:");
    const begun = Date.now() - HOUR_MS;
    write("m2", "assistant", "I ask another", begun);
    const state = { status: "running", input: {}, time: { start: begun } };
    const call = JSON.stringify({ type: "tool", tool: "task", callID: "c1", state });
    const insert = database.prepare("INSERT INTO part VALUES ('q-m2', 'm2', 's1', ?, ?, ?)");
    insert.run(begun, Date.now(), call);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 1, pending: 1 });
  });

  it("with a time that is far in the future does not wait for it", async () => {
    await using store = await openStore("ephemeral:");
    write("m2", "assistant", "Once up", Date.now() + 24 * HOUR_MS);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 2, pending: 0 });
  });

  it("waits although one of its times is far in the future", async () => {
    await using store = await openStore("ephemeral:");
    write("m2", "assistant", "Once up", Date.now() + 24 * HOUR_MS);
    database.prepare("UPDATE part SET time_updated = ? WHERE id = 'p-m2'").run(Date.now());
    expect(await importConversations(store, [source])).toMatchObject({ messages: 1, pending: 1 });
  });
});

it("a session of opencode that gets another title has it, although the time of its row stays", async () => {
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  await importConversations(store, [source]);
  database.exec("UPDATE session SET title = 'A title by hand'");
  await importConversations(store, [source]);
  expect(await (await store.get("opencode:s1"))?.info()).toMatchObject({ title: "A title by hand" });
  expect(await importConversations(store, [source], { verify: true })).toMatchObject({ missing: [] });
});
