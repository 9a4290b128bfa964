import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPrivate } from "../disk/create-private.ts";
import { systemIo } from "../disk/file-io.ts";
import { withTemporarySync } from "../disk/replace-file.ts";
import { withFile } from "../disk/with-file.ts";
import { ColloquyError, unavailable } from "../errors.ts";
import { systemRandom } from "../util/uuid.ts";
import { runInThread } from "./background.ts";

export interface CopyRequest {
  readonly path: string;
  readonly waitMs: number;
  readonly to: string;
  /** SQL that the copy is changed with. */
  readonly tidy: string;
}

/** `copyDatabase` on another connection, for a file that can be opened twice. */
export function copyInThread(request: CopyRequest): Promise<void> {
  return runInThread("copy-thread", import.meta.url, request);
}

/**
 * Copy a database, as of this moment, to a new file: all of it or nothing,
 * checked, and on the disk when this returns. The copy has no write-ahead log,
 * no free pages and no deleted data.
 *
 * This uses `VACUUM INTO` rather than SQLite's backup API. A backup in steps
 * starts again with every write of another process and may never end; one in a
 * single step takes as long and copies free pages too.
 */
export function copyDatabase(source: DatabaseSync, to: string, tidy = ""): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const make = (temporary: string): void => {
    // SQLite treats an empty file as none.
    createPrivate(temporary);
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

/** SQLite would mistake the leftover log of a removed file for the log of the copy. */
export function refuseExisting(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-journal`]) {
    if (existsSync(name)) throw new ColloquyError("CONFLICT", `${name} already exists`, { field: "path" });
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
