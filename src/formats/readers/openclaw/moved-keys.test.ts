import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { importConversations } from "../../import/run.ts";

const KEY = "agent:main:main";

/** The keys of conversations, by their first message. */
async function keysIn(store: Store): Promise<Record<string, string | null>> {
  const found: Record<string, string | null> = {};
  for await (const { id, key } of store.list()) {
    for await (const { message } of (await store.snapshot(id)).log()) {
      if (message !== undefined) found[String(message.content)] ??= key;
    }
  }
  return found;
}

describe("a session key of OpenClaw", () => {
  const index = (folder: string, sessionId: string): void =>
    writeFileSync(join(folder, "sessions.json"), JSON.stringify({ [KEY]: { sessionId, updatedAt: 1 } }));

  it("follows to another session, though no transcript has changed", async () => {
    const folder = join(tempFolder(), "agents", "main", "sessions");
    mkdirSync(folder, { recursive: true });
    for (const id of ["one", "two"]) {
      writeFileSync(join(folder, `${id}.jsonl`), piHeader(id) + piSays(`${id}-1`, null, id));
    }
    index(folder, "one");
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    await importConversations(store, [folder]);
    expect(await keysIn(store)).toEqual({ one: KEY, two: "openclaw:two" });
    index(folder, "two");
    await importConversations(store, [folder]);
    expect(await keysIn(store)).toEqual({ one: expect.stringMatching(/^agent:main:main~/), two: KEY });
    index(folder, "one");
    await importConversations(store, [folder]);
    expect(await keysIn(store)).toEqual({ one: KEY, two: expect.stringMatching(/^agent:main:main~/) });
    const { files } = await importConversations(store, [folder]);
    expect(files).toBe(0);
  });

  it("is in the name of a transcript that was moved to a database", async () => {
    const folder = join(tempFolder(), "agents", "main", "session-sqlite-import-archive");
    mkdirSync(folder, { recursive: true });
    const name =
      "agent_main_telegram_channel_42.7d0c2a8e-1111-4222-8333-444455556666.jsonl.imported-1794846223055";
    writeFileSync(
      join(folder, name),
      piHeader("7d0c2a8e-1111-4222-8333-444455556666") + piSays("m1", null, "moved"),
    );
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    await importConversations(store, [folder]);
    expect(await keysIn(store)).toEqual({ moved: "agent:main:telegram:channel:42" });
  });

  it("of a database belongs to the window that it leads to, and of a deleted session to the last one", async () => {
    const folder = join(tempFolder(), "agents", "main", "agent");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "openclaw-agent.sqlite");
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const window = (id: string, at: number): string =>
      `INSERT INTO session_windows VALUES ('${id}', '${KEY}', ${at});
       INSERT INTO transcript_events VALUES ('${id}', 0, '${piHeader(id).trim()}', ${at});
       INSERT INTO transcript_events VALUES ('${id}', 1, '${piSays(`${id}-1`, null, id).trim()}', ${at});`;
    const change = (sql: string): void => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    };
    change(`CREATE TABLE session_nodes (session_key TEXT, current_session_id TEXT, entry_json TEXT);
      CREATE TABLE session_windows (session_id TEXT, session_key TEXT, updated_at INTEGER);
      CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER);
      CREATE TABLE session_transcript_archives
        (session_id TEXT, generation TEXT, session_key TEXT, reason TEXT, archive_blob BLOB, created_at INTEGER);
      ${window("one", 1)} INSERT INTO session_nodes VALUES ('${KEY}', 'one', '{}');`);
    await importConversations(store, [folder]);
    expect(await keysIn(store)).toEqual({ one: KEY });
    change(`${window("two", 2)} UPDATE session_nodes SET current_session_id = 'two';`);
    const { imported } = await importConversations(store, [folder]);
    expect(imported.find(({ sourceId }) => sourceId === "two")?.key).toBe(KEY);
    expect((await keysIn(store)).two).toBe(KEY);
    change("UPDATE session_nodes SET current_session_id = 'one'");
    await importConversations(store, [folder]);
    expect((await keysIn(store)).one).toBe(KEY);
    const archived = `${piHeader("gone")}${piSays("gone-1", null, "gone")}`;
    change(`INSERT INTO session_transcript_archives VALUES
      ('gone', 'g', 'agent:main:telegram:7', 'deleted', CAST('${archived}' AS BLOB), 3)`);
    await importConversations(store, [folder]);
    expect((await keysIn(store)).gone).toBe("agent:main:telegram:7");
  });

  it("of a session whose transcript is only in a file is in the database beside it", async () => {
    const agent = join(tempFolder(), "agents", "main");
    mkdirSync(join(agent, "agent"), { recursive: true });
    mkdirSync(join(agent, "sessions", "cold"), { recursive: true });
    const cold = piHeader("cold") + piSays("cold-1", null, "cold");
    writeFileSync(join(agent, "sessions", "cold", "abc.jsonl.zst"), zstdCompressSync(cold));
    const deleted = join(
      agent,
      "sessions",
      "gone.jsonl.deleted.2026-11-18T05-47-30.764Z.b0f0f856a9d044a9a03b80510dec0836.zst",
    );
    const gone = piHeader("gone") + piSays("gone-1", null, "gone");
    writeFileSync(deleted, zstdCompressSync(gone));
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    // Without the database nobody knows it.
    await importConversations(store, [join(agent, "sessions")]);
    expect(await keysIn(store)).toEqual({ cold: "openclaw:cold", gone: "openclaw:gone" });
    const database = new DatabaseSync(join(agent, "agent", "openclaw-agent.sqlite"));
    database.exec(`CREATE TABLE session_windows (session_id TEXT, session_key TEXT, updated_at INTEGER);
      CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER);
      CREATE TABLE session_transcript_archives
        (session_id TEXT, generation TEXT, session_key TEXT, reason TEXT, archive_blob BLOB, created_at INTEGER);
      CREATE TABLE session_transcript_cold_archives
        (session_id TEXT, generation TEXT, archive_name TEXT, storage TEXT, archive_blob BLOB, archived_at INTEGER);
      INSERT INTO session_windows VALUES ('cold', 'agent:main:telegram:7', 1);
      INSERT INTO session_transcript_cold_archives VALUES ('cold', 'g', 'abc.jsonl.zst', 'file', NULL, 2);`);
    const insert = database.prepare(
      "INSERT INTO session_transcript_archives VALUES ('gone', 'g', 'agent:main:telegram:8', 'deleted', ?, 3)",
    );
    insert.run(zstdCompressSync(gone));
    database.close();
    const known = { cold: "agent:main:telegram:7", gone: "agent:main:telegram:8" };
    await importConversations(store, [agent]);
    expect(await keysIn(store)).toEqual(known);
    await using other = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    await importConversations(other, [agent]);
    expect(await keysIn(other)).toEqual(known);
  });
});

describe("programs below the folder of OpenClaw", () => {
  it("are no damaged conversations", async () => {
    const folder = join(tempFolder(), "agents", "main");
    mkdirSync(folder, { recursive: true });
    const code = 'var a={"role":1},b=[{"messages":[}],"sessionId":2}];export{a as x};'.repeat(50);
    writeFileSync(join(folder, "bundle.min.js"), code);
    writeFileSync(join(folder, "bundle.min.js.gz"), gzipSync(code));
    writeFileSync(join(folder, "broken.json"), `[${code}`);
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const { skipped, ignoredFiles } = await importConversations(store, [folder]);
    expect(skipped.map(({ source }) => source)).toEqual([join(folder, "broken.json")]);
    const programs = ["bundle.min.js", "bundle.min.js.gz"];
    expect(ignoredFiles).toEqual(programs.map((name) => join(folder, name)));
    rmSync(folder, { recursive: true });
  });
});
