/** The ledger of a store is a file beside it, and so is the list of what it forgets. */
import { statSync } from "node:fs";
import { ledgerPath } from "../../../store/retention/import-ledger.ts";
import type { Store } from "../../../store/store.ts";
import { Forgotten } from "./forgotten.ts";
import { Ledger } from "./ledger.ts";

export function ledgerOf(store: Store): Ledger {
  const { path, engine } = store;
  if (path === null) return Ledger.inMemory();
  return Ledger.open(ledgerPath(engine, path), identityOf(path));
}

/** The paths that the user told the store to forget, in another file beside it. */
export function forgottenOf({ path, engine }: Store): Forgotten {
  return new Forgotten(path === null ? undefined : `${ledgerPath(engine, path)}.forgotten.json`);
}

/** A store that was recreated or restored from a backup has another identity, so that imports look entries up in it again. */
function identityOf(path: string): string {
  const { dev, ino, birthtimeMs } = statSync(path, { bigint: true });
  return `${dev}:${ino}:${birthtimeMs}`;
}
