import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** Pages are read in the order of the file: the index is the last that is read. */
function moveToEnd(file: string, index: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  const definition = database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(index)?.sql;
  // The table takes the page that becomes free.
  database.exec(`DROP INDEX ${index}; CREATE TABLE filler (n); ${definition}; DROP TABLE filler`);
  const last = database.prepare("SELECT name FROM sqlite_schema ORDER BY rootpage DESC").get();
  database.close();
  expect(last?.name).toBe(index);
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
      "wrong-tally its counts have a new checksum",
    ]);
    expect(findings).toEqual([]);
    const [entry] = (await (await store.open("cli:a")).append({ role: "user", content: "four" })).entries;
    expect(entry?.seq).toBe(5);
  });

  it("rebuilds an index that does not match its table", async () => {
    const file = await filled();
    const definition = "CREATE UNIQUE INDEX entries_by_id ON entries (conversation, id)";
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
    expect(repaired).toMatchObject([{ code: "damaged-file" }]);
    expect(findings).toEqual([]);
  });

  it("keeps the place of an entry whose words changed, and the damaged file beside the new one", async () => {
    const file = await filled();
    damage(file, "UPDATE entries SET body = replace(body, 'two', 'ten') WHERE seq = 2");
    await using store = await openStore(`sqlite:${file}`, { onProblem: () => {} });
    const { repaired, findings } = await store.repair();
    expect(repaired).toMatchObject([
      { code: "damaged-file", message: /the damaged one is .*agent\.db\.damaged-\d+$/ },
      { code: "lost-entry", message: "entry 2 could not be read: lost" },
    ]);
    expect(findings).toEqual([]);
    const chat = await store.open("cli:a");
    const words = (await chat.messages()).items.map(({ message, flags }) => [message.content, flags]);
    expect(words).toEqual([
      ["one", undefined],
      ["three", ["parent-damaged"]],
    ]);
    expect((await chat.messages({ last: 1 })).items[0]?.id).toBe((await chat.info()).head);
    expect(await chat.info()).toMatchObject({ messageCount: 2 });
    await chat.append({ role: "user", content: "four" });
    expect(await store.verify()).toMatchObject({ ok: true });
    const [aside] = readdirSync(dirname(file)).filter((name) => /damaged-\d+$/.test(name));
    const database = new DatabaseSync(join(dirname(file), aside as string));
    expect(database.prepare("SELECT body FROM entries WHERE seq = 2").get()?.body).toMatch("ten");
    database.close();
  });

  it.each(["entries_by_id", "entries_with_blobs"])(
    "knows the id of a lost entry that refers to a blob, if %s is read last",
    async (index) => {
      const file = join(tempFolder(), "agent.db");
      // The text of a message stays in its entry, however long it is; the result of a tool is a blob.
      const result = { type: "tool_result", tool_use_id: "t", content: "A long result. ".repeat(20_000) };
      const contents = ["one", [result], "three"];
      {
        await using store = await openStore(`sqlite:${file}`);
        const chat = await store.open("cli:a");
        for (const content of contents) await chat.append({ role: "user", content });
        await store.backup(`${file}.backup`);
      }
      moveToEnd(file, index);
      damage(file, "UPDATE entries SET body = replace(body, 'user', 'xser') WHERE seq = 2");
      await using store = await openStore(`sqlite:${file}`, { onProblem: () => {} });
      const { repaired, findings } = await store.repair({ from: `${file}.backup` });
      expect(repaired).toContainEqual(
        expect.objectContaining({ code: "restored-entry", message: "entry 2 restored from the backup" }),
      );
      expect(findings).toEqual([]);
      const { items } = await (await store.open("cli:a")).messages();
      expect(items.map(({ message }) => message.content)).toEqual(contents);
    },
  );

  it("takes from a backup what is missing, even later, but nothing that was redacted since", async () => {
    const file = await filled();
    const backup = `${file}.backup`;
    {
      await using store = await openStore(`sqlite:${file}`);
      await store.backup(backup);
    }
    damage(file, "UPDATE entries SET body = replace(body, 'two', 'ten') WHERE seq = 2");
    await using store = await openStore(`sqlite:${file}`, { onProblem: () => {} });
    await store.repair();
    const { repaired } = await store.repair({ from: backup });
    expect(repaired).toMatchObject([
      { code: "damaged-file" },
      { code: "restored-entry", message: "entry 2 restored from the backup" },
    ]);
    const chat = await store.open("cli:a");
    const { items } = await chat.messages();
    expect(items.map(({ message }) => message.content)).toEqual(["one", "two", "three"]);
    await chat.redact(items[1]?.id as string);
    damage(file, "UPDATE entries SET body = replace(body, 'redacted', 'retracted') WHERE seq = 2");
    const again = await store.repair({ from: backup });
    expect(again.repaired).toMatchObject([{ code: "damaged-file" }, { code: "lost-entry" }]);
    expect((await chat.messages()).items.map(({ message }) => message.content)).toEqual(["one", "three"]);
  });

  it("is refused while another process has the file open", async () => {
    const file = await filled();
    damage(file, "UPDATE entries SET body = replace(body, 'two', 'ten') WHERE seq = 2");
    await using store = await openStore(`sqlite:${file}`, { onProblem: () => {}, lockWaitMs: 100 });
    const other = new DatabaseSync(file);
    other.prepare("SELECT count(*) FROM entries").get();
    await expect(store.repair()).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: /open in another process/,
    });
    other.close();
    expect((await store.list()).items).toHaveLength(1);
    expect((await store.repair()).ok).toBe(true);
  });

  it("is refused by a read-only store", async () => {
    const file = await filled();
    await using store = await openStore(`sqlite:${file}`, { readonly: true });
    await expect(store.repair()).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });
});
