import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemIo } from "../disk/file-io.ts";
import { withTemporarySync } from "../disk/replace-file.ts";
import { withFile } from "../disk/with-file.ts";
import { ColloquyError, unavailable } from "../errors.ts";
import { systemRandom } from "../util/uuid.ts";

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
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const make = (temporary: string): void => {
    // SQLite would make the file readable for everyone; it treats an empty file as none.
    closeSync(openSync(temporary, "wx", 0o600));
    try {
      source.prepare("VACUUM INTO ?").run(temporary);
      finish(temporary, tidy);
    } finally {
      rmSync(`${temporary}-journal`, { force: true });
    }
    refuseExisting(to);
  };
  withTemporarySync(to, make, { io: systemIo, random: systemRandom });
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
  withFile(systemIo, path, "write", (file) => systemIo.sync(file));
}
