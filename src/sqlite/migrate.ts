import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { timestamp17 } from "../util/time.ts";
import { copyDatabase } from "./copy.ts";
import { isExclusive, pragma } from "./pragma.ts";

/** One step of a schema. Numbered by its place in the list; a released step never changes. */
export interface Migration {
  readonly name: string;
  /** SQL, or code where SQL is not enough. Runs inside the one transaction of the migration. */
  readonly up: string | ((database: DatabaseSync) => void);
}

/**
 * Bring the schema up to date: all steps or none.
 *
 * The version is read again inside the transaction, so that two processes that
 * open an old file at the same time run each step once. A file with content is
 * first copied to a backup beside it.
 */
export function migrate(
  database: DatabaseSync,
  path: string,
  schema: { readonly applicationId: number; readonly migrations: readonly Migration[] },
): void {
  const found = pragma(database, "user_version");
  if (found === schema.migrations.length) return;
  // An exclusive connection must make the copy itself, and no other one can write in between.
  const alone = isExclusive(database);
  if (alone && found > 0) copyDatabase(database, nameOfCopy(path, found));
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = pragma(database, "user_version");
    if (!alone && version > 0 && version < schema.migrations.length) copyBeside(path, version);
    for (const { up } of schema.migrations.slice(version)) {
      if (typeof up === "string") database.exec(up);
      else up(database);
    }
    database.exec(`PRAGMA application_id = ${schema.applicationId}`);
    database.exec(`PRAGMA user_version = ${schema.migrations.length}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Through a second connection, which sees the file as it was before the open transaction. */
function copyBeside(path: string, version: number): void {
  const reader = new DatabaseSync(path, { readOnly: true });
  try {
    copyDatabase(reader, nameOfCopy(path, version));
  } finally {
    reader.close();
  }
}

function nameOfCopy(path: string, version: number): string {
  return `${path}.backup-v${version}-${timestamp17(Date.now())}`;
}

/** Copies of a file that migrations made, and damaged files that repairs replaced. */
export function migrationCopies(path: string): string[] {
  const prefixes = [`${basename(path)}.backup-v`, `${basename(path)}.damaged-`];
  const names = readdirSync(dirname(path)).filter((name) =>
    prefixes.some((prefix) => name.startsWith(prefix)),
  );
  return names.map((name) => join(dirname(path), name));
}
