import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  type Recorded,
  RecordingSink,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { SourceDatabase } from "../../contract/reader.ts";
import { agentSqlite } from "./index.ts";

function database(sql: string): SourceDatabase {
  const file = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false });
  file.exec(sql);
  return {
    columns: (table) =>
      file
        .prepare(`SELECT name FROM pragma_table_info(?)`)
        .all(table)
        .map(({ name }) => String(name)),
    rows: (query, ...values) => file.prepare(query).iterate(...values) as Iterable<Record<string, unknown>>,
  };
}

const SCHEMA = readFileSync("test/fixtures/agent-sqlite/sessions-and-messages.sql", "utf8");

async function read(sql: string): Promise<RecordingSink> {
  const sink = new RecordingSink();
  for await (const _ of agentSqlite.database.read(database(sql), sink, surroundings("conversations.db")));
  return sink;
}

describe("a database of sessions and messages", () => {
  it("is known by its tables", () => {
    expect(agentSqlite.database.sniff(database(SCHEMA))).toBe(true);
    expect(
      agentSqlite.database.sniff(database("CREATE TABLE messages (id, session_id, role, content)")),
    ).toBe(false);
    expect(
      agentSqlite.database.sniff(database("CREATE TABLE sessions (id); CREATE TABLE messages (id, data)")),
    ).toBe(false);
  });

  it("reads each session, with its key if it has one", async () => {
    const sink = await read(SCHEMA);
    const [first, second, third] = sink.conversations as [Recorded, Recorded, Recorded];
    expect(first.start).toMatchObject({
      sourceId: "discord:dm:12345",
      key: "discord:dm:12345",
      createdAt: 1_767_225_600_000,
      channel: "discord",
    });
    expect(second.start.key).toBeUndefined();
    expect(second.start.createdAt).toBe(1_767_225_600_000);
    expect(first.entries.map(({ id }) => id)).toEqual(["1", "2", "4", "5", "6"]);
    expect(first.entries.map(({ message }) => message)).toEqual([
      { role: "user", content: "Is it open?" },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "call_a", name: "hours", input: { shop: "bakery" } },
          { type: "tool_use", id: "call_b", name: "map", input: {}, arguments: "broken {" },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_a", content: "until six" }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "call_b", content: [{ type: "text", text: "north" }] }],
      },
      { role: "assistant", content: "[1, 2] is no list of parts" },
    ]);
    expect(second.entries[0]?.message?.content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    ]);
    expect(third.entries[0]?.message?.content).toBe("Left behind");
    expect(sink.unresolvedReferences).toEqual(["session gone"]);
  });

  it("survives columns that are missing and values of any type", async () => {
    const sink = await read(
      `CREATE TABLE sessions (id, channel); CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content);
       INSERT INTO sessions VALUES ('a', NULL); INSERT INTO messages VALUES (1, 'a', NULL, x'6869'), (2, 'a', 'user', NULL), (3, 'a', 'tool', 5);`,
    );
    expect(sink.conversations[0]?.entries.map(({ message }) => message?.content)).toEqual([
      "hi",
      "",
      [{ type: "tool_result", tool_use_id: "unknown", content: "", paired: "order" }],
    ]);
    expect(sink.unknowns).toEqual(["role null"]);
  });
});
