import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { waitUntil } from "../util/wait.ts";
import { scrubInProcess } from "./scrub-slices.ts";

const SUBJECTS = Array.from({ length: 16 }, (_, subject) => subject);

let seed = 7;
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return (seed >> 8) % below;
}

/** Short and long rows, in tables and indexes that grow at the end and in the middle. */
function fill(database: DatabaseSync, subjects: readonly number[], count: number): void {
  const row = database.prepare("INSERT INTO rows (subject, name, body) VALUES (?, ?, ?)");
  const key = database.prepare("INSERT OR IGNORE INTO keys VALUES (?, ?)");
  database.exec("BEGIN");
  for (let n = 0; n < count; n++) {
    const subject = subjects[random(subjects.length)] as number;
    const word = `CANARY-${subject}- `;
    row.run(subject, `${random(1e6)} ${word}`, word.repeat([2, 30, 300, 1200][random(4)] as number));
    key.run(`${random(1e6)} ${word}`, n);
  }
  database.exec("COMMIT");
}

function remove(database: DatabaseSync, subject: number): void {
  database.prepare("DELETE FROM rows WHERE subject = ?").run(subject);
  database.prepare("DELETE FROM keys WHERE name LIKE ?").run(`%CANARY-${subject}-%`);
}

function filled(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;
    CREATE TABLE rows (n INTEGER PRIMARY KEY, subject INTEGER, name TEXT, body TEXT);
    CREATE INDEX rows_by_subject ON rows (subject, name); CREATE INDEX rows_by_name ON rows (name);
    CREATE TABLE keys (name TEXT, n INTEGER, PRIMARY KEY (name, n)) WITHOUT ROWID`);
  fill(database, SUBJECTS, 1200);
  return database;
}

/** Those whose words are still in the file. By another process: reading the file here would release our locks. */
function leftovers(database: DatabaseSync, path: string, gone: readonly number[]): number[] {
  expect(database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy).toBe(0);
  const { stdout } = spawnSync("grep", ["-oaE", "CANARY-[0-9]+-", path], {
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  const found = new Set(stdout.split("\n"));
  return gone.filter((subject) => found.has(`CANARY-${subject}-`));
}

/** A connection that has every page in memory, with its gaps. */
function inMemory(path: string): DatabaseSync {
  const other = new DatabaseSync(path);
  other.exec("PRAGMA secure_delete = ON; PRAGMA cache_size = 100000");
  readAll(other);
  return other;
}

function readAll(database: DatabaseSync): void {
  database.exec("SELECT sum(length(body)), sum(length(name)) FROM rows; SELECT count(name) FROM keys");
}

/** Writes pages that it has in memory. */
function writeMany(database: DatabaseSync): void {
  database.exec("UPDATE rows SET subject = subject + 0, name = name || '!' WHERE n % 3 = 0");
}

/** How often a process has a file open. */
function timesOpen(pid: number, path: string): number {
  const folder = `/proc/${pid}/fd`;
  const target = (name: string): string => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return "";
    }
  };
  return existsSync(folder) ? readdirSync(folder).filter((name) => target(name) === path).length : 0;
}

describe("scrubbing a SQLite file", () => {
  it("removes what SQLite leaves of deleted rows, and nothing else", async () => {
    const path = join(tempFolder(), "some.db");
    using database = filled(path);
    using other = inMemory(path);
    const kept = [...SUBJECTS];
    const gone: number[] = [];
    let before = 0;
    while (kept.length > 4) {
      for (let count = 0; count < 4; count++) {
        gone.push(...kept.splice(random(kept.length), 1));
        remove(database, gone.at(-1) as number);
        fill(database, kept, 10);
      }
      before += leftovers(database, path, gone).length;
      readAll(other);
      const rows = database.prepare("SELECT * FROM rows").all();
      await scrubInProcess(path);
      expect(database.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
      expect(database.prepare("SELECT * FROM rows").all()).toEqual(rows);
      writeMany(other);
      expect(leftovers(database, path, gone)).toEqual([]);
    }
    expect(before).toBeGreaterThan(0);
  });

  it.runIf(existsSync("/proc/self/fd"))(
    "makes others drop the pages that they read while it waited",
    { timeout: 60_000 },
    async () => {
      const path = join(tempFolder(), "some.db");
      using database = filled(path);
      const gone = SUBJECTS.slice(0, 8);
      for (const subject of gone) remove(database, subject);
      expect(leftovers(database, path, gone)).not.toEqual([]);
      database.exec("BEGIN IMMEDIATE");
      const child = spawn(process.execPath, [join(import.meta.dirname, "scrub-process.ts"), path]);
      const exit = once(child, "exit");
      // Two connections, and the file itself: it waits for the lock of its first slice.
      expect(await waitUntil(() => timesOpen(child.pid as number, path) === 3, 30_000)).toBe(true);
      using other = inMemory(path);
      database.exec("ROLLBACK");
      expect((await exit)[0]).toBe(0);
      writeMany(other);
      expect(leftovers(database, path, gone)).toEqual([]);
    },
  );
});

it("leaves the file to writers most of the time while a reader keeps it from the pages", async () => {
  const path = join(tempFolder(), "store.db");
  using writer = filled(path);
  using reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("BEGIN; SELECT count(*) FROM rows");
  fill(writer, [1], 10);
  const scrubbing = scrubInProcess(path).catch(() => "busy");
  const tries: boolean[] = [];
  const isFree = (): boolean => {
    try {
      writer.exec("BEGIN IMMEDIATE; ROLLBACK");
      return true;
    } catch {
      return false;
    }
  };
  // Counted from the first time that it has the file.
  expect(await waitUntil(() => !isFree(), 30_000)).toBe(true);
  await waitUntil(() => tries.push(isFree()) === 100, 30_000);
  expect(tries.filter((free) => free).length).toBeGreaterThan(40);
  reader.exec("ROLLBACK");
  expect(await scrubbing).toBeUndefined();
});
