/**
 * Erases from the ledger that imports keep beside a store.
 *
 * For each source file it has the state of its reader, and records that wait
 * for their entry: words of conversations. It only saves reading, so what it
 * knows of a file is removed whole, and the next import reads the file again.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Finding } from "../../engine/index.ts";
import type { StoreAccess } from "../access.ts";

/** Where the ledger of a store is. */
export function ledgerPath(engine: string, location: string): string {
  return engine === "jsonl" ? join(location, "imports.db") : `${location}-imports`;
}

interface Batch {
  readonly conversations: Set<string>;
  readonly copies: Promise<readonly string[]>;
}

const waiting: WeakMap<StoreAccess, Batch> = new WeakMap();

/**
 * Remove what the ledger knows of the files that a conversation came from. Conversations that are erased together
 * share one pass. Returns the files that may still hold words of them.
 */
export function eraseFromLedger(store: StoreAccess, conversation: string): Promise<readonly string[]> {
  let batch = waiting.get(store);
  if (batch === undefined) {
    const conversations = new Set<string>();
    const copies = Promise.resolve().then(async () => {
      waiting.delete(store);
      const path = await store.ask(({ name, location }) => location && ledgerPath(name, location));
      return path === null ? [] : [...erase(path, conversations), ...setAside(path)];
    });
    batch = { conversations, copies };
    waiting.set(store, batch);
  }
  batch.conversations.add(conversation);
  return batch.copies;
}

/** Whether bytes are lost that the source of an import may still have. */
export function isLostBlob({ code }: Finding): boolean {
  return code === "bad-blob" || code === "missing-blob";
}

/** Remove what the ledger knows of all files. */
export async function forgetImports(store: Pick<StoreAccess, "ask">): Promise<void> {
  const path = await store.ask(({ name, location }) => location && ledgerPath(name, location));
  if (path === null || !existsSync(path)) return;
  try {
    using database = new DatabaseSync(path, { timeout: 1000 });
    database.exec("DELETE FROM files");
  } catch {
    // It only saves time, and an import may be using it.
  }
}

/** An import may be running: then the ledger or its log may have to be named instead. */
function erase(path: string, conversations: Iterable<string>): string[] {
  if (!existsSync(path)) return [];
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 1000 });
    if (removeRows(database, conversations) === 0) return [];
    // Rows that were moved leave copies in the gaps of pages.
    database.exec("VACUUM");
    const isEmptied = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
    return isEmptied ? [] : [`${path}-wal`];
  } catch {
    return [path];
  } finally {
    database?.close();
  }
}

function removeRows(database: DatabaseSync, conversations: Iterable<string>): number {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const has = (table: string): boolean => tables.some(({ name }) => name === table);
  if (!has("files")) return 0;
  // The ledger of an earlier version, which the next import clears anyway.
  if (!has("conversations")) return Number(database.prepare("DELETE FROM files").run().changes);
  const files = database.prepare(
    "DELETE FROM files WHERE path IN (SELECT path FROM conversations WHERE id = ?)",
  );
  const names = database.prepare("DELETE FROM conversations WHERE id = ?");
  let removed = 0;
  for (const id of conversations) {
    removed += Number(files.run(id).changes);
    names.run(id);
  }
  return removed;
}

/** Ledgers that were damaged, and moved. */
function setAside(path: string): string[] {
  const folder = dirname(path);
  const prefix = `${basename(path)}.damaged-`;
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
}
