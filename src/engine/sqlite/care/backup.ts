import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { sqliteError } from "../../../sqlite/busy.ts";
import { copyDatabase, copyInThread, refuseExisting } from "../../../sqlite/copy.ts";
import { isExclusive } from "../../../sqlite/pragma.ts";
import type { EngineOptions } from "../../engine.ts";
import { RELEASED } from "../statements.ts";

/** A copy has no leases, no removed blobs and a feed of its own. Open turns stay: their text was acknowledged. */
const TIDY = `PRAGMA secure_delete = ON; DELETE FROM leases;
  DELETE FROM blob_chunks WHERE blob IN (SELECT n FROM blobs WHERE ${RELEASED}); DELETE FROM blobs WHERE ${RELEASED};
  UPDATE feed SET tag = abs(random() % 4294967296)`;

export async function backupDatabase(
  database: DatabaseSync,
  path: string,
  to: string,
  { readonly, lockWaitMs }: EngineOptions,
): Promise<void> {
  try {
    refuseExisting(to);
    const target = resolve(to);
    // A file that is read-only, or open to one connection only, cannot be opened again.
    if (readonly || isExclusive(database)) copyDatabase(database, target, TIDY);
    else await copyInThread({ path, waitMs: lockWaitMs, to: target, tidy: TIDY });
  } catch (error) {
    throw sqliteError(error, `${path}, copied to ${to}`);
  }
}
