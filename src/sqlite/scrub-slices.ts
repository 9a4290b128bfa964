/** Scrubs a database that other processes use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { unavailable } from "../errors.ts";
import { PATIENT_PAUSE_MS, waitUntilSync } from "../util/wait.ts";
import { emptyLog } from "./empty-log.ts";
import { pragma } from "./pragma.ts";
import { PageScrubber } from "./scrub.ts";

/** A writer waits for one slice at most. */
const SLICE_BYTES = 4 * 1024 * 1024;
const PAUSE_MS = 10;
/** How long to try to get the file for a slice. */
const WAIT_MS = 5000;
/** How long to keep writers out for a reader that keeps the log from being written back. */
const HOLD_MS = 20;

/** Scrub the whole file in a process that does nothing else. */
export async function scrubInProcess(path: string): Promise<void> {
  // The same file name in the sources and, compiled, in the package.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const script = fileURLToPath(new URL(`./scrub-process.${extension}`, import.meta.url));
  const child = spawn(process.execPath, [script, path], {
    stdio: ["ignore", "ignore", "pipe"],
    // Where the program is Electron, it would start another window.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
  });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const [status] = await once(child, "close");
  if (status !== 0) throw unavailable(`Cannot erase what was removed from ${path}: ${text}`);
}

/**
 * Scrub all pages, a slice at a time.
 *
 * Under the lock of a writer, with the log written back, nothing else writes to
 * the file. The commit at the end of a slice makes every other connection drop
 * the pages it has in memory, which it might write back with their old gaps. A
 * page that was scrubbed therefore stays clean: SQLite fills gaps with rows
 * that exist, and what was removed does not exist any more.
 */
export function scrubDatabase(path: string): void {
  using lock = new DatabaseSync(path, { timeout: 0 });
  using checkpointer = new DatabaseSync(path, { timeout: 0 });
  // A sync is needed for the pages, not for the commits that end a slice.
  lock.exec("PRAGMA synchronous = NORMAL");
  emptyLog(checkpointer);
  const scrubber = new PageScrubber(path);
  const count = Math.max(1, Math.floor(SLICE_BYTES / scrubber.pageSize));
  for (let from = 0; from < scrubber.pageCount; from += count) {
    // Into the memory of the system first, while nothing waits.
    scrubber.read(from, count);
    const slice = (): boolean => tryLocked(lock, checkpointer, () => scrubber.scrub(from, count));
    // Writers that were kept out go first.
    if (!waitUntilSync(slice, WAIT_MS, PATIENT_PAUSE_MS)) throw unavailable(`${path} is busy`);
    scrubber.sync();
    waitUntilSync(() => false, PAUSE_MS);
  }
}

function tryLocked(lock: DatabaseSync, checkpointer: DatabaseSync, work: () => void): boolean {
  try {
    lock.exec("BEGIN IMMEDIATE");
  } catch {
    return false;
  }
  try {
    if (!waitUntilSync(() => isWrittenBack(checkpointer), HOLD_MS)) return false;
    work();
    // Any write would do.
    lock.exec(`PRAGMA user_version = ${pragma(lock, "user_version")}`);
    lock.exec("COMMIT");
    return true;
  } finally {
    if (lock.isTransaction) lock.exec("ROLLBACK");
  }
}

function isWrittenBack(database: DatabaseSync): boolean {
  const row = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
  return row?.busy === 0 && row.log === row.checkpointed;
}
