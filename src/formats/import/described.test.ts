import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import { importConversations } from "./run.ts";
import { usualPlaces } from "./usual-places.ts";

describe("what a source says of a conversation", () => {
  it("arrives as profile and context state, and a change of the user stays", async () => {
    const home = tempFolder();
    const sources = join(home, "Library", "Application Support", "PersonalAgent", "conversations");
    mkdirSync(sources, { recursive: true });
    const line = { role: "user", content: "Which runtime?", ts: "2025-01-21T19:30:00Z" };
    const state = { strategy: "sandwich", summary: "Runtimes.", summary_range: [5, 42] };
    const meta = { id: "a1", title: "Rust", profile_id: "p-7", context_state: state };
    writeFileSync(join(sources, "20250121193000000.jsonl"), `${JSON.stringify(line)}\n`);
    writeFileSync(join(sources, "20250121193000000.meta.json"), JSON.stringify(meta));
    expect(usualPlaces(home, {})).toContainEqual({ tool: "PersonalAgent", path: sources });

    await using store = await openStore("ephemeral:");
    const [imported] = (await importConversations(store, [sources])).imported;
    const chat = await store.get(imported?.id ?? "");
    expect(await chat?.info()).toMatchObject({ title: "Rust", profileId: "p-7", contextState: state });
    await chat?.update({ contextState: { mine: true } });
    await importConversations(store, [sources], { again: true });
    expect(await chat?.info()).toMatchObject({ contextState: { mine: true } });
  });

  it("keeps its channel", async () => {
    const path = join(tempFolder(), "conversations.db");
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY, channel TEXT NOT NULL, created_at TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, created_at TEXT);
      INSERT INTO sessions VALUES ('discord:dm:1', 'discord', '2026-01-01'), ('s2', 'claude-code', '2026-01-01');
      INSERT INTO messages VALUES (1, 'discord:dm:1', 'user', 'Hello', NULL), (2, 's2', 'user', 'Hi', NULL)`);
    database.close();
    await using store = await openStore("ephemeral:");
    await importConversations(store, [path]);
    const channels = (await store.list()).items.map(({ channel }) => channel);
    expect(channels.sort()).toEqual(["claude-code", "discord"]);
  });
});
