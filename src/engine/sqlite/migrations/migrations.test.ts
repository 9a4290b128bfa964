import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openDatabase } from "../../../sqlite/open.ts";
import { openStore } from "../../../store/open.ts";
import { APPLICATION_ID, migrations } from "./migrations.ts";

const FIRST = "0198a000-0000-7000-8000-000000000001";

/** A file as version 1 of the schema had it: one conversation with three messages, one in the trash. */
async function versionOne(path: string): Promise<void> {
  const database = await openDatabase(path, {
    synchronous: "FULL",
    applicationId: APPLICATION_ID,
    migrations: migrations.slice(0, 1),
  });
  const message = (content: string): string => JSON.stringify({ role: "user", content });
  database.exec(`
    INSERT INTO conversations (id, key, title, created_at, updated_at, last_message_at, active_at, message_count, last_seq, head)
      VALUES ('${FIRST}', 'cli:old', 'Old', 1000, 3000, 3000, 3000, 3, 3, 'c');
    INSERT INTO conversations (id, created_at, updated_at, active_at, deleted_at) VALUES ('gone', 1, 2, 1, 2);
    INSERT INTO entries (conversation, seq, id, parent_id, kind, at, operation_id, body) VALUES
      (1, 1, 'a', NULL, 'message', 1000, NULL, '${message("one")}'),
      (1, 2, 'b', 'a', 'message', 2000, 'op', '${message("two")}'),
      (1, 3, 'c', 'b', 'message', 3000, 'op', '${message("three")}');
    INSERT INTO operations (id, conversation, first_seq, last_seq) VALUES ('op', 1, 2, 3);
  `);
  database.close();
}

/** A file as version 2 of the schema had it: with a branch, an open turn and a title. */
async function versionTwo(path: string, entries: number): Promise<void> {
  const database = await openDatabase(path, {
    synchronous: "FULL",
    applicationId: APPLICATION_ID,
    migrations: migrations.slice(0, 2),
  });
  database.exec(`
    INSERT INTO conversations (id, key, title, created_at, updated_at, last_message_at, active_at, message_count, last_seq, head)
      VALUES ('${FIRST}', 'cli:old', 'Old', 1000, 3000, 3000, 3000, ${entries}, ${entries}, 'e${entries}');
    WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ${entries})
      INSERT INTO entries (n, conversation, seq, id, parent_id, kind, at, body)
      SELECT n, 1, n, 'e' || n, iif(n = 1, NULL, 'e' || (n - 1)), 'message', 1000 + n, json_object('role', 'user', 'content', 'word ' || n)
      FROM s;
    INSERT INTO changes VALUES (${entries + 1}, '${FIRST}', 'updated');
    INSERT INTO journals VALUES (1, 'turn', '{}');
    INSERT INTO journal_pieces VALUES (1, 0, 5, '"so fa"');
  `);
  database.close();
}

describe("a file of version 2", () => {
  it("gets a checksum for every row, and is written like a new one", async () => {
    const path = join(tempFolder(), "store.db");
    await versionTwo(path, 3000);
    await using store = await openStore(`sqlite:${path}`);
    expect(await store.verify()).toMatchObject({ ok: true, conversations: 1, entries: 3000, findings: [] });
    const chat = await store.open("cli:old");
    // With the text of the unfinished turn.
    await chat.append({ role: "user", content: "new" }, { operationId: "op" });
    expect(await store.verify()).toMatchObject({ ok: true, entries: 3002, findings: [] });
  });

  it("is not written any more by a process that has it open", async () => {
    const path = join(tempFolder(), "store.db");
    await versionTwo(path, 3);
    const old = new DatabaseSync(path);
    const insert = old.prepare(
      `INSERT INTO entries (n, conversation, seq, id, parent_id, kind, at, operation, body)
        VALUES (9, 1, 4, 'e4', 'e3', 'message', 1, NULL, '{}')`,
    );
    await using _ = await openStore(`sqlite:${path}`);
    expect(() => insert.run()).toThrow(/operation/);
    old.close();
  });
});

describe("a file of version 1", () => {
  it("is read, written and branched like a new one, after it was copied", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    await versionOne(path);
    await using store = await openStore(`sqlite:${path}`);
    expect(await store.verify()).toMatchObject({ ok: true, conversations: 2, entries: 3, findings: [] });
    const chat = await store.open("cli:old");
    expect(await chat.info()).toMatchObject({ title: "Old", messageCount: 3, branchCount: 1, head: "c" });
    await chat.branch("b", { name: "other", checkout: true });
    await chat.append({ role: "user", content: "four" });
    expect((await chat.messages()).items.map(({ message }) => message?.content)).toEqual([
      "one",
      "two",
      "four",
    ]);
    expect(await store.verify()).toMatchObject({ ok: true, findings: [] });
    expect(readdirSync(folder).filter((name) => name.startsWith("store.db.backup-v1-"))).toHaveLength(1);
  });

  it("knows its appends by operation id", async () => {
    const path = join(tempFolder(), "store.db");
    await versionOne(path);
    await using store = await openStore(`sqlite:${path}`);
    const chat = await store.open("cli:old");
    const again = ["two", "three"].map((content) => ({ role: "user" as const, content }));
    const { entries } = await chat.append(again, { operationId: "op" });
    expect(entries.map(({ id }) => id)).toEqual(["b", "c"]);
    await expect(chat.append(again[0] as never, { operationId: "op" })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect((await chat.info()).messageCount).toBe(3);
  });
});
