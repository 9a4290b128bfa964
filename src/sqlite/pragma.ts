import type { DatabaseSync } from "node:sqlite";

/** The value of a numeric pragma. */
export function pragma(database: DatabaseSync, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return Number(Object.values(row ?? {})[0] ?? 0);
}

export function sqliteVersion(database: DatabaseSync): string {
  return String(database.prepare("SELECT sqlite_version() AS version").get()?.version);
}

/** Whether no other connection can open the file, as with old versions of SQLite. */
export function isExclusive(database: DatabaseSync): boolean {
  return database.prepare("PRAGMA locking_mode").get()?.locking_mode === "exclusive";
}

/** Opens a file as if nothing could change it: without locks, and without a write-ahead log. */
export function immutableUrl(path: string): URL {
  const url = new URL(`file://${path.split("/").map(encodeURIComponent).join("/")}`);
  url.searchParams.set("immutable", "1");
  return url;
}
