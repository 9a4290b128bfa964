import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeZip } from "../../../test/support/make-zip.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openSourceDatabase } from "./database.ts";
import type { SourceFile } from "./types.ts";
import { walk } from "./walk.ts";

const open: { close(): void }[] = [];

const TMPDIR = process.env.TMPDIR;

beforeEach(() => {
  // Of its own, to see what is left in it.
  process.env.TMPDIR = tempFolder();
});

afterEach(() => {
  for (const database of open.splice(0)) database.close();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

function writer(path: string, sql: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(sql);
  return database;
}

/** A database that its program has closed. */
function closed(mode: "WAL" | "DELETE", sql = "INSERT INTO t VALUES (1, 'one'), (2, 'two')"): string {
  const path = join(tempFolder(), "app.db");
  writer(path, `PRAGMA journal_mode = ${mode}; CREATE TABLE t (id INTEGER, text TEXT); ${sql}`).close();
  return path;
}

const beside = (path: string): string[] => readdirSync(join(path, "..")).sort();

async function texts(file: string | SourceFile): Promise<unknown[]> {
  const database = await openSourceDatabase(file);
  try {
    return [...database.rows("SELECT text FROM t ORDER BY id")].map(({ text }) => text);
  } finally {
    database.close();
  }
}

const leftovers = (): string[] => readdirSync(tmpdir());

async function only(path: string): Promise<SourceFile> {
  for await (const file of walk([path], { onProblem: () => {} })) return file;
  throw new Error("nothing found");
}

describe("a database of another program", () => {
  it("returns its columns and rows", async () => {
    const path = closed("DELETE");
    const database = await openSourceDatabase(path);
    open.push(database);
    expect(database.columns("t")).toEqual(["id", "text"]);
    expect(database.columns("none")).toEqual([]);
    expect(database.columns("t; DROP TABLE t")).toEqual([]);
    expect([...database.rows("SELECT * FROM t WHERE id > ? AND text <> ?", 1, "x")]).toEqual([
      { id: 2, text: "two" },
    ]);
    expect(database.note).toBeUndefined();
  });

  it("returns integers beyond 2^53 as strings, and bytes as bytes", async () => {
    const path = closed("DELETE", "INSERT INTO t VALUES (9007199254740993, 'x'), (-5, x'00ff')");
    const database = await openSourceDatabase(path);
    open.push(database);
    expect([...database.rows("SELECT * FROM t ORDER BY id")]).toEqual([
      { id: -5, text: new Uint8Array([0, 255]) },
      { id: "9007199254740993", text: "x" },
    ]);
  });

  it.each(["WAL", "DELETE"] as const)("is left unchanged, with nothing beside it (%s)", async (mode) => {
    const path = closed(mode);
    const [bytes, { mtimeNs }] = [readFileSync(path), statSync(path, { bigint: true })];
    expect(await texts(path)).toEqual(["one", "two"]);
    expect(beside(path)).toEqual(["app.db"]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(statSync(path, { bigint: true }).mtimeNs).toBe(mtimeNs);
  });

  it("cannot be written to", async () => {
    const path = closed("WAL");
    const database = await openSourceDatabase(path);
    open.push(database);
    for (const sql of ["DELETE FROM t", "CREATE TABLE u (a)", "PRAGMA user_version = 7"]) {
      try {
        [...database.rows(sql)];
      } catch {
        // What matters is that nothing has changed.
      }
    }
    database.close();
    const check = new DatabaseSync(path);
    open.push(check);
    expect(check.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 2 });
    expect(check.prepare("PRAGMA user_version").get()).toEqual({ user_version: 0 });
    expect(check.prepare("SELECT count(*) AS n FROM sqlite_schema").get()).toEqual({ n: 1 });
  });

  it("is read with what only the log of a running program holds", async () => {
    const path = closed("WAL");
    const app = writer(path, "INSERT INTO t VALUES (3, 'three')");
    const database = await openSourceDatabase(path);
    expect([...database.rows("SELECT text FROM t")]).toHaveLength(3);
    app.exec("INSERT INTO t VALUES (4, 'four')");
    expect([...database.rows("SELECT text FROM t")]).toHaveLength(4);
    database.close();
    app.exec("INSERT INTO t VALUES (5, 'five')");
    app.close();
    expect(beside(path)).toEqual(["app.db"]);
    expect(await texts(path)).toHaveLength(5);
  });

  it("keeps the log that a program has started meanwhile", async () => {
    const path = closed("WAL");
    const database = await openSourceDatabase(path);
    const app = writer(path, "INSERT INTO t VALUES (3, 'three')");
    database.close();
    expect(beside(path)).toEqual(["app.db", "app.db-shm", "app.db-wal"]);
    app.exec("INSERT INTO t VALUES (4, 'four')");
    app.close();
    expect(await texts(path)).toHaveLength(4);
  });

  it("keeps the log that a killed program had started meanwhile", async () => {
    const path = closed("WAL");
    const database = await openSourceDatabase(path);
    const app = `const { DatabaseSync } = require("node:sqlite");
      new DatabaseSync(process.argv[1]).exec("INSERT INTO t VALUES (3, 'three')");
      process.kill(process.pid, "SIGKILL");`;
    expect(spawnSync(process.execPath, ["-e", app, path]).signal).toBe("SIGKILL");
    const log = readFileSync(`${path}-wal`);
    database.close();
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
    expect(await texts(path)).toHaveLength(3);
  });

  it("that was copied together with its log is read whole, and nothing is added to it", async () => {
    const live = closed("WAL");
    const app = writer(live, "INSERT INTO t VALUES (3, 'three')");
    open.push(app);
    const path = join(tempFolder(), "app.db");
    copyFileSync(live, path);
    copyFileSync(`${live}-wal`, `${path}-wal`);
    const before = leftovers();
    const database = await openSourceDatabase(path);
    expect([...database.rows("SELECT text FROM t")]).toHaveLength(3);
    expect(database.note).toBe("a copy was read, with its log");
    database.close();
    expect(beside(path)).toEqual(["app.db", "app.db-wal"]);
    expect(leftovers()).toEqual(before);
  });

  it("whose program was killed in a transaction is read without it", async () => {
    const rows =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i, 'kept' FROM n";
    const live = closed("DELETE", `INSERT INTO t ${rows}`);
    const app = writer(
      live,
      "PRAGMA cache_size = 2; PRAGMA cache_spill = 2; BEGIN; UPDATE t SET text = 'torn'",
    );
    open.push(app);
    const path = join(tempFolder(), "app.db");
    copyFileSync(live, path);
    copyFileSync(`${live}-journal`, `${path}-journal`);
    expect(readFileSync(path).includes("torn")).toBe(true);
    expect(new Set(await texts(path))).toEqual(new Set(["kept"]));
    expect(beside(path)).toEqual(["app.db", "app.db-journal"]);
  });

  it.skipIf(process.getuid?.() === 0)("is read in a folder where nothing can be created", async () => {
    const path = closed("WAL");
    chmodSync(join(path, ".."), 0o500);
    const database = await openSourceDatabase(path);
    expect([...database.rows("SELECT text FROM t")]).toHaveLength(2);
    expect(database.note).toBe("it was read as immutable");
    database.close();
    chmodSync(join(path, ".."), 0o700);
    expect(beside(path)).toEqual(["app.db"]);
  });

  it("that its program has locked is a problem, soon", async () => {
    const path = closed("DELETE");
    open.push(writer(path, "BEGIN EXCLUSIVE"));
    await expect(openSourceDatabase(path)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: `${path} is locked by the program that uses it. Try again later`,
      details: { problem: "locked" },
    });
  });

  it.each(["WAL", "DELETE"] as const)("that is damaged is a problem when it is met (%s)", async (mode) => {
    const path = closed(mode, `INSERT INTO t VALUES (1, '${"x".repeat(50_000)}')`);
    const bytes = readFileSync(path);
    bytes.fill(7, 4096);
    writeFileSync(path, bytes);
    await expect(texts(path)).rejects.toMatchObject({ details: { problem: "damaged" } });
    expect(beside(path)).toEqual(["app.db"]);
  });

  it.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, 3000)],
    ["only its head", (bytes: Buffer) => bytes.subarray(0, 16)],
  ])("that is %s is a problem", async (_, damage) => {
    const path = closed("DELETE");
    writeFileSync(path, damage(readFileSync(path)));
    await expect(texts(path)).rejects.toMatchObject({ details: { problem: "damaged" } });
  });

  it("that is missing or not a database is a problem, and is never created", async () => {
    const folder = tempFolder();
    await expect(openSourceDatabase(join(folder, "none.db"))).rejects.toMatchObject({
      details: { problem: "vanished" },
    });
    writeFileSync(join(folder, "text.db"), "some text");
    await expect(openSourceDatabase(join(folder, "text.db"))).rejects.toMatchObject({
      details: { problem: "damaged" },
    });
    mkdirSync(join(folder, "folder.db"));
    await expect(openSourceDatabase(join(folder, "folder.db"))).rejects.toThrow("is a folder");
    expect(readdirSync(folder)).toEqual(["folder.db", "text.db"]);
  });

  it("reports which query failed", async () => {
    const database = await openSourceDatabase(closed("DELETE"));
    open.push(database);
    expect(() => [...database.rows("SELECT * FROM none")]).toThrow("no such table: none");
  });

  it.each([
    [
      "a view",
      "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    ],
    ["a virtual table", "CREATE VIRTUAL TABLE v USING fts5(text)"],
    ["a computed column", "CREATE TABLE v (id, text AS (hex(zeroblob(400000000))))"],
  ])("does not run SQL of the file, such as %s", async (_, schema) => {
    const database = await openSourceDatabase(closed("DELETE", schema));
    open.push(database);
    for (const name of ["v", "V"]) {
      expect(() => database.columns(name)).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(
            /was not read, because v(\.text)? is a (view, not a table|virtual table, not a table|computed column)$/i,
          ),
          details: { problem: "unsupported" },
        }),
      );
    }
  });

  it.each([
    'v (id, "text")',
    '"v"(id, text)',
    "`v` (id, text)",
    "[v] (id, text)",
    "'v'(id, text)",
    "v /* all */(id, text)",
  ])("has a table however its name is written, as in %s", async (table) => {
    const sql = `CREATE TABLE ${table}; CREATE TABLE vv (id); CREATE VIEW "v v" AS SELECT 1`;
    const database = await openSourceDatabase(closed("DELETE", sql));
    open.push(database);
    expect(database.columns("v")).toEqual(["id", "text"]);
  });

  it("has columns that are computed when they are written", async () => {
    const sql = "CREATE TABLE v (id, twice AS (id * 2) STORED)";
    const database = await openSourceDatabase(closed("DELETE", sql));
    open.push(database);
    expect(database.columns("v")).toEqual(["id", "twice"]);
  });

  it("whose name has a special meaning in a URL is opened", async () => {
    const path = join(tempFolder(), "a?mode=memory#%41 b.db");
    writer(
      path,
      "PRAGMA journal_mode = WAL; CREATE TABLE t (id, text); INSERT INTO t VALUES (1, 'x')",
    ).close();
    expect(await texts(path)).toEqual(["x"]);
    expect(beside(path)).toHaveLength(1);
  });
});

describe("a database that is packed", () => {
  it.each([
    ["in a zip", (data: Buffer) => makeZip([{ name: "in/app.db", data }])],
    ["by zstd", (data: Buffer) => zstdCompressSync(data)],
  ])("%s is unpacked, and the copy is removed", async (_, pack) => {
    const packed = join(tempFolder(), "packed");
    writeFileSync(packed, pack(readFileSync(closed("WAL"))));
    const file = await only(packed);
    const before = leftovers();
    const database = await openSourceDatabase(file);
    expect(leftovers()).toHaveLength(before.length + 1);
    expect([...database.rows("SELECT text FROM t")]).toHaveLength(2);
    database.close();
    expect(leftovers()).toEqual(before);
  });

  it("and damaged is a problem, and the copy is removed", async () => {
    const path = closed("DELETE", `INSERT INTO t VALUES (1, '${"x".repeat(5000)}')`);
    const packed = join(tempFolder(), "packed");
    writeFileSync(packed, makeZip([{ name: "app.db", data: readFileSync(path).fill(7, 100) }]));
    const before = leftovers();
    await expect(texts(await only(packed))).rejects.toMatchObject({ details: { problem: "damaged" } });
    expect(leftovers()).toEqual(before);
  });
});
