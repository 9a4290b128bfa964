/** Rows of a SQLite file, one at a time. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { sqliteProblem } from "./database-files.ts";

type Row = Readonly<Record<string, unknown>>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function columnsOf(database: DatabaseSync, table: string, shown: string): readonly string[] {
  if (!NAME.test(table)) return [];
  const rows = rowsOf(database, "SELECT name FROM pragma_table_info(?)", [table], shown);
  return [...rows].map(({ name }) => String(name));
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
