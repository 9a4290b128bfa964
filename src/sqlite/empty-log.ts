import type { DatabaseSync } from "node:sqlite";

/** Write the log back to the database and truncate it, unless another connection reads or writes. Never waits. */
export function emptyLog(database: DatabaseSync): boolean {
  try {
    // The first step blocks no writer, so that the second has little left to do.
    database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } catch {
    return false;
  }
}
