/** Rows of a SQLite file, one at a time. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { sqliteProblem } from "./database-files.ts";
import { problem } from "./problem.ts";

export type Row = Readonly<Record<string, unknown>>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The columns of a table. Whatever else has its name is refused before a statement names it: a view or a computed
 * column is SQL of the file, which may run forever, and a virtual table is code that trusts the file.
 */
export function columnsOf(database: DatabaseSync, table: string, shown: string): readonly string[] {
  if (!NAME.test(table)) return [];
  const sql = "SELECT sql FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')";
  const [found] = rowsOf(database, sql, [table], shown);
  if (found === undefined) return [];
  const definition = String(found.sql);
  if (!isTable(definition, table)) throw refused(shown, `${table} is ${kindOf(definition)}, not a table`);
  const columns = rowsOf(database, "SELECT name, hidden FROM pragma_table_xinfo(?)", [table], shown);
  return [...columns].map(({ name, hidden }) => {
    if (hidden === COMPUTED) throw refused(shown, `${table}.${String(name)} is a computed column`);
    return String(name);
  });
}

/** A computed column that is not stored. */
const COMPUTED = 2;

/** By the text that SQLite parses: the other columns of a hostile schema may say anything. */
function isTable(definition: string, table: string): boolean {
  return new RegExp(`^CREATE TABLE (?:${table}|(["'\`])${table}\\1|\\[${table}\\])[\\s(/-]`, "i").test(
    definition,
  );
}

function kindOf(definition: string): string {
  if (/^CREATE VIEW\s/i.test(definition)) return "a view";
  return /^CREATE VIRTUAL\s/i.test(definition) ? "a virtual table" : "something else";
}

function refused(shown: string, reason: string): Error {
  return problem("unsupported", `${shown} was not read, because ${reason}`);
}

export function* rowsOf(
  database: DatabaseSync,
  sql: string,
  values: readonly (string | number)[],
  shown: string,
): Generator<Row> {
  try {
    const statement = database.prepare(sql);
    // As `bigint`, because integers beyond 2^53 would be an error otherwise.
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...values)) yield plain(row);
  } catch (error) {
    throw sqliteProblem(error, shown);
  }
}

function plain(row: Record<string, SQLOutputValue>): Row {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    result[name] = typeof value === "bigint" ? exact(value) : value;
  }
  return result;
}

function exact(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
