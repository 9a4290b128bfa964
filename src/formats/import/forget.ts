/** Undoes an import permanently: the conversations of a source go to the trash and are not imported again. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { checkMethod, checkStrings } from "../../util/checked-arguments.ts";
import { safeLine } from "../../util/visible-text.ts";
import { forgottenOf, ledgerOf } from "./ledger/ledger-place.ts";

export interface Forgotten {
  readonly files: number;
  /** Moved to the trash. */
  readonly conversations: readonly string[];
  /** Conversations that also have entries from other files, and stay. */
  readonly shared: readonly string[];
}

export async function forgetSources(store: Store, sources: readonly string[]): Promise<Forgotten> {
  checkMethod(store, "ingest", "store");
  checkStrings(sources, "paths");
  const paths = sources.map((path) => resolve(path));
  const ledger = ledgerOf(store);
  try {
    const files = paths.flatMap((path) => {
      const known = [...ledger.below(path)];
      if (known.length === 0 && !existsSync(path)) throw unknownPlace(path);
      return known;
    });
    const named = new Set(files.map(({ path }) => path));
    const ids = new Set(
      files.flatMap(({ path }) => [...ledger.conversations.ofFile(path)].map(({ id }) => id)),
    );
    const isElsewhere = (id: string): boolean =>
      ledger.conversations.of(id).some(({ path, isFormer }) => !isFormer && !named.has(path));
    const shared = new Set([...ids].filter(isElsewhere));
    const gone = [...ids].filter((id) => !shared.has(id));
    for (const id of gone) await deleteIfThere(store, id);
    forgottenOf(store).add(paths);
    return { files: files.length, conversations: gone, shared: [...shared] };
  } finally {
    ledger.close();
  }
}

/** A place that is gone can be forgotten, and a mistyped one must not be. */
function unknownPlace(path: string): ColloquyError {
  return new ColloquyError(
    "NOT_FOUND",
    `No file or folder at ${safeLine(path)}, and nothing was imported from there`,
    { field: "paths" },
  );
}

async function deleteIfThere(store: Store, id: string): Promise<void> {
  try {
    await store.delete(id);
  } catch (error) {
    if (!(error instanceof ColloquyError) || error.code !== "NOT_FOUND") throw error;
  }
}
