/** Where the ledger of a store stands: beside it. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../store/store.ts";
import { Ledger } from "./ledger.ts";

export function ledgerOf(store: Store): Ledger {
  const { path, engine } = store;
  if (path === null) return Ledger.inMemory();
  const place = engine === "jsonl" ? join(path, "imports.db") : `${path}-imports`;
  return Ledger.open(place, identityOf(path));
}

/** A store that was made anew, or put back from a backup, is another one: what was imported has to be looked up in it. */
function identityOf(path: string): string {
  const { dev, ino, birthtimeMs } = statSync(path, { bigint: true });
  return `${dev}:${ino}:${birthtimeMs}`;
}
