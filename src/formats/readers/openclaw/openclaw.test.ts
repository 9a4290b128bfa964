import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  RecordingSink,
  readFile,
  recordsIn,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { SourceDatabase, SourceEntry } from "../../contract/reader.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { openclaw } from "./index.ts";
import { openclawKeys } from "./keys.ts";
import { isOpenclawPath } from "./place.ts";

const FOLDER = "test/fixtures/openclaw/agents/main/sessions";
const FERNS = "7d0c2a8e-1111-4000-8000-000000000001";
const TOPIC = "7d0c2a8e-1111-4000-8000-000000000002";
const RESET = "7d0c2a8e-1111-4000-8000-000000000003";
const MOSS = "7d0c2a8e-1111-4000-8000-000000000004";
const DATABASE = "home/.openclaw/agents/main/agent/openclaw-agent.sqlite";
const fixture = (name: string): string => readFileSync(`${FOLDER}/${name}`, "utf8");
const index: JsonObject = JSON.parse(fixture("sessions.json"));

function read(name: string, folder = FOLDER): RecordingSink {
  return readFile(openclaw.lines, fixture(name), `${folder}/${name}`);
}

describe("an OpenClaw transcript", () => {
  const sink = read(`${FERNS}.jsonl`);
  const entries = sink.conversations[0]?.entries ?? [];

  it("is distinguished from a pi session by its path", () => {
    const sniffed = recordsIn(fixture(`${FERNS}.jsonl`));
    expect(openclaw.lines.sniff(sniffed, "session.jsonl")).toBe(false);
    expect(openclaw.lines.sniff(sniffed, `${FOLDER}/${FERNS}.jsonl`)).toBe(true);
    expect(openclaw.lines.sniff([{ type: "user" }], `${FOLDER}/${FERNS}.jsonl`)).toBe(false);
  });

  it.each([
    ["/home/ada/.openclaw/agents/main/sessions/a.jsonl", true],
    ["C:\\Users\\ada\\.openclaw\\agents\\main\\sessions\\a.jsonl", true],
    ["agents/main/sessions/cold/abc.jsonl.zst", true],
    ["state/session-sqlite-import-archive/a.jsonl.imported-1", true],
    ["/home/ada/.clawdbot/sessions/a.jsonl", true],
    ["/home/ada/.pi/agent/sessions/--home--/a.jsonl", false],
    ["/home/ada/.codex/sessions/2026/a.jsonl", false],
  ])("is found at %s: %s", (path, expected) => {
    expect(isOpenclawPath(path)).toBe(expected);
  });

  it.each([
    ["x/a.jsonl.full.bak", true],
    ["x/a.checkpoint.0f0f-1.jsonl", true],
    ["x/a.jsonl", false],
    ["x/a.jsonl.reset.2026-03-03T09-00-00.000Z", false],
  ])("is a copy at %s: %s", (path, expected) => {
    expect(openclaw.companions?.test(path)).toBe(expected);
  });

  it("knows its agent", () => {
    expect(sink.conversations[0]?.start).toMatchObject({ sourceId: FERNS, about: { agent: "main" } });
  });

  it("keeps the date before the words of the user", () => {
    expect(sink.lines()[0]).toBe("user: [Sun 2026-03-01 10:00 GMT+1] Water the ferns?");
  });

  it("marks messages that OpenClaw wrote for the user", () => {
    expect(entries.find(({ id }) => id === "k3")?.message?.extra).toEqual({ pi: { injected: true } });
  });

  it("keeps a reset as a boundary with the entries that stay after it", () => {
    expect(entries.find(({ id }) => id === "k4")).toMatchObject({
      kind: "info",
      parent: "k3",
      data: { type: "reset", first_kept: "k2", reason: "daily" },
    });
  });

  it("follows its pointer, and not entries that were added on the side", () => {
    expect(sink.conversations[0]?.leaf).toBe("k2");
    expect(sink.unknowns).toEqual([]);
  });

  it("shows the entry before one on the side when nothing points elsewhere", () => {
    const other = readFile(
      openclaw.lines,
      fixture(`${FERNS}.jsonl`).trim().split("\n").slice(0, -1).join("\n"),
      `${FOLDER}/a.jsonl`,
    );
    expect(other.conversations[0]?.leaf).toBe("k5");
  });

  it("of a topic is a separate conversation", () => {
    const topic = read(`${TOPIC}-topic-7.jsonl`).conversations[0]?.start;
    expect(topic).toMatchObject({ sourceId: `${TOPIC}-topic-7`, about: { agent: "main", topic: "7" } });
  });

  it("says that it was set aside by a reset", () => {
    const start = read(`${RESET}.jsonl.reset.2026-03-03T09-00-00.000Z`).conversations[0]?.start;
    expect(start).toMatchObject({ sourceId: RESET, about: { archived: "reset" } });
  });
});

describe("the index of OpenClaw", () => {
  it("is recognised, and holds no messages", () => {
    expect(openclaw.document.sniff(index)).toBe(true);
    expect(openclaw.document.sniff({})).toBe(false);
    expect(openclaw.document.sniff({ "a:b": { sessionId: "x" }, version: 1 })).toBe(false);
    const sink = new RecordingSink();
    openclaw.document.read(
      { value: index, line: null, offset: null },
      sink,
      surroundings("sessions.json"),
      new FoundBefore(),
    );
    expect(sink.conversations).toEqual([]);
  });

  it("assigns each transcript the key that leads to it", () => {
    const keys = openclawKeys(index);
    expect([...keys.keys()]).toEqual([FERNS, `${TOPIC}-topic-7`, MOSS]);
    expect(keys.get(FERNS)).toMatchObject({ key: "agent:main:main", label: "Ferns", channel: "telegram" });
    expect(keys.get(MOSS)?.spawnedBy).toBe("agent:main:main");
    expect(openclawKeys(["x"]).size).toBe(0);
  });
});

/** The import's side of a reader, over a database in memory. */
function sourceOf(database: DatabaseSync): SourceDatabase {
  return {
    columns: (table) =>
      database
        .prepare(`PRAGMA table_info(${table})`)
        .all()
        .map(({ name }) => String(name)),
    rows: (sql, ...values) => database.prepare(sql).iterate(...values) as Iterable<Record<string, unknown>>,
  };
}

const SCHEMA = `
  CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT);
  CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT,
    reason TEXT, channel TEXT, chat_type TEXT, model TEXT, started_at INTEGER, spawned_by TEXT, display_name TEXT);
  CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,
    event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq));
  CREATE TABLE session_transcript_archives (session_id TEXT, generation TEXT, session_key TEXT, reason TEXT,
    encoding TEXT, archive_blob BLOB);
  CREATE TABLE session_transcript_cold_archives (session_id TEXT PRIMARY KEY, generation TEXT, archive_name TEXT,
    storage TEXT, archive_blob BLOB);`;

function example(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(SCHEMA);
  const node = database.prepare("INSERT INTO session_nodes VALUES (?, ?, ?)");
  node.run("agent:main:main", FERNS, JSON.stringify(index["agent:main:main"]));
  node.run("agent:main:subagent:moss", MOSS, JSON.stringify(index["agent:main:subagent:moss"]));
  const window = database.prepare(
    "INSERT INTO session_windows (session_id, session_key, previous_session_id, reason, model, started_at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  window.run(FERNS, "agent:main:main", RESET, "reset", "claude-x", 1772355600000);
  window.run(RESET, "agent:main:main", null, "initial", null, null);
  window.run(MOSS, "agent:main:subagent:moss", null, "initial", null, null);
  fixture(`${FERNS}.jsonl`)
    .trim()
    .split("\n")
    .forEach((line, seq) => {
      // Every other event is compressed, as it happens to be.
      const packed = seq % 2 === 0 ? zstdCompressSync(line) : null;
      event(database, FERNS, seq, packed === null ? line : null, packed, Buffer.byteLength(line));
    });
  const moss = {
    type: "message",
    id: "x1",
    parentId: null,
    message: { role: "user", content: "Look at the moss." },
  };
  event(database, MOSS, 0, JSON.stringify({ type: "session", version: 4, id: MOSS }), null, null);
  event(database, MOSS, 1, JSON.stringify(moss), null, null);
  const archive = database.prepare(
    "INSERT INTO session_transcript_archives VALUES (?, 'g1', ?, 'reset', 'zstd', ?)",
  );
  archive.run(
    RESET,
    "agent:main:main",
    zstdCompressSync(fixture(`${RESET}.jsonl.reset.2026-03-03T09-00-00.000Z`)),
  );
  return database;
}

function event(
  database: DatabaseSync,
  session: string,
  seq: number,
  json: string | null,
  packed: Buffer | null,
  bytes: number | null,
): void {
  database
    .prepare(
      "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_zstd, event_utf8_bytes) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .run(session, seq, json, 1772355600000 + seq, packed, bytes);
}

async function readDatabase(database: DatabaseSync, sink = new RecordingSink()): Promise<RecordingSink> {
  for await (const _ of openclaw.database.read(sourceOf(database), sink, surroundings(DATABASE)));
  return sink;
}

const found = (sink: RecordingSink, id: string) =>
  sink.conversations.find(({ start }) => start.sourceId === id);

describe("the database of OpenClaw", () => {
  it("is recognised by its events", () => {
    const empty = new DatabaseSync(":memory:");
    expect(openclaw.database.sniff(sourceOf(example()))).toBe(true);
    expect(openclaw.database.sniff(sourceOf(empty))).toBe(false);
  });

  it("has the same conversation as the files, entry by entry", async () => {
    const plain = ({ id, parent, kind, at, message, data }: SourceEntry) => ({
      id,
      parent,
      kind,
      at,
      message,
      data,
    });
    const fromFile = found(read(`${FERNS}.jsonl`), FERNS);
    const fromRows = found(await readDatabase(example()), FERNS);
    expect(fromRows?.entries.map(plain)).toEqual(fromFile?.entries.map(plain));
    expect(fromRows?.entries.map(({ records }) => records[0]?.text)).toEqual(
      fromFile?.entries.map(({ records }) => records[0]?.text),
    );
    expect(fromRows?.leaf).toBe(fromFile?.leaf);
    expect(fromRows?.start.root).toBe(fromFile?.start.root);
  });

  it("assigns a key only to the transcript that it leads to now", async () => {
    const sink = await readDatabase(example());
    expect(found(sink, FERNS)?.start).toMatchObject({
      key: "agent:main:main",
      title: "Ferns",
      model: "claude-x",
      createdAt: 1772355600000,
      about: {
        agent: "main",
        session_key: "agent:main:main",
        channel: "telegram",
        previous_session: RESET,
        reason: "reset",
      },
    });
    expect(found(sink, RESET)?.start.key).toBeUndefined();
    expect(found(sink, RESET)?.start.about).toMatchObject({
      session_key: "agent:main:main",
      archived: "reset",
    });
    expect(found(sink, MOSS)?.start.parent).toEqual({ sourceId: FERNS });
  });

  it("reads what was set aside, compressed or not", async () => {
    const database = example();
    const line = (id: string, parentId: string | null) =>
      JSON.stringify({ type: "message", id, parentId, message: { role: "user", content: id } });
    const cold = database.prepare("INSERT INTO session_transcript_cold_archives VALUES (?, 'g', 'n', ?, ?)");
    cold.run(
      "cold",
      "sqlite",
      Buffer.from(`${JSON.stringify({ type: "session", id: "cold" })}\n${line("c1", null)}\n`),
    );
    cold.run("in-a-file", "file", null);
    const sink = await readDatabase(database);
    expect(found(sink, RESET)?.entries.map(({ id }) => id)).toEqual(["r1"]);
    expect(found(sink, "cold")?.entries.map(({ id }) => id)).toEqual(["c1"]);
    expect(found(sink, "in-a-file")).toBeUndefined();
  });

  it("keeps the rows of events with every column", async () => {
    const database = example();
    const sink = await readDatabase(database);
    const { entries = [], notes = [] } = found(sink, MOSS) ?? {};
    const kept = [...notes, ...entries.flatMap(({ records }) => records)].map(({ row }) => row);
    const rows = database.prepare("SELECT * FROM transcript_events WHERE session_id = ?").all(MOSS);
    const unpacked = ({ event_json, event_zstd, ...others }: (typeof rows)[number]) => ({
      ...others,
      event_json: event_json ?? zstdDecompressSync(event_zstd as Uint8Array).toString(),
      event_zstd: null,
    });
    expect(rows.length).toBeGreaterThan(1);
    expect(kept).toEqual(rows.map((row) => ({ table: "transcript_events", row: unpacked(row) })));
  });

  it("leaves out what has not changed, and reads what has", async () => {
    const database = example();
    const versions: string[] = [];
    class Remembering extends RecordingSink {
      override isCurrent(id: string, version: string): boolean {
        versions.push(`${id} ${version}`);
        return super.isCurrent(id, version);
      }
    }
    await readDatabase(database, new Remembering());
    expect(versions).toHaveLength(3);
    const again = new Remembering();
    for (const version of versions) again.current.add(version);
    event(
      database,
      MOSS,
      2,
      JSON.stringify({
        type: "message",
        id: "x2",
        parentId: "x1",
        message: { role: "user", content: "Green." },
      }),
      null,
      null,
    );
    await readDatabase(database, again);
    expect(again.conversations.map(({ start }) => start.sourceId)).toEqual([MOSS]);
    expect(again.lines()).toEqual(["user: Look at the moss.", "user: Green."]);
  });

  it("holds the archive of one session at a time, and none of those that have not changed", async () => {
    const source = sourceOf(example());
    const archived: unknown[] = [];
    const watched: SourceDatabase = {
      ...source,
      *rows(sql, ...values) {
        for (const row of source.rows(sql, ...values)) {
          if (row.archive_blob !== undefined) archived.push(row.session_id);
          yield row;
        }
      },
    };
    const sink = new RecordingSink();
    for await (const _ of openclaw.database.read(watched, sink, surroundings(DATABASE)));
    expect(archived).toEqual([RESET]);
    for (const version of sink.versions) sink.current.add(version);
    for await (const _ of openclaw.database.read(watched, sink, surroundings(DATABASE)));
    expect(archived).toEqual([RESET]);
  });

  it("reports events that cannot be read, and continues", async () => {
    const database = example();
    const whole = JSON.stringify({
      type: "message",
      id: "y",
      message: { role: "user", content: "y".repeat(900) },
    });
    const packed = zstdCompressSync(whole);
    event(database, MOSS, 5, "{torn", null, null);
    event(database, MOSS, 6, null, packed, 10);
    event(database, MOSS, 7, null, packed, 2000);
    event(database, MOSS, 8, null, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 9, 9]), 100);
    event(database, MOSS, 9, null, null, null);
    event(
      database,
      MOSS,
      10,
      JSON.stringify({
        type: "message",
        id: "x3",
        parentId: "x1",
        message: { role: "user", content: "Last." },
      }),
      null,
      null,
    );
    const sink = await readDatabase(database);
    expect(sink.skipped.map(({ reason }) => reason)).toEqual([
      "not JSON",
      expect.stringMatching(/^cannot be decompressed/),
      "an event with an unexpected length",
      expect.stringMatching(/^cannot be decompressed/),
      "an event without content",
    ]);
    expect(found(sink, MOSS)?.entries.map(({ id }) => id)).toEqual(["x1", "x3"]);
  });

  it("does without tables and columns of other releases", async () => {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)");
    const insert = database.prepare("INSERT INTO transcript_events VALUES (?, ?, ?)");
    insert.run(
      "s",
      1,
      JSON.stringify({ type: "message", id: "a", parentId: null, message: { role: "user", content: "Hi." } }),
    );
    insert.run("s", 0, JSON.stringify({ type: "session", id: "s" }));
    const sink = await readDatabase(database);
    expect(sink.conversations[0]?.start).toMatchObject({ sourceId: "s", about: { agent: "main" } });
    expect(sink.lines()).toEqual(["user: Hi."]);
  });

  it("lets what it read be written now and then", async () => {
    const database = example();
    for (let seq = 2; seq < 1200; seq++) {
      event(
        database,
        MOSS,
        seq,
        JSON.stringify({ type: "custom", id: `e${seq}`, parentId: "x1" }),
        null,
        null,
      );
    }
    let pauses = 0;
    for await (const _ of openclaw.database.read(
      sourceOf(database),
      new RecordingSink(),
      surroundings(DATABASE),
    ))
      pauses++;
    expect(pauses).toBe(5);
  });
});
