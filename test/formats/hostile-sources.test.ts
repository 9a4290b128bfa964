/** Sources that were made to keep an import busy forever, or to fill its memory. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { originalSources } from "../../src/formats/export/original/original.ts";
import type { ImportReport } from "../../src/formats/import/report.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

let folder: string;
beforeEach(() => {
  folder = join(tempFolder(), "sources");
  mkdirSync(folder);
  // Whatever other files there are, this is imported.
  writeFileSync(join(folder, "zz-good.jsonl"), piHeader("good") + piSays("a1", null, "I am whole."));
});

async function imported(): Promise<ImportReport> {
  await using store = await openStore("ephemeral:");
  const report = await importConversations(store, [folder]);
  expect(await store.get("pi:good")).toBeDefined();
  return report;
}

const OPENCODE = `
  CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT, time_created INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
  INSERT INTO session VALUES ('ses_1', 'p', '/d', 1);
  INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{"role":"user"}');
  INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"Hello"}');`;

/** The numbers from 1 on, without end. */
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

/** Rows of a product that takes years, none of which is returned. */
const SLOW = Array.from({ length: 40 }, (_, index) => `n AS n${index}`).join(", ");
const FEW = "WITH n(i) AS (VALUES (1), (2), (3), (4))";

describe("a database", () => {
  it.each([
    ["session", `${ENDLESS} SELECT i AS id, 'p' AS project_id, '/d' AS directory, i AS time_created FROM n`],
    ["message", `${ENDLESS} SELECT i AS id, 'ses_1' AS session_id, i AS time_created, '{}' AS data FROM n`],
    ["part", `${ENDLESS} SELECT i AS id, 'msg_1' AS message_id, 'ses_1' AS session_id, '{}' AS data FROM n`],
    [
      "part",
      `${FEW} SELECT 1 AS id, 'm' AS message_id, 's' AS session_id, '{}' AS data FROM ${SLOW} WHERE n0.i > 4`,
    ],
  ])("of opencode whose %s is a view is reported, and the view never runs", async (table, view) => {
    const database = new DatabaseSync(join(folder, "opencode.db"));
    database.exec(`${OPENCODE} DROP TABLE ${table}; CREATE VIEW ${table} AS ${view}`);
    database.close();
    const report = await imported();
    expect(report.conversations).toBe(1);
    expect(report.skipped).toEqual([
      {
        source: join(folder, "opencode.db"),
        line: null,
        offset: null,
        reason: `was not read, because ${table} is a view, not a table`,
      },
    ]);
  });

  it.each([
    ["transcript_events", `${ENDLESS} SELECT 's' AS session_id, i AS seq, '{}' AS event_json FROM n`],
    ["session_windows", `${ENDLESS} SELECT i AS session_id FROM n`],
    [
      "session_transcript_archives",
      `${ENDLESS} SELECT i AS session_id, '' AS archive_blob, 1 AS created_at FROM n`,
    ],
  ])("of OpenClaw whose %s is a view is reported, and the view never runs", async (table, view) => {
    const database = new DatabaseSync(join(folder, "openclaw.sqlite"));
    if (table !== "transcript_events") {
      database.exec("CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)");
    }
    database.exec(`CREATE VIEW ${table} AS ${view}`);
    database.close();
    expect((await imported()).skipped).toMatchObject([
      { reason: `was not read, because ${table} is a view, not a table` },
    ]);
  });

  it("of a small agent whose messages are a view is reported, and the view never runs", async () => {
    const database = new DatabaseSync(join(folder, "agent.db"));
    database.exec(`CREATE TABLE sessions (id TEXT, channel TEXT);
      CREATE VIEW messages AS ${ENDLESS} SELECT i AS id, 's' AS session_id, 'user' AS role, 'x' AS content FROM n`);
    database.close();
    expect((await imported()).skipped).toMatchObject([
      { reason: "was not read, because messages is a view, not a table" },
    ]);
  });

  it("of opencode is read although it has views that no reader needs", async () => {
    const database = new DatabaseSync(join(folder, "opencode.db"));
    database.exec(`${OPENCODE} CREATE VIEW sessions AS ${ENDLESS} SELECT i AS id FROM n`);
    database.close();
    expect(await imported()).toMatchObject({ conversations: 2, skippedCount: 0 });
  });
});

describe("a record of very many values", () => {
  const many = `{${Array.from({ length: 500_001 }, (_, index) => `"k${index}":1`).join()}}`;
  const reason = "has more than 500,000 values, and was not parsed";

  it("is reported with its line and kept, and the lines around it are imported", async () => {
    const [head, end] = [piHeader("many"), piSays("m1", null, "After it.")];
    const line = `{"type":"custom","id":"c1","parentId":null,"data":${many}}\n`;
    writeFileSync(join(folder, "many.jsonl"), head + line + end);
    await using store = await openStore("ephemeral:");
    const report = await importConversations(store, [folder]);
    expect(report.skipped).toMatchObject([{ line: 2, offset: head.length, reason }]);
    expect((await (await store.get("pi:many"))?.info())?.messageCount).toBe(1);
    const [source] = await originalSources(store, "pi:many");
    const bytes: Buffer[] = [];
    for await (const piece of source?.bytes() ?? []) bytes.push(Buffer.from(piece));
    expect(Buffer.concat(bytes).toString() === head + line + end).toBe(true);
  });

  it("is reported with its place when it is the whole file, or the first element of a list", async () => {
    writeFileSync(join(folder, "alone.json"), `\n{"mapping":${many}}`);
    const chat = '{"uuid":"c1","name":"T","chat_messages":[{"uuid":"m1","text":"hi","sender":"human"}]}';
    writeFileSync(join(folder, "list.json"), `[{"uuid":"c0","chat_messages":[${many}]},\n${chat}]`);
    const report = await imported();
    expect(report.conversations).toBe(2);
    expect(
      report.skipped.map(({ source, offset, reason }) => [source.split("/").at(-1), offset, reason]),
    ).toEqual([
      ["alone.json", 1, reason],
      ["list.json", 1, reason],
    ]);
  });

  it("is reported when it is a row of a database", async () => {
    const database = new DatabaseSync(join(folder, "opencode.db"));
    database.exec(OPENCODE);
    database.prepare("INSERT INTO part VALUES ('prt_2', 'msg_1', 'ses_1', ?)").run(many);
    database.close();
    expect((await imported()).skipped).toMatchObject([{ reason: expect.stringContaining("prt_2") }]);
  });
});
