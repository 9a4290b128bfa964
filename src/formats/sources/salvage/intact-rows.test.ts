import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openSourceDatabase } from "../database.ts";
import type { OpenSourceDatabase } from "../types.ts";

const ROWS = 400;
const PAGE_BYTES = 4096;

const TMPDIR = process.env.TMPDIR;
let path: string;
let open: OpenSourceDatabase | undefined;

beforeEach(() => {
  path = join(tempFolder(), "app.db");
  // Of its own, to see what is left in it.
  process.env.TMPDIR = tempFolder();
});

afterEach(() => {
  open?.close();
  open = undefined;
  expect(readdirSync(tmpdir())).toEqual([]);
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

/** A table with rows of about 100 bytes, some of whose pages are damaged. */
async function damaged(
  columns: string,
  pages: (bytes: Buffer) => readonly number[],
): Promise<OpenSourceDatabase> {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE t (${columns})`);
  const put = database.prepare("INSERT INTO t (id, number, text) VALUES (?, ?, ?)");
  for (let index = 0; index < ROWS; index++) put.run(`id${index}`, index, `${index} ${"x".repeat(80)}`);
  database.close();
  const bytes = readFileSync(path);
  for (const page of pages(bytes)) bytes.fill(0xff, (page - 1) * PAGE_BYTES, (page - 1) * PAGE_BYTES + 200);
  writeFileSync(path, bytes);
  open = await openSourceDatabase(path);
  open.columns("t");
  return open;
}

/** The pages with rows, each of which has `text`. */
function leaves(bytes: Buffer): number[] {
  const pages = Array.from({ length: bytes.length / PAGE_BYTES }, (_, index) => index + 1);
  return pages.filter((page) => bytes[(page - 1) * PAGE_BYTES] === 13).slice(1);
}

const numbers = (rows: Iterable<Readonly<Record<string, unknown>>>): number[] =>
  [...rows].map(({ number }) => number as number);

describe("rows of a damaged database", () => {
  it("come once and in order, also those that were read before the damage was met", async () => {
    const database = await damaged("id TEXT PRIMARY KEY, number INTEGER, text TEXT", (bytes) =>
      leaves(bytes).slice(5, 6),
    );
    const found = numbers(database.rows("SELECT * FROM t ORDER BY rowid"));
    expect(found.length).toBeGreaterThan(ROWS - 50);
    expect(found.length).toBeLessThan(ROWS);
    expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    expect(found.at(-1)).toBe(ROWS - 1);
    expect(database.isDamaged).toBe(true);
    expect(database.leftOut).toEqual([
      "is damaged: what is intact was read",
      `${ROWS - found.length} rows of t could not be read`,
    ]);
    expect(numbers(database.rows("SELECT * FROM t WHERE id = ?", "id399"))).toEqual([399]);
  });

  it("come up to the damage from a table whose rows have no numbers", async () => {
    const columns =
      "id TEXT, number INTEGER, text TEXT, PRIMARY KEY (number)) WITHOUT ROWID; CREATE TABLE u (i";
    const database = await damaged(columns, (bytes) => [bytes.length / PAGE_BYTES]);
    const found = numbers(database.rows("SELECT * FROM t"));
    expect(found.length).toBeGreaterThan(100);
    expect(found).toEqual(found.map((_, index) => index));
    expect(database.leftOut).toEqual(["is damaged: what is intact was read", "rows of t could not be read"]);
  });

  it("compare as those of the table do", async () => {
    const database = await damaged("id TEXT, number INTEGER, text TEXT, other", (bytes) =>
      leaves(bytes).slice(0, 1),
    );
    numbers(database.rows("SELECT * FROM t"));
    expect(numbers(database.rows("SELECT * FROM t WHERE number = ?", "399"))).toEqual([399]);
    expect([...database.rows("SELECT * FROM t WHERE text > 5 AND other = 1")]).toEqual([]);
  });

  it("are found although numbers are far apart", async () => {
    const columns = "id TEXT, number INTEGER PRIMARY KEY, text TEXT";
    const database = await damaged(
      `${columns}); INSERT INTO t (number) VALUES (9007199254740000); CREATE TABLE u (i`,
      (bytes) => leaves(bytes).slice(2, 3),
    );
    expect(numbers(database.rows("SELECT * FROM t"))).toContain(399);
  });

  it("of which nothing was damaged come from the file itself", async () => {
    const database = await damaged("id TEXT, number INTEGER, text TEXT", () => []);
    expect(numbers(database.rows("SELECT * FROM t"))).toHaveLength(ROWS);
    expect(database.isDamaged).toBe(false);
    expect(database.leftOut).toEqual([]);
  });
});
