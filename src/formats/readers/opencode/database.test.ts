import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { RecordingSink, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { SourceDatabase } from "../../contract/reader.ts";
import { opencode } from "./index.ts";

const open: DatabaseSync[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

const SCHEMA = `
  CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
    revert TEXT, model TEXT, cost REAL, time_created INTEGER, time_updated INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`;
const NEW_TABLE = `
  CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER,
    time_updated INTEGER, data TEXT);`;

class Fixture {
  readonly database: DatabaseSync = new DatabaseSync(":memory:");

  constructor(schema: string) {
    open.push(this.database);
    this.database.exec(schema);
  }

  #insert(table: string, row: Record<string, string | number | null>): void {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`;
    this.database.prepare(sql).run(...Object.values(row));
  }

  rows(table: string): object[] {
    return this.database
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map((row) => ({ ...row }));
  }

  session(id: string, row: Record<string, string | number | null> = {}): void {
    this.#insert("session", {
      id,
      project_id: "p",
      directory: "/d",
      title: id,
      time_created: 1750000000000,
      time_updated: 5,
      ...row,
    });
  }

  message(id: string, session: string, at: number, data: JsonObject): void {
    this.#insert("message", {
      id,
      session_id: session,
      time_created: at,
      time_updated: at,
      data: JSON.stringify(data),
    });
  }

  part(id: string, message: string, session: string, data: JsonObject | string): void {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    this.#insert("part", {
      id,
      message_id: message,
      session_id: session,
      time_created: 1,
      time_updated: 1,
      data: text,
    });
  }

  newMessage(id: string, session: string, seq: number, type: string, data: JsonObject, at = seq): void {
    this.#insert("session_message", {
      id,
      session_id: session,
      type,
      seq,
      time_created: at,
      time_updated: at,
      data: JSON.stringify(data),
    });
  }

  get source(): SourceDatabase {
    return {
      columns: (table) =>
        this.database
          .prepare("SELECT name FROM pragma_table_info(?)")
          .all(table)
          .map(({ name }) => String(name)),
      rows: (sql, ...values) => this.database.prepare(sql).iterate(...values),
    };
  }
}

function read(fixture: Fixture, sink: RecordingSink = new RecordingSink()): RecordingSink {
  for (const _ of opencode.database.read(
    fixture.source,
    sink,
    surroundings("opencode.db"),
  ) as Generator<void>);
  return sink;
}

function twoSessions(): Fixture {
  const fixture = new Fixture(SCHEMA);
  fixture.session("ses_1", { revert: JSON.stringify({ messageID: "msg_3" }), time_updated: 77 });
  fixture.session("ses_2", { parent_id: "ses_1", time_created: 1750000000500 });
  // Written out of order: the rows' own times decide.
  fixture.message("msg_3", "ses_1", 30, { role: "user", time: { created: 30 } });
  fixture.message("msg_1", "ses_1", 10, { role: "user", time: { created: 1750000000010 } });
  fixture.message("msg_2", "ses_1", 20, {
    role: "assistant",
    parentID: "msg_1",
    modelID: "m",
    time: { created: 20, completed: 21 },
  });
  fixture.part("prt_1b", "msg_1", "ses_1", { type: "text", text: "second" });
  fixture.part("prt_1a", "msg_1", "ses_1", { type: "text", text: "first" });
  const state = {
    status: "completed",
    input: { subagent_type: "explore" },
    output: "done",
    metadata: { sessionId: "ses_2" },
  };
  fixture.part("prt_2a", "msg_2", "ses_1", { type: "tool", tool: "task", callID: "toolu_7", state });
  fixture.part("prt_3a", "msg_3", "ses_1", { type: "text", text: "undone" });
  fixture.message("msg_9", "ses_2", 40, { role: "user", time: { created: 40 } });
  fixture.part("prt_9", "msg_9", "ses_2", "{torn");
  return fixture;
}

test("Sessions, messages and parts are read from their tables", () => {
  const sink = read(twoSessions());
  expect(sink.conversations.map(({ start }) => start.sourceId)).toEqual(["ses_1", "ses_2"]);
  expect(sink.lines()).toEqual([
    "user: first second",
    "assistant: [tool_use]",
    "user: [tool_result]",
    "user: undone",
  ]);
  expect(sink.conversations[0]?.entries.map(({ parent }) => parent)).toEqual([
    null,
    "msg_1",
    "msg_2",
    "msg_2/results",
  ]);
  expect(sink.conversations[0]?.entries[0]?.at).toBe(1750000000010);
  expect(sink.conversations[0]?.leaf).toBe("msg_2/results");
  expect(sink.conversations[0]?.start).toMatchObject({
    title: "ses_1",
    createdAt: 1750000000000,
    about: { directory: "/d" },
  });
});

test("A sub-agent's session knows the call that started it", () => {
  const sink = read(twoSessions());
  expect(sink.conversations[1]?.start.parent).toEqual({
    sourceId: "ses_1",
    toolUse: "toolu_7",
    agent: "explore",
  });
});

test("A session that has not changed since the last import is not read again", () => {
  const [before = ""] = read(twoSessions()).versions;
  const sink = new RecordingSink();
  sink.current.add(before);
  read(twoSessions(), sink);
  expect(sink.conversations.map(({ start }) => start.sourceId)).toEqual(["ses_2"]);
});

test("A row whose JSON is damaged is skipped with its text, and its message is kept", () => {
  const sink = read(twoSessions());
  expect(sink.skipped).toEqual([{ line: null, reason: "the data of prt_9 is not a JSON object" }]);
  expect(sink.conversations[1]?.entries.map(({ id }) => id)).toEqual(["msg_9"]);
});

test("The columns of a session are kept as its record", () => {
  const [session] = read(twoSessions()).conversations;
  expect(session?.notes[0]?.value).toEqual({
    id: "ses_1",
    projectID: "p",
    directory: "/d",
    title: "ses_1",
    time: { created: 1750000000000, updated: 77 },
    revert: { messageID: "msg_3" },
  });
});

test("Messages of the newer table are read by their number", () => {
  const fixture = new Fixture(SCHEMA + NEW_TABLE);
  fixture.session("ses_n", { model: JSON.stringify({ id: "claude-sonnet-4-5", providerID: "anthropic" }) });
  const created = 1750000000000;
  const at = { time: { created } };
  fixture.newMessage("msg_b", "ses_n", 2, "assistant", {
    agent: "build",
    model: { id: "claude-sonnet-4-5", providerID: "anthropic" },
    content: [
      { type: "reasoning", id: "r1", text: "Hm." },
      { type: "text", id: "t1", text: "Looking." },
      {
        type: "tool",
        id: "call_1",
        name: "bash",
        state: {
          status: "completed",
          input: { command: "ls" },
          content: [{ type: "text", text: "bed.txt" }],
          structured: { exit: 2 },
        },
      },
      {
        type: "tool",
        id: "call_2",
        name: "edit",
        state: { status: "error", input: {}, content: [], error: { type: "unknown", message: "No file" } },
      },
      { type: "tool", id: "call_3", name: "edit", state: { status: "pending", input: '{"half' } },
    ],
    finish: "stop",
    tokens: { input: 1, output: 2, reasoning: 0, cache: { read: 0, write: 0 } },
    time: { created, completed: created + 1 },
  });
  fixture.newMessage("msg_a", "ses_n", 1, "user", {
    text: "Look",
    files: [{ mime: "image/png", uri: "data:image/png;base64,aGk=" }],
    ...at,
  });
  fixture.newMessage("msg_c", "ses_n", 3, "synthetic", { text: "A comment", ...at });
  fixture.newMessage("msg_d", "ses_n", 4, "system", { text: "The date changed", ...at });
  fixture.newMessage("msg_e", "ses_n", 5, "shell", { command: "ls", output: "bed.txt", callID: "c", ...at });
  fixture.newMessage("msg_f", "ses_n", 6, "agent-switched", { agent: "plan", ...at });
  fixture.newMessage("msg_g", "ses_n", 7, "model-switched", {
    model: { id: "o3", providerID: "openai" },
    ...at,
  });
  fixture.newMessage("msg_h", "ses_n", 8, "compaction", {
    reason: "manual",
    summary: "We looked.",
    recent: "",
    ...at,
  });
  fixture.newMessage("msg_i", "ses_n", 9, "dream", { ...at });
  const sink = read(fixture);
  const [session] = sink.conversations;
  expect(session?.entries.map(({ id, kind, message }) => `${kind ?? message?.role} ${id}`)).toEqual([
    "user msg_a",
    "assistant msg_b",
    "user msg_b/results",
    "user msg_c",
    "system msg_d",
    "user msg_e",
    "info msg_g",
    "compaction msg_h",
  ]);
  expect(session?.start.model).toBe("claude-sonnet-4-5");
  expect(session?.entries[0]?.message?.content).toMatchObject([{ text: "Look" }, { type: "image" }]);
  expect(session?.entries[1]).toMatchObject({
    flags: ["cut-off"],
    message: { model: "claude-sonnet-4-5", stopReason: "stop" },
  });
  expect(session?.entries[1]?.message?.content).toEqual([
    { type: "thinking", thinking: "Hm." },
    { type: "text", text: "Looking." },
    { type: "tool_use", id: "call_1", name: "bash", input: { command: "ls" } },
    { type: "tool_use", id: "call_2", name: "edit", input: {} },
    { type: "tool_use", id: "call_3", name: "edit", input: {}, arguments: '{"half' },
  ]);
  expect(session?.entries[2]?.message?.content).toEqual([
    { type: "tool_result", tool_use_id: "call_1", content: "bed.txt", is_error: true },
    { type: "tool_result", tool_use_id: "call_2", content: "No file", is_error: true },
  ]);
  expect(session?.entries[3]?.message?.extra).toEqual({ opencode: { type: "synthetic" } });
  expect(session?.entries[6]?.data).toEqual({ type: "model", model: "o3", provider: "openai" });
  expect(session?.entries[7]?.data).toEqual({
    summary: "We looked.",
    strategy: "opencode",
    first_kept: null,
    trigger: "manual",
  });
  expect(sink.unknowns).toEqual(["message dream"]);
  expect(session?.notes.map(({ value }) => (value as JsonObject).id)).toEqual(["ses_n", "msg_f", "msg_i"]);
});

test("Where both tables have a message it is read once, and what only the newer one has follows", () => {
  const fixture = new Fixture(SCHEMA + NEW_TABLE);
  fixture.session("ses_1");
  fixture.message("msg_1", "ses_1", 10, { role: "user", time: { created: 10 } });
  fixture.part("prt_1", "msg_1", "ses_1", { type: "text", text: "once" });
  fixture.newMessage("msg_1", "ses_1", 1, "user", { text: "once" }, 10);
  fixture.newMessage("msg_2", "ses_1", 2, "user", { text: "later" }, 20);
  expect(read(fixture).lines()).toEqual(["user: once", "user: later"]);
});

test("The writer can catch up while a long session is read", () => {
  const fixture = new Fixture(SCHEMA);
  fixture.session("ses_1");
  for (let index = 0; index < 200; index++) {
    fixture.message(`msg_${String(index).padStart(3, "0")}`, "ses_1", index, {
      role: "user",
      time: { created: index },
    });
  }
  const steps = opencode.database.read(fixture.source, new RecordingSink(), surroundings("opencode.db"));
  expect([...(steps as Generator<void>)].length).toBeGreaterThan(3);
});

test("Other databases are left to others", () => {
  expect(opencode.database.sniff(twoSessions().source)).toBe(true);
  expect(opencode.database.sniff(new Fixture("CREATE TABLE session (id TEXT, cwd TEXT)").source)).toBe(false);
  expect(opencode.database.sniff(new Fixture("CREATE TABLE message (id, session_id, data)").source)).toBe(
    false,
  );
  expect(opencode.database.sniff(new Fixture("CREATE TABLE session (id, directory)").source)).toBe(false);
});

test("every column of a row is in the original", () => {
  const fixture = new Fixture(`${SCHEMA}${NEW_TABLE}
    ALTER TABLE part ADD COLUMN mood TEXT DEFAULT 'calm';`);
  fixture.session("ses_1");
  fixture.message("msg_1", "ses_1", 10, { role: "user", time: { created: 7 } });
  fixture.part("prt_1", "msg_1", "ses_1", { type: "text", text: "first" });
  fixture.newMessage("msg_2", "ses_1", 3, "user", { text: "second" }, 20);
  const entries = read(fixture).conversations[0]?.entries ?? [];
  const rows = entries.flatMap(({ records }) => records.map(({ row }) => row));
  const all = (table: string) => fixture.rows(table).map((row) => ({ table, row }));
  expect(rows).toEqual([...all("message"), ...all("part"), ...all("session_message")]);
  expect(rows).toContainEqual({
    table: "part",
    row: expect.objectContaining({ mood: "calm", time_updated: 1 }),
  });
});
