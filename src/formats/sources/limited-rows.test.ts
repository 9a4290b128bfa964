import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openSourceDatabase } from "./database.ts";
import type { OpenSourceDatabase } from "./types.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

const MIB = 1024 ** 2;

/** A text of so many bytes, which SQLite makes without handing it over. */
const text = (bytes: number) => `replace(hex(zeroblob(${bytes / 2})), '0', 'x')`;

async function database(sql: string): Promise<OpenSourceDatabase> {
  const path = join(tempFolder(), "app.db");
  const app = new DatabaseSync(path);
  app.exec(`CREATE TABLE t (id TEXT PRIMARY KEY, text); ${sql}`);
  app.close();
  const opened = await openSourceDatabase(path);
  open.push(opened);
  return opened;
}

const lengths = (rows: Iterable<Readonly<Record<string, unknown>>>) =>
  [...rows].map(({ id, text }) => [id, (text as string | Uint8Array | null)?.length ?? null]);

describe("the rows of a database", () => {
  it.each([
    ["SELECT * FROM t", []],
    ["SELECT * FROM t ORDER BY text IS NULL, id", []],
    ["SELECT * FROM t WHERE id <> ?", ["none"]],
    ["SELECT id, text FROM t WHERE text LIKE 'x%' OR id <> ''", []],
  ] as const)(
    "are read without one that is longer than a line may be, which is reported (%s)",
    async (sql, values) => {
      const opened = await database(
        `INSERT INTO t VALUES ('1', 'one'), ('2', ${text(10 * MIB)}), ('3', ${text(64 * MIB)}), ('4', 'four')`,
      );
      for (let times = 0; times < 2; times++) {
        expect(lengths(opened.rows(sql, ...values))).toEqual([
          ["1", 3],
          ["2", 10 * MIB],
          ["4", 4],
        ]);
      }
      expect(opened.leftOut).toEqual(["a row of t is longer than 64 MiB and was left out: id 3"]);
    },
  );

  it("are read while those of another statement are too large", async () => {
    const opened = await database(
      `INSERT INTO t VALUES ('1', 'one'), ('2', 'two'), ('3', ${text(70 * MIB)}), ('4', 'four')`,
    );
    const ids: unknown[] = [];
    for (const { id } of opened.rows("SELECT * FROM t ORDER BY id")) {
      ids.push(id);
      expect([...opened.rows("SELECT * FROM t WHERE id = ?", "3")]).toEqual([]);
      expect([...opened.rows("SELECT id FROM t WHERE id = ?", "3")]).toEqual([{ id: "3" }]);
    }
    expect(ids).toEqual(["1", "2", "4"]);
    expect(opened.leftOut).toHaveLength(1);
  });

  it("are all read that are not too large, also when an earlier one is only so in all of its values", async () => {
    const columns = Array.from({ length: 10 }, (_, index) => `c${index}`);
    const opened = await database(`
      CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns.join(", ")});
      INSERT INTO wide (id, c0) VALUES (1, 'one'), (3, 'three'), (4, ${text(9 * MIB)}), (5, 'five');
      INSERT INTO wide VALUES (2, ${columns.map(() => text(7 * MIB)).join(", ")});`);
    for (let times = 0; times < 2; times++) {
      const ids = [...opened.rows("SELECT * FROM wide ORDER BY id")].map(({ id }) => id);
      expect(ids).toEqual([1, 3, 4, 5]);
    }
    expect(opened.leftOut).toEqual(["a row of wide is longer than 64 MiB and was left out: id 2"]);
  });

  it("are all read when some are removed and added meanwhile", async () => {
    const path = join(tempFolder(), "app.db");
    const app = new DatabaseSync(path);
    open.push(app);
    app.exec(`PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, text);
      INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, ${text(9 * MIB)}), (5, 'five')`);
    const opened = await openSourceDatabase(path);
    open.push(opened);
    const idsOf = (sql: string) => [...opened.rows(sql)].map(({ id }) => id);
    const ids: unknown[] = [];
    for (const { id } of opened.rows("SELECT * FROM t ORDER BY id")) {
      ids.push(id);
      if (id === 3) app.exec("DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (6, 'six')");
    }
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(idsOf("SELECT * FROM t ORDER BY id")).toEqual([2, 3, 4, 5, 6]);
  });

  it.each([
    "SELECT * FROM t ORDER BY name",
    "SELECT * FROM t WHERE n = 1 ORDER BY name",
    "SELECT * FROM t ORDER BY n, id",
  ])("are read in the order of the table when one is large (%s)", async (sql) => {
    const path = join(tempFolder(), "app.db");
    const app = new DatabaseSync(path);
    app.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, n, name TEXT COLLATE NOCASE, text);
        CREATE INDEX names ON t (name); CREATE INDEX both ON t (n, name);
        INSERT INTO t VALUES (4, 1, 'a', ''), (3, 1, 'B', ''), (2, 1, 'c', ''), (1, 1, 'D', ''),
          (5, 2, 'e', ${text(65 * MIB)}), (6, 2, 'F', ${text(9 * MIB)}), (7, 2, 'g', '')`);
    const all = app
      .prepare(sql.replace("*", "id"))
      .all()
      .map(({ id }) => id);
    app.close();
    const opened = await openSourceDatabase(path);
    open.push(opened);
    expect([...opened.rows(sql)].map(({ id }) => id)).toEqual(all.filter((id) => id !== 5));
  });

  it("are never held when they are too large, in one value or in all", async () => {
    const columns = Array.from({ length: 200 }, (_, index) => `c${index}`);
    const opened = await database(`
      INSERT INTO t VALUES ('large', zeroblob(500000000)), ('bytes', x'00ff');
      CREATE TABLE wide (id, ${columns.join(", ")});
      INSERT INTO wide VALUES ('sum', ${columns.map(() => "zeroblob(400000)").join(", ")});
      INSERT INTO wide (id, c199) VALUES ('small', 9007199254740993);`);
    const before = process.resourceUsage().maxRSS;
    expect([...opened.rows("SELECT * FROM t")]).toEqual([{ id: "bytes", text: new Uint8Array([0, 255]) }]);
    expect([...opened.rows("SELECT id, c199 AS 'it''s' FROM wide WHERE id = 'small'")]).toEqual([
      { id: "small", "it's": "9007199254740993" },
    ]);
    expect([...opened.rows("SELECT * FROM wide")].map(({ id }) => id)).toEqual(["small"]);
    expect(opened.leftOut).toEqual([
      "a row of t is longer than 64 MiB and was left out: id large",
      "a row of wide is longer than 64 MiB and was left out: id sum",
    ]);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100_000);
  });
});
