import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { type Migration, migrate, migrationCopies } from "./migrate.ts";
import { type OpenOptions, openDatabase, PAGE_BYTES } from "./open.ts";
import { pragma } from "./pragma.ts";

const first: Migration = { name: "notes", up: "CREATE TABLE notes (text TEXT) STRICT" };
const second: Migration = { name: "stars", up: "ALTER TABLE notes ADD COLUMN stars INTEGER" };
const third: Migration = {
  name: "fill",
  up: (database) => database.exec("UPDATE notes SET stars = length(text)"),
};

function options(...migrations: Migration[]): OpenOptions {
  return { synchronous: "FULL", applicationId: 4711, migrations };
}

describe("opening a SQLite file", () => {
  it("creates missing folders and a private file with a synced write-ahead log", async () => {
    const path = join(tempFolder(), "deep", "er", "store.db");
    const database = await openDatabase(path, options(first));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(database.prepare("PRAGMA journal_mode").get()?.journal_mode).toBe("wal");
    expect(pragma(database, "synchronous")).toBe(2);
    expect(pragma(database, "secure_delete")).toBe(1);
    expect(pragma(database, "page_size")).toBe(PAGE_BYTES);
    expect(pragma(database, "foreign_keys")).toBe(1);
    expect([pragma(database, "application_id"), pragma(database, "user_version")]).toEqual([4711, 1]);
    database.close();
  });

  it("refuses a folder, a text file and the database of another program, and does not change them", async () => {
    const folder = tempFolder();
    const text = join(folder, "notes.txt");
    writeFileSync(text, "These are my notes, and they are longer than a header of SQLite. ".repeat(20));
    const other = join(folder, "other.db");
    const theirs = new DatabaseSync(other);
    theirs.exec("CREATE TABLE theirs (x); PRAGMA user_version = 7");
    theirs.close();
    const before = [readFileSync(text), readFileSync(other)];
    const code = "VALIDATION_ERROR";
    await expect(openDatabase(folder, options(first))).rejects.toMatchObject({
      code,
      message: /is a folder/,
    });
    await expect(openDatabase(text, options(first))).rejects.toMatchObject({
      code,
      message: /not a SQLite file/,
    });
    await expect(openDatabase(other, options(first))).rejects.toMatchObject({
      code,
      message: /another program/,
    });
    expect([readFileSync(text), readFileSync(other)]).toEqual(before);
    expect(readdirSync(folder).toSorted()).toEqual(["notes.txt", "other.db"]);
  });

  it("refuses a file of a newer version and says to update", async () => {
    const path = join(tempFolder(), "store.db");
    (await openDatabase(path, options(first, second))).close();
    const opening = openDatabase(path, options(first));
    await expect(opening).rejects.toMatchObject({ code: "NOT_SUPPORTED", message: /Update Colloquy/ });
  });

  it.each(["empty", "missing"])(
    "refuses a file that is %s beside a log that SQLite would throw away",
    async (state) => {
      const path = join(tempFolder(), "store.db");
      if (state === "empty") writeFileSync(path, "");
      writeFileSync(`${path}-wal`, "all that is left of your words");
      const opening = openDatabase(path, options(first));
      await expect(opening).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", message: /damaged/ });
      expect(readFileSync(`${path}-wal`, "utf8")).toBe("all that is left of your words");
    },
  );

  it("opens an existing file for reading, but not one that is missing, empty or old", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    const reading = { ...options(first), readonly: true };
    await expect(openDatabase(path, reading)).rejects.toMatchObject({ code: "NOT_FOUND" });
    writeFileSync(path, "");
    await expect(openDatabase(path, reading)).rejects.toMatchObject({ code: "NOT_FOUND" });
    (await openDatabase(path, options(first))).close();
    const database = await openDatabase(path, reading);
    expect(() => database.exec("INSERT INTO notes VALUES ('x')")).toThrow(/readonly/);
    database.close();
    const old = openDatabase(path, { ...options(first, second), readonly: true });
    await expect(old).rejects.toMatchObject({ code: "NOT_SUPPORTED", message: /open it once for writing/ });
  });

  it("reports a damaged file as damaged, never as empty", async () => {
    const path = join(tempFolder(), "store.db");
    const database = await openDatabase(path, options(first));
    database.exec("INSERT INTO notes VALUES ('kept')");
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 100, 4096);
    writeFileSync(path, bytes);
    await expect(openDatabase(path, options(first))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(readFileSync(path)).toEqual(bytes);
  });
});

describe("migrating a SQLite file", () => {
  it("runs the missing steps after copying the file to a backup beside it", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    const old = await openDatabase(path, options(first));
    old.exec("INSERT INTO notes VALUES ('three')");
    old.close();
    const database = await openDatabase(path, options(first, second, third));
    expect({ ...database.prepare("SELECT * FROM notes").get() }).toEqual({ text: "three", stars: 5 });
    expect(pragma(database, "user_version")).toBe(3);
    database.close();
    const backups = readdirSync(folder).filter((name) => /^store\.db\.backup-v1-\d{17}$/.test(name));
    expect(backups).toHaveLength(1);
    const backup = await openDatabase(join(folder, backups[0] as string), options(first));
    expect({ ...backup.prepare("SELECT * FROM notes").get() }).toEqual({ text: "three" });
    backup.close();
  });

  it("copies the file even if no other connection can read it", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    (await openDatabase(path, options(first))).close();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; INSERT INTO notes VALUES ('alone')");
    migrate(database, path, options(first, second));
    expect(pragma(database, "user_version")).toBe(2);
    database.close();
    const [name] = migrationCopies(path);
    const backup = await openDatabase(name as string, options(first));
    expect(backup.prepare("SELECT text FROM notes").get()?.text).toBe("alone");
    backup.close();
  });

  it("makes the copy private", async () => {
    const path = join(tempFolder(), "store.db");
    (await openDatabase(path, options(first))).close();
    (await openDatabase(path, options(first, second))).close();
    expect(migrationCopies(path).map((name) => statSync(name).mode & 0o777)).toEqual([0o600]);
  });

  it("changes nothing when a step fails", async () => {
    const path = join(tempFolder(), "store.db");
    (await openDatabase(path, options(first))).close();
    const broken: Migration = { name: "broken", up: "CREATE TABLE half (x); SELECT nonsense FROM nowhere" };
    await expect(openDatabase(path, options(first, broken))).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    const database = await openDatabase(path, options(first));
    expect(database.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()?.n).toBe(0);
    database.close();
  });

  it("runs each step once when several connections open an old file at the same time", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    (await openDatabase(path, options(first))).close();
    let runs = 0;
    const counted: Migration = {
      name: "counted",
      up: (database) => {
        runs++;
        database.exec("CREATE TABLE counted (x)");
      },
    };
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => openDatabase(path, options(first, counted))),
    );
    expect(runs).toBe(1);
    for (const database of opened) database.close();
  });

  it("reports a folder that cannot be created", async () => {
    const folder = join(tempFolder(), "file");
    mkdirSync(folder);
    writeFileSync(join(folder, "block"), "");
    const opening = openDatabase(join(folder, "block", "store.db"), options(first));
    await expect(opening).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", message: /Cannot create/ });
  });
});
