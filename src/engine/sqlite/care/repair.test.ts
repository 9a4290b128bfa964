import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";

async function filled(): Promise<string> {
  const file = join(tempFolder(), "agent.db");
  await using store = await openStore(`sqlite:${file}`);
  const chat = await store.open("cli:a");
  for (const content of ["one", "two", "three"]) await chat.append({ role: "user", content });
  await chat.branch(null, { name: "other" });
  return file;
}

function damage(file: string, sql: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(sql);
  database.close();
}

describe("the repair of a SQLite store", () => {
  it("counts again what a conversation says of its entries", async () => {
    const file = await filled();
    damage(
      file,
      "UPDATE conversations SET message_count = 9, last_seq = 1, head = 'x', branch_count = 0, compaction_count = 4",
    );
    await using store = await openStore(`sqlite:${file}`);
    const { repaired, findings } = await store.repair();
    expect(repaired.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "wrong-count messages: 3 instead of 9",
      "wrong-seq the last seq: 4 instead of 1",
      expect.stringMatching(/^wrong-head the head: \S+ instead of x$/),
      "wrong-count branches: 2 instead of 0",
      "wrong-count compactions: 0 instead of 4",
    ]);
    expect(findings).toEqual([]);
    const [entry] = (await (await store.open("cli:a")).append({ role: "user", content: "four" })).entries;
    expect(entry?.seq).toBe(5);
  });

  it("rebuilds an index that does not match its table", async () => {
    const file = await filled();
    const definition = "CREATE UNIQUE INDEX entries_by_id ON entries (id, conversation)";
    // The index loses a row that the table still has.
    damage(
      file,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = '${definition} WHERE seq <> 2' WHERE name = 'entries_by_id'`,
    );
    damage(file, "REINDEX entries_by_id");
    damage(
      file,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = '${definition}' WHERE name = 'entries_by_id'`,
    );
    await using store = await openStore(`sqlite:${file}`);
    const before = (await store.verify()).findings.map(({ code }) => code);
    expect(before).toEqual(["damaged-file", "damaged-file", "dangling-parent"]);
    const { repaired, findings } = await store.repair();
    expect(repaired).toMatchObject([{ code: "damaged-file" }, { code: "damaged-file" }]);
    expect(findings).toEqual([]);
  });

  it("keeps a row that is not JSON, and continues to report it", async () => {
    const file = await filled();
    damage(file, "UPDATE entries SET body = 'no JSON' WHERE seq = 2");
    await using store = await openStore(`sqlite:${file}`, { onProblem: () => {} });
    const { repaired, findings } = await store.repair();
    expect(repaired).toEqual([]);
    expect(findings).toMatchObject([{ code: "bad-entry" }]);
    const database = new DatabaseSync(file);
    expect(database.prepare("SELECT body FROM entries WHERE seq = 2").get()).toEqual({ body: "no JSON" });
    database.close();
  });

  it("is refused by a read-only store", async () => {
    const file = await filled();
    await using store = await openStore(`sqlite:${file}`, { readonly: true });
    await expect(store.repair()).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });
});
