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

/** A row that is longer than a line may be is left out, and reported. */
export class LimitedRows {
  readonly #quick: DatabaseSync;
  readonly #isLimited: boolean;
  readonly #connect: () => DatabaseSync;
  readonly #shown: string;
  /** Which rows, each once: some are asked for several times. */
  readonly leftOut: string[] = [];
  /** A connection of its own, because a limit is that of a connection, and other rows may be on their way. */
  #careful: DatabaseSync | undefined;
  /** Which statements have, or may have, large values. */
  readonly #isLarge: Map<string, boolean> = new Map();

  constructor(quick: DatabaseSync, connect: () => DatabaseSync, shown: string) {
    // Node.js 24 has no limits: all rows are read carefully there.
    this.#isLimited = "limits" in quick;
    if (this.#isLimited) quick.limits.length = VALUE_BYTES_QUICK;
    this.#quick = quick;
    this.#connect = connect;
    this.#shown = shown;
  }

  *rows(sql: string, values: readonly (string | number)[]): Generator<Row> {
    let read = 0;
    if (!this.#mayBeLarge(sql)) {
      try {
        for (const row of rowsOf(this.#quick, sql, values, this.#shown)) {
          read++;
          yield row;
        }
        return;
      } catch (error) {
        if (sqliteCode((error as Error).cause) !== TOO_BIG) throw error;
        this.#isLarge.set(sql, true);
      }
    }
    for (const row of this.#carefully(sql, values)) if (read-- <= 0) yield row;
  }

  #mayBeLarge(sql: string): boolean {
    let isLarge = this.#isLarge.get(sql);
    if (isLarge === undefined) {
      isLarge = !this.#isLimited || namesOf(this.#quick, sql).length > COLUMNS_QUICK;
      this.#isLarge.set(sql, isLarge);
    }
    return isLarge;
  }

  *#carefully(sql: string, values: readonly (string | number)[]): Generator<Row> {
    this.#careful ??= this.#connect();
    const limited = limitedSql(this.#careful, sql);
    for (const { [ABOUT]: about, ...row } of rowsOf(this.#careful, limited, values, this.#shown)) {
      if (about === null) yield row;
      else this.#tell(sql, String(about));
    }
  }

  #tell(sql: string, about: string): void {
    const table = /\bFROM\s+(\w+)/i.exec(sql)?.[1] ?? "a table";
    const limit = `${LINE_BYTES_MAX / 1024 ** 2} MiB`;
    const reason = `a row of ${table} is longer than ${limit} and was left out${about === "" ? "" : `: ${about}`}`;
    if (!this.leftOut.includes(reason)) this.leftOut.push(reason);
  }

  close(): void {
    if (this.#careful?.isOpen === true) this.#careful.close();
  }
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

/** The same rows, in the same order; those that are too large have only `ABOUT`. */
function limitedSql(database: DatabaseSync, sql: string): string {
  const names = namesOf(database, sql);
  const [, unsorted = sql, order = ""] = /^(.*)( ORDER BY [^()]+)$/s.exec(sql) ?? [];
  // Sorting copies what it sorts, so that what is too large is left out before, if only selected columns are compared.
  const sortedLast = limitedTo(unsorted, names) + order;
  return namesOf(database, sortedLast).length > 0 ? sortedLast : limitedTo(sql, names);
}

/** SQLite knows the length of a value without reading it. */
function limitedTo(sql: string, names: readonly string[]): string {
  const columns = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  const bytes = columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(" + ");
  const isTooLarge = `${bytes} > ${LINE_BYTES_MAX}`;
  const kept = columns.map((column) => `iif(${isTooLarge}, NULL, ${column}) AS ${column}`);
  const short = columns.map((column, index) => {
    const name = `'${names[index]?.replaceAll("'", "''")} '`;
    return `iif(octet_length(${column}) <= ${SHORT_BYTES}, ${name} || ${column}, NULL)`;
  });
  const about = `iif(${isTooLarge}, concat_ws(', ', ${short.join(", ")}), NULL)`;
  return `SELECT ${[...kept, `${about} AS "${ABOUT}"`].join(", ")} FROM (${sql})`;
}
