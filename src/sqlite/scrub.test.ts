import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { scrubInProcess } from "./scrub-slices.ts";

const SUBJECTS = 16;

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

describe("scrubbing a SQLite file", () => {
  it("removes what SQLite leaves of deleted rows, and nothing else", async () => {
    const path = join(tempFolder(), "some.db");
    using database = new DatabaseSync(path);
    database.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;
      CREATE TABLE rows (n INTEGER PRIMARY KEY, subject INTEGER, name TEXT, body TEXT);
      CREATE INDEX rows_by_subject ON rows (subject, name); CREATE INDEX rows_by_name ON rows (name);
      CREATE TABLE keys (name TEXT, n INTEGER, PRIMARY KEY (name, n)) WITHOUT ROWID`);
    using other = new DatabaseSync(path);
    other.exec("PRAGMA secure_delete = ON; PRAGMA cache_size = 100000");
    const kept = Array.from({ length: SUBJECTS }, (_, subject) => subject);
    const gone: number[] = [];
    const leftovers = (): number[] => {
      expect(database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy).toBe(0);
      // By another process: reading the file here would release our locks.
      const { stdout } = spawnSync("grep", ["-oaE", "CANARY-[0-9]+-", path], {
        encoding: "utf8",
        maxBuffer: 1e9,
      });
      const found = new Set(stdout.split("\n"));
      return gone.filter((subject) => found.has(`CANARY-${subject}-`));
    };
    fill(database, kept, 1200);
    let before = 0;
    while (kept.length > 4) {
      for (let count = 0; count < 4; count++) {
        gone.push(...kept.splice(random(kept.length), 1));
        remove(database, gone.at(-1) as number);
        fill(database, kept, 10);
      }
      before += leftovers().length;
      // It has every page in memory, with the gaps as they were.
      other.exec("SELECT sum(length(body)), sum(length(name)) FROM rows; SELECT count(name) FROM keys");
      const rows = database.prepare("SELECT * FROM rows").all();
      await scrubInProcess(path);
      expect(database.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
      expect(database.prepare("SELECT * FROM rows").all()).toEqual(rows);
      other.exec("UPDATE rows SET subject = subject + 0, name = name || '!' WHERE n % 3 = 0");
      expect(leftovers()).toEqual([]);
    }
    expect(before).toBeGreaterThan(0);
  });
});
