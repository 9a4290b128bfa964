/** Rows of a SQLite file, without those that are too large for memory. */
import type { DatabaseSync } from "node:sqlite";
import { LINE_BYTES_MAX } from "../../disk/line-scan.ts";
import { sqliteCode } from "../../disk/sqlite-code.ts";
import { type Row, rowsOf } from "./database-rows.ts";

/** Up to here the values of a row are read without looking at their lengths before, which takes three times as long. */
const VALUE_BYTES_QUICK = 8 * 1024 * 1024;
/** More columns than the tables of tools have could hold too much with values of that length. */
const COLUMNS_QUICK = 64;
/** The code of SQLite for a value beyond the limit. */
const TOO_BIG = 18;

/** The column that says which row is too large, by its short values. */
const ABOUT = "colloquy: too large";
const SHORT_BYTES = 100;
/** Other names than those of the table, to which `ORDER BY` then refers. */
const PREFIX = "colloquy. ";
/** Longer than any number is as text. */
const NUMBER_BYTES_MAX = 32;

/** A row that is longer than a line may be is left out, and reported. */
export class LimitedRows {
  readonly #database: DatabaseSync;
  readonly #isLimited: boolean;
  readonly #shown: string;
  /** Which rows, each once: some are asked for several times. */
  readonly leftOut: string[] = [];
  /** Which statements have, or may have, large values. */
  readonly #isLarge: Map<string, boolean> = new Map();
  #reading = 0;

  constructor(database: DatabaseSync, shown: string) {
    // Node.js 24 has no limits: all rows are read carefully there.
    this.#isLimited = "limits" in database;
    if (this.#isLimited) database.limits.length = VALUE_BYTES_QUICK;
    this.#database = database;
    this.#shown = shown;
  }

  *rows(sql: string, values: readonly (string | number)[]): Generator<Row> {
    this.#begin();
    try {
      const read = this.#mayBeLarge(sql) ? 0 : yield* this.#quickly(sql, values);
      if (read === undefined) return;
      this.#isLarge.set(sql, true);
      yield* this.#carefully(sql, values, read);
    } finally {
      this.#end();
    }
  }

  /** A statement that is run again has the same rows: without a transaction, other programs could change them. */
  #begin(): void {
    if (this.#reading++ === 0) this.#database.exec("BEGIN");
  }

  /** Nothing was written, and of a damaged file a commit fails. SQLite itself ends a transaction after some errors. */
  #end(): void {
    if (--this.#reading === 0 && this.#database.isTransaction) this.#database.exec("ROLLBACK");
  }

  #mayBeLarge(sql: string): boolean {
    let isLarge = this.#isLarge.get(sql);
    if (isLarge === undefined) {
      isLarge = !this.#isLimited || namesOf(this.#database, sql).length > COLUMNS_QUICK;
      this.#isLarge.set(sql, isLarge);
    }
    return isLarge;
  }

  /** Ends before a row that may be too large, with the number of rows before it; `undefined` if there is none. */
  *#quickly(sql: string, values: readonly (string | number)[]): Generator<Row, number | undefined> {
    let read = 0;
    try {
      for (const row of rowsOf(this.#database, sql, values, this.#shown)) {
        if (bytesMaxOf(row) > LINE_BYTES_MAX) return read;
        read++;
        yield row;
      }
      return undefined;
    } catch (error) {
      if (sqliteCode((error as Error).cause) !== TOO_BIG) throw error;
      return read;
    }
  }

  /** Without the first rows, which were read already. */
  *#carefully(sql: string, values: readonly (string | number)[], read: number): Generator<Row> {
    const prefix = read > 0 ? PREFIX : "";
    const limited = limitedSql(this.#database, sql, prefix);
    let position = 0;
    for (const row of this.#unlimited(rowsOf(this.#database, limited, values, this.#shown))) {
      if (position++ < read) continue;
      const { [ABOUT]: about, ...columns } = row;
      if (about !== null) this.#tell(sql, String(about));
      else yield prefix === "" ? columns : withoutPrefix(columns);
    }
  }

  *#unlimited(rows: Generator<Row>): Generator<Row> {
    try {
      for (let next = this.#step(rows); next.done !== true; next = this.#step(rows)) yield next.value;
    } finally {
      rows.return(undefined);
    }
  }

  /** The limit is that of the connection, and other rows may be on their way, so it is lifted for one step only. */
  #step(rows: Generator<Row>): IteratorResult<Row> {
    return this.unlimited(() => rows.next());
  }

  /** Work for which the limit of the connection is lifted. */
  unlimited<T>(work: () => T): T {
    if (!this.#isLimited) return work();
    const { limits } = this.#database;
    limits.length = Number.POSITIVE_INFINITY;
    try {
      return work();
    } finally {
      limits.length = VALUE_BYTES_QUICK;
    }
  }

  #tell(sql: string, about: string): void {
    const table = /\bFROM\s+(\w+)/i.exec(sql)?.[1] ?? "a table";
    const limit = `${LINE_BYTES_MAX / 1024 ** 2} MiB`;
    const reason = `a row of ${table} is longer than ${limit} and was left out${about === "" ? "" : `: ${about}`}`;
    if (!this.leftOut.includes(reason)) this.leftOut.push(reason);
  }
}

/** At least as many bytes as SQLite counts: a unit of UTF-16 has three at most. */
function bytesMaxOf(row: Row): number {
  let bytes = 0;
  for (const value of Object.values(row)) {
    if (typeof value === "string") bytes += 3 * value.length;
    else bytes += ArrayBuffer.isView(value) ? value.byteLength : NUMBER_BYTES_MAX;
  }
  return bytes;
}

function withoutPrefix(columns: Row): Row {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [name.slice(PREFIX.length), value]),
  );
}

/** None, if the statement is wrong: running it says why. */
function namesOf(database: DatabaseSync, sql: string): string[] {
  try {
    return database
      .prepare(sql)
      .columns()
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/**
 * The same rows; those that are too large have only `ABOUT`.
 *
 * With a prefix they have the same order, too: `ORDER BY` refers to the values of the table. Sorting copies what it
 * compares, but what was sorted before was short enough. Without a prefix, `ORDER BY` refers to what is selected, so
 * that no large value is copied; those that are too large come first.
 */
function limitedSql(database: DatabaseSync, sql: string, prefix: string): string {
  const names = namesOf(database, sql);
  const [, unsorted = sql, order = ""] = /^(.*)( ORDER BY [^()]+)$/s.exec(sql) ?? [];
  // Sorting copies what is selected, too, so that what is too large is left out before, if `ORDER BY` permits it.
  const sortedLast = limitedTo(unsorted, names, prefix) + order;
  return namesOf(database, sortedLast).length > 0 ? sortedLast : limitedTo(sql, names, prefix);
}

/** SQLite knows the length of a value without reading it. */
function limitedTo(sql: string, names: readonly string[], prefix: string): string {
  const columns = names.map((name) => quoted(name));
  const bytes = columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(" + ");
  const isTooLarge = `${bytes} > ${LINE_BYTES_MAX}`;
  const kept = names.map(
    (name) => `iif(${isTooLarge}, NULL, ${quoted(name)}) AS ${quoted(`${prefix}${name}`)}`,
  );
  const short = columns.map((column, index) => {
    const name = `'${names[index]?.replaceAll("'", "''")} '`;
    return `iif(octet_length(${column}) <= ${SHORT_BYTES}, ${name} || ${column}, NULL)`;
  });
  const about = `iif(${isTooLarge}, concat_ws(', ', ${short.join(", ")}), NULL)`;
  return `SELECT ${[...kept, `${about} AS "${ABOUT}"`].join(", ")} FROM (${sql})`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
