import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { runInline, runInThread } from "../../../sqlite/background.ts";
import { sqliteError } from "../../../sqlite/busy.ts";
import { refuseExisting } from "../../../sqlite/copy.ts";
import { isExclusive } from "../../../sqlite/pragma.ts";
import type { EngineOptions } from "../../engine.ts";

/**
 * Nobody who held a lease holds it in the copy, and its feed is another one. Turns that are under way stay: what
 * was said so far was said.
 */
const TIDY = "DELETE FROM leases; UPDATE feed SET tag = abs(random() % 4294967296)";

export async function backupDatabase(
  database: DatabaseSync,
  path: string,
  to: string,
  { readonly, lockWaitMs }: EngineOptions,
): Promise<void> {
  try {
    refuseExisting(to);
    const request = { path, waitMs: lockWaitMs, job: "copy", args: [resolve(to), TIDY] } as const;
    // A file that can only be read may not be open to a second connection.
    if (readonly || isExclusive(database)) runInline(database, request);
    else await runInThread(request);
  } catch (error) {
    throw sqliteError(error, `${path}, copied to ${to}`);
  }
}
