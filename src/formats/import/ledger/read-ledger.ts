/** Asks the ledger of a store without its lock, so also while an import is running. */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ledgerPath } from "../../../store/retention/import-ledger.ts";
import type { Store } from "../../../store/store.ts";

/** The files that a conversation was imported from. None if the ledger is lost: it only saves time. */
export function filesOf({ path, engine }: Store, id: string): string[] {
  const ledger = path === null ? "" : ledgerPath(engine, path);
  if (!existsSync(ledger)) return [];
  try {
    using database = new DatabaseSync(ledger, { readOnly: true, timeout: 1000 });
    const rows = database.prepare("SELECT DISTINCT path FROM conversations WHERE id = ?").all(id);
    return rows.map((row) => String(row.path));
  } catch {
    return [];
  }
}
