/** opencode writes an answer row by row, and changes the rows until it is complete. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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

  it("that another prompt follows is complete as it is", async () => {
    await using store = await openStore("ephemeral:");
    write("m2", "assistant", "Once up", Date.now());
    write("m3", "user", "Stop", Date.now() + 1);
    expect(await importConversations(store, [source])).toMatchObject({ messages: 3, pending: 0 });
  });
});
