import { runInThread } from "../../../sqlite/background.ts";
import { sqliteError } from "../../../sqlite/busy.ts";
import { isExclusive, pragma } from "../../../sqlite/pragma.ts";
import type { EngineOptions } from "../../engine.ts";
import type { VerifyReport } from "../../queries.ts";
import type { Connection } from "../connection.ts";
import { verifyDatabase } from "./verify.ts";

/** Verifying a smaller file takes less time than starting a thread. */
const INLINE_BYTES_MAX = 1024 * 1024;

export interface VerifyRequest {
  readonly path: string;
  readonly waitMs: number;
}

/** In a thread, if the file is large: checking its pages is one call of SQLite, during which nothing else runs. */
export async function verifyStore(
  { database, sql, transactions }: Connection,
  path: string,
  { readonly, lockWaitMs }: EngineOptions,
): Promise<VerifyReport> {
  const bytes = transactions.query(() => pragma(database, "page_count") * pragma(database, "page_size"));
  // A file that is read-only, or open to one connection only, cannot be opened again.
  if (readonly || isExclusive(database) || bytes <= INLINE_BYTES_MAX)
    return transactions.read(() => verifyDatabase(database, sql, path));
  const request: VerifyRequest = { path, waitMs: lockWaitMs };
  try {
    return await runInThread<VerifyReport>("verify-thread", import.meta.url, request);
  } catch (error) {
    throw sqliteError(error, path);
  }
}
