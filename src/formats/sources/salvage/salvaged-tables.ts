/**
 * What is intact in the tables of a damaged SQLite file, as a temporary database with the same tables.
 *
 * Rows are looked for by their numbers: where a page is damaged, the numbers around it lead to other pages. Entries of
 * indexes then say which rows are missing.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { COPY_BYTES_MAX } from "../database-copy.ts";
import { sqliteProblem } from "../database-files.ts";
import { type Row, rowsOf } from "../database-rows.ts";
import { LimitedRows } from "../limited-rows.ts";
import { problem, problemOf } from "../problem.ts";
import {
  isTemporaryRefused,
  type TemporaryDatabase,
  temporaryDatabase,
  temporaryProblem,
} from "../temporary-database.ts";

/** A table is asked so often for what follows a damaged page: each question takes some microseconds. */
const RANGES_MAX = 20_000;
/** So many conversations of lost rows are named. */
const NAMED_MAX = 20;
const NAME_CHARS_MAX = 100;
/** The name of a row's number in what is read. */
const NUMBER = "colloquy: number";

const LACK = "is damaged, and what follows the damage was not read";

/** The numbers of rows that are looked at together. */
type Range = readonly [from: number, to: number];

/** What a table lacks of which an index has an entry. */
interface Lost {
  readonly count: number;
  readonly sessions: ReadonlySet<string>;
  /** The index is not damaged as well, and the table has numbers. */
  readonly isWhole: boolean;
}

export class SalvagedTables {
  readonly #from: DatabaseSync;
  readonly #read: LimitedRows;
  readonly #shown: string;
  readonly #file: TemporaryDatabase;
  readonly #copy: DatabaseSync;
  readonly #rows: LimitedRows;
  readonly #tables: Set<string> = new Set();
  /** What could not be read, in words. */
  readonly lost: string[] = [];

  /** `from` is damaged, and `read` are its rows. */
  constructor(from: DatabaseSync, read: LimitedRows, shown: string) {
    this.#from = from;
    this.#read = read;
    this.#shown = shown;
    if (this.#bytes > COPY_BYTES_MAX) {
      throw problem("damaged", `${shown} is damaged, and too large to copy what is intact`);
    }
    this.#file = temporaryDatabase(shown, LACK);
    this.#copy = this.#created(this.#file);
    this.#rows = new LimitedRows(this.#copy, shown);
  }

  rows(sql: string, values: readonly (string | number)[]): Generator<Row> {
    return this.#rows.rows(sql, values);
  }

  /** Each table once. */
  add(table: string): void {
    if (this.#tables.has(table)) return;
    this.#tables.add(table);
    try {
      const isWhole = this.#rows.unlimited(() => this.#addRows(table));
      this.#tellLost(table, isWhole);
    } catch (error) {
      throw this.#problemOf(error);
    }
  }

  close(): void {
    this.#copy.close();
    this.#file.remove();
  }

  #created(file: TemporaryDatabase): DatabaseSync {
    try {
      const copy = new DatabaseSync(file.path);
      copy.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
      return copy;
    } catch (error) {
      file.remove();
      throw this.#problemOf(error);
    }
  }

  /** What the damaged file fails with is a problem already. */
  #problemOf(error: unknown): Error {
    const isOfCopy = problemOf(error) === undefined && isTemporaryRefused(error);
    return isOfCopy ? temporaryProblem(error, this.#shown, LACK) : sqliteProblem(error, this.#shown);
  }

  #addRows(table: string): boolean {
    this.#copy.exec("BEGIN");
    const columns = [...this.#ask("SELECT name, type FROM pragma_table_xinfo(?)", table)];
    const names = columns.map(({ name }) => String(name));
    const typed = columns.map(({ name, type }) => `${quoted(String(name))} ${affinityOf(String(type))}`);
    this.#copy.exec(`CREATE TABLE ${table} (${typed.join(", ")})`);
    const number = this.#numberOf(table, names);
    const into = [...(number === undefined ? [] : [number]), ...names.map(quoted)];
    const values = into.map(() => "?").join(", ");
    // A damaged page may repeat a number.
    const insert = this.#copy.prepare(
      `INSERT OR IGNORE INTO ${table} (${into.join(", ")}) VALUES (${values})`,
    );
    const from = [...(number === undefined ? [] : [NUMBER]), ...names];
    const keep = (row: Row): unknown => insert.run(...from.map((name) => row[name] as SQLInputValue));
    const isWhole = number === undefined ? this.#addFirst(table, keep) : this.#addRanges(table, number, keep);
    this.#copy.exec("COMMIT");
    // Readers ask by the ids of rows, sessions and messages.
    for (const name of names.filter((one) => /(?:^|_)id$/.test(one)))
      this.#copy.exec(`CREATE INDEX ${quoted(`${table} by ${name}`)} ON ${table} (${quoted(name)})`);
    return isWhole;
  }

  /** The name by which a table has the numbers of its rows, if it has them. */
  #numberOf(table: string, names: readonly string[]): string | undefined {
    const taken = new Set(names.map((name) => name.toLowerCase()));
    const name = ["rowid", "_rowid_", "oid"].find((one) => !taken.has(one));
    if (name === undefined) return undefined;
    try {
      this.#from.prepare(`SELECT ${name} FROM ${table}`);
      return name;
    } catch {
      return undefined;
    }
  }

  /** Those before the first damaged page. */
  #addFirst(table: string, keep: (row: Row) => void): boolean {
    return this.#isIntact(() => {
      for (const row of this.#read.rows(`SELECT * FROM ${table}`, [])) keep(row);
    });
  }

  /** A range with damage is halved behind its last row, and the largest pieces come first. */
  #addRanges(table: string, number: string, keep: (row: Row) => void): boolean {
    const range = `FROM ${table} NOT INDEXED WHERE ${number} BETWEEN ? AND ? ORDER BY ${number}`;
    // Most ranges of a damaged page only fail, which takes less time than a row does.
    const first = this.#from.prepare(`SELECT ${number} ${range} LIMIT 1`);
    first.setReadBigInts(true);
    const sql = `SELECT ${number} AS "${NUMBER}", * ${range}`;
    const ranges: Range[] = [[Number.MIN_SAFE_INTEGER, this.#lastNumber(table, number)]];
    let isWhole = true;
    for (let index = 0; index < Math.min(ranges.length, RANGES_MAX); index++) {
      const [from, to] = ranges[index] as Range;
      let next = from;
      const isIntact = this.#isIntact(() => {
        if (first.get(from, to) === undefined) return;
        for (const row of this.#read.rows(sql, [from, to])) {
          keep(row);
          next = Math.max(next, Number(row[NUMBER]) + 1);
        }
      });
      isWhole &&= isIntact;
      if (!isIntact && next < to) ranges.push(...halves(Math.max(next, 0), to));
    }
    return isWhole;
  }

  /** By the table or its indexes; if all are damaged, more than any table of this size has used. */
  #lastNumber(table: string, number: string): number {
    const ways = ["NOT INDEXED", ...this.#indexesOf(table).map((name) => `INDEXED BY ${quoted(name)}`)];
    const found = ways.flatMap((way) => {
      try {
        const rows = [...this.#ask(`SELECT max(${number}) AS last FROM ${table} ${way}`)];
        return rows.map(({ last }) => Math.min(Number(last), Number.MAX_SAFE_INTEGER));
      } catch (error) {
        if (problemOf(error) === undefined) throw error;
        return [];
      }
    });
    return found.length > 0 ? Math.max(...found) : this.#bytes;
  }

  #indexesOf(table: string): string[] {
    const sql = "SELECT name FROM pragma_index_list(?) WHERE partial = 0";
    return [...this.#ask(sql, table)].map(({ name }) => String(name));
  }

  /** Whether nothing that was read is damaged. */
  #isIntact(read: () => void): boolean {
    try {
      read();
      return true;
    } catch (error) {
      if (problemOf(sqliteProblem(error, this.#shown)) !== "damaged") throw error;
      return false;
    }
  }

  /**
   * An index still has the numbers of rows, and one may have their sessions. Rows may be missing although no page
   * seems damaged, because another leads to a wrong one.
   */
  #tellLost(table: string, isWhole: boolean): void {
    const lost = this.#indexesOf(table).map((index) => this.#lostIn(table, index));
    const whole = lost.filter((found) => found.isWhole);
    const count = Math.max(0, ...whole.map((found) => found.count));
    // Otherwise, what is damaged had no rows.
    if (count === 0 && (isWhole || whole.length > 0)) return;
    const all = lost.find(({ isWhole, sessions }) => isWhole && sessions.size > 0);
    const { sessions = new Set<string>() } = all ?? lost.find((found) => found.sessions.size > 0) ?? {};
    const named = [...sessions].slice(0, NAMED_MAX);
    const left = sessions.size - named.length;
    const more = all === undefined ? " and perhaps others" : left > 0 ? ` and ${left} more` : "";
    const rows = count === 0 ? "rows" : count === 1 ? "1 row" : `${count} rows`;
    const whose = named.length === 0 ? "" : `: session_id ${named.join(", ")}${more}`;
    this.lost.push(`${rows} of ${table} could not be read${whose}`);
  }

  #lostIn(table: string, index: string): Lost {
    const columns = [...this.#ask("SELECT name FROM pragma_index_info(?)", index)].map(({ name }) => name);
    const session = columns.includes("session_id") ? "session_id" : "NULL";
    const sql = `SELECT rowid AS number, ${session} AS session FROM ${table} INDEXED BY ${quoted(index)}`;
    const isThere = this.#copy.prepare(`SELECT 1 FROM ${table} WHERE rowid = ?`);
    const sessions = new Set<string>();
    let count = 0;
    try {
      for (const row of this.#ask(sql)) {
        if (isThere.get(row.number as number) !== undefined) continue;
        count++;
        if (row.session !== null) sessions.add(String(row.session).slice(0, NAME_CHARS_MAX));
      }
      return { count, sessions, isWhole: true };
    } catch (error) {
      if (problemOf(error) === undefined) throw error;
      return { count, sessions, isWhole: false };
    }
  }

  get #bytes(): number {
    const [size] = this.#ask(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    );
    return Number(size?.bytes);
  }

  #ask(sql: string, ...values: readonly string[]): Generator<Row> {
    return rowsOf(this.#from, sql, values, this.#shown);
  }
}

function halves(from: number, to: number): Range[] {
  const middle = Math.floor((from + to) / 2);
  return [
    [from, middle],
    [middle + 1, to],
  ];
}

/** What SQLite makes of the type of a column: values are compared accordingly. */
function affinityOf(type: string): string {
  if (/INT/i.test(type)) return "INTEGER";
  if (/CHAR|CLOB|TEXT/i.test(type)) return "TEXT";
  if (type === "" || /BLOB/i.test(type)) return "BLOB";
  return /REAL|FLOA|DOUB/i.test(type) ? "REAL" : "NUMERIC";
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
