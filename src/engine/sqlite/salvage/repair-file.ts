/**
 * Replaces a damaged store by one that holds everything that can be read.
 *
 * The caller has closed its connection. Another process keeps the file locked
 * in the meantime, and is killed at the end: a connection that closes in order
 * would remove the write-ahead log by its name, which by then belongs to the
 * new file.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createPrivate } from "../../../disk/create-private.ts";
import { systemIo } from "../../../disk/file-io.ts";
import { withFile } from "../../../disk/with-file.ts";
import { ColloquyError, invalid, unavailable } from "../../../errors.ts";
import { timestamp17 } from "../../../util/time.ts";
import type { Finding } from "../../queries.ts";
import { verifyDatabase } from "../care/verify.ts";
import { prepareStatements } from "../statements.ts";
import { readImage } from "./image.ts";
import { newDatabase } from "./new-database.ts";
import { rebuild } from "./rebuild.ts";
import { type Salvaged, salvage } from "./salvaged.ts";

/** Fails while any other process has the file open. A file that is not a database cannot be locked, or opened by others. */
const HOLDER = `
  const { DatabaseSync } = require("node:sqlite");
  let answer = "held";
  try {
    const database = new DatabaseSync(process.argv[1], { timeout: Number(process.argv[2]) });
    globalThis.database = database;
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    answer = (error.errcode & 0xff) === 5 ? "busy" : "damaged";
  }
  process.stdout.write(answer);
  process.stdin.on("end", () => process.kill(process.pid, "SIGKILL")).resume();
`;

export interface FileRepair {
  /** A backup, for what cannot be read here. */
  readonly from?: string | undefined;
  readonly lockWaitMs: number;
}

/** Returns what was done, and what is lost. Throws, and changes nothing, if nothing can be read at all. */
export async function repairFile(path: string, { from, lockWaitMs }: FileRepair): Promise<Finding[]> {
  const kept = from === undefined ? undefined : rowsOfBackup(from);
  const release = await holdFile(path, lockWaitMs);
  const made = `${path}.repairing-${timestamp17(Date.now())}`;
  try {
    const findings = write(made, foundIn(path, kept), kept, path);
    const aside = `${path}.damaged-${timestamp17(Date.now())}`;
    for (const suffix of ["", "-wal", "-shm"]) {
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
    }
    renameSync(made, path);
    systemIo.syncFolder(dirname(path));
    const message = `the file was rebuilt from everything that can be read; the damaged one is ${aside}`;
    return [{ code: "damaged-file", conversation: null, source: path, line: null, message }, ...findings];
  } finally {
    rmSync(made, { force: true });
    await release();
  }
}

function foundIn(path: string, kept: Salvaged | undefined): Salvaged {
  const found = salvage(readImage(path));
  if (!isEmpty(found)) return found;
  if (kept !== undefined) return kept;
  throw unavailable(
    `Nothing of ${path} can be read. Repair it from a backup: colloquy sessions validate --repair --from PATH`,
  );
}

function isEmpty({ rows }: Salvaged): boolean {
  return rows.conversations.length + rows.entries.length === 0;
}

function rowsOfBackup(from: string): Salvaged {
  const path = resolve(from);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new ColloquyError("NOT_FOUND", `There is no backup at ${path}`, { field: "from" });
  if (stat.isDirectory()) throw invalid(`${path} is a folder, but the store is a SQLite file`, "from");
  const kept = salvage(readImage(path));
  if (isEmpty(kept)) {
    throw invalid(`${path} is not a backup of a SQLite store, or has no checksums yet: open it once`, "from");
  }
  return kept;
}

function write(
  path: string,
  found: Salvaged,
  kept: Salvaged | undefined,
  source: string,
): readonly Finding[] {
  createPrivate(path);
  using database = newDatabase(path);
  const { findings } = rebuild(database, found, kept, source);
  const { ok, findings: wrong } = verifyDatabase(database, prepareStatements(database), path);
  if (!ok) throw unavailable(`Cannot rebuild ${source}: ${wrong[0]?.message}. Nothing was changed`);
  withFile(systemIo, path, "write", (file) => systemIo.sync(file));
  return findings;
}

/** Keep every other process from opening the file. Returns how to end that. */
async function holdFile(path: string, lockWaitMs: number): Promise<() => Promise<void>> {
  const holder = spawn(process.execPath, ["-e", HOLDER, path, String(lockWaitMs)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const release = async (): Promise<void> => {
    const exit = once(holder, "exit");
    holder.kill("SIGKILL");
    await exit;
  };
  const [answer] = await once(holder.stdout, "data");
  if (String(answer) !== "busy") return release;
  await release();
  throw unavailable(`${path} is open in another process. Stop it, then repair again`);
}
