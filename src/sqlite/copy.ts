import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ColloquyError, unavailable } from "../errors.ts";
import { nextUuid } from "../util/uuid.ts";

/**
 * Write what a database holds at this moment to a new file: all of it or
 * nothing, checked, and on the disk when this returns. The copy has no
 * write-ahead log, no free pages and nothing that was deleted.
 *
 * `VACUUM INTO` rather than SQLite's backup: a backup in steps starts again
 * with every write of another process and may never end, and one in a single
 * step takes as long and copies free pages too.
 */
export function copyDatabase(source: DatabaseSync, to: string, tidy = ""): void {
  const temporary = `${to}.${nextUuid(Date.now())}.partial`;
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    // SQLite would make it readable for everybody; it takes an empty file for none.
    closeSync(openSync(temporary, "wx", 0o600));
    source.prepare("VACUUM INTO ?").run(temporary);
    finish(temporary, tidy);
    refuseExisting(to);
    renameSync(temporary, to);
    syncFolder(dirname(to));
  } catch (error) {
    for (const suffix of ["", "-journal"]) rmSync(temporary + suffix, { force: true });
    throw error;
  }
}

/** SQLite would take the log of a file that is gone for that of the copy. */
export function refuseExisting(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-journal`]) {
    if (existsSync(name)) throw new ColloquyError("CONFLICT", `${name} exists already`, { field: "path" });
  }
}

function finish(path: string, tidy: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec(tidy);
    const problem = copy.prepare("PRAGMA integrity_check(1)").get()?.integrity_check;
    if (problem !== "ok") throw unavailable(`The copy is damaged: ${problem}`);
  } finally {
    copy.close();
  }
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Until the folder is synced, a power cut undoes the rename. */
function syncFolder(path: string): void {
  // Windows has no such thing, and needs none.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
