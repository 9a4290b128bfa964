import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { PAGE_BYTES } from "../../../sqlite/open.ts";
import { APPLICATION_ID, migrations } from "../migrations/migrations.ts";

/** An empty store. */
export function newDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA secure_delete = ON; PRAGMA foreign_keys = OFF`);
  for (const { up } of migrations) {
    if (typeof up === "string") database.exec(up);
    else up(database);
  }
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`);
  return database;
}

export type NewRow = Readonly<Record<string, unknown>>;

/** Writes a row, unless one with the same key is there. */
export function insertRow(database: DatabaseSync, table: string, row: NewRow): void {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  database
    .prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`)
    .run(...(Object.values(row) as SQLInputValue[]));
}
