import type { CopyOptions, CopyReport } from "../../store/copy/copy-store.ts";
import { openStore } from "../../store/open.ts";

/** Rewrites the legacy transcripts of a folder as a `jsonl:` store, in place. */
export async function migrateToV2(folder: string, options: CopyOptions = {}): Promise<CopyReport> {
  const readonly = options.dryRun === true;
  const sessions = { autoMigrate: false };
  await using store = await openStore(`jsonl:${folder}`, { readonly, sessions, onProblem: () => {} });
  return await store.migrateLegacy(options);
}
