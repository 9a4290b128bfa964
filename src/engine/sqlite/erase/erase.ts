/**
 * Erases removed data from the file.
 *
 * SQLite overwrites deleted rows (`secure_delete`), but not the copies that
 * stay in the gaps of a page after its rows were moved to another one. Only
 * rewriting the file removes those. The write-ahead log holds the data until it
 * is emptied.
 */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { runInline, runInThread } from "../../../sqlite/background.ts";
import { retryBusy } from "../../../sqlite/busy.ts";
import { migrationCopies } from "../../../sqlite/migrate.ts";
import { isExclusive } from "../../../sqlite/pragma.ts";
import { waitUntil } from "../../../util/wait.ts";
import type { Outcome } from "../../operations.ts";

/** Writers wait for about a second at this size. A larger file is not rewritten; the receipt names it instead. */
const REWRITE_BYTES_MAX = 256 * 1024 * 1024;
/** Rewriting a smaller file takes less time than starting a thread. */
const INLINE_BYTES_MAX = 2 * 1024 * 1024;
/** Readers in other processes are rarely busy for longer. */
const CHECKPOINT_WAIT_MS = 1000;

/** Never fails: the data is gone for every reader, and the receipt names the files that may still hold it. */
export async function eraseTraces(
  database: DatabaseSync,
  path: string,
  waitMs: number,
  outcomes: readonly Outcome[],
): Promise<Outcome[]> {
  const rewritten = await rewrite(database, path, waitMs);
  const emptied = await waitUntil(() => emptyLog(database), CHECKPOINT_WAIT_MS);
  const copies = [
    ...(rewritten ? [] : [path]),
    ...(emptied ? [] : [`${path}-wal`]),
    ...migrationCopies(path),
  ];
  return outcomes.map((outcome) => {
    if (!outcome.ok || outcome.removed === undefined) return outcome;
    return { ...outcome, removed: { ...outcome.removed, copies } };
  });
}

async function rewrite(database: DatabaseSync, path: string, waitMs: number): Promise<boolean> {
  try {
    const { size } = statSync(path);
    if (size > REWRITE_BYTES_MAX) return false;
    const request = { path, waitMs, job: "vacuum", args: [] } as const;
    if (size > INLINE_BYTES_MAX && !isExclusive(database)) await runInThread(request);
    else await retryBusy(path, waitMs, () => runInline(database, request));
    return true;
  } catch {
    return false;
  }
}

function emptyLog(database: DatabaseSync): boolean {
  try {
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } catch {
    return false;
  }
}
