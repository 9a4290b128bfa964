/**
 * Removes words from an index, so that its file no longer has them.
 *
 * SQLite needs the words of a document to remove them, so this happens before the store erases the text.
 */
import type { StoredEntry } from "../message/types.ts";
import { nextLoopTurn } from "../util/loop-turn.ts";
import { documentsOf } from "./fields.ts";
import type { DocumentRow, IndexFile } from "./index-file.ts";
import type { SearchSource } from "./source.ts";

/** One transaction: other processes that search do not wait long. */
const STEP_DOCUMENTS = 20;
/** To remove a document takes as long as to index this many. */
const REMOVAL_COST = 40;

/** Remove a conversation and its messages. */
export async function forgetConversation(file: IndexFile, source: SearchSource, id: string): Promise<void> {
  const known = file.conversation(id);
  if (known === undefined) return;
  const rows = file.documentsIn(known.n).filter(({ position }) => position > 0);
  if (rows.length * REMOVAL_COST > file.lastDocument) {
    // Less work than to remove that many documents.
    await file.transaction(() => file.clear());
    return;
  }
  const bySeq = Map.groupBy(rows, ({ seq }) => seq);
  for (let after = 0; ; ) {
    const { entries, more } = await source.entriesAfter(id, after);
    await removeEntries(file, source, entries, bySeq);
    after = entries.at(-1)?.seq ?? after;
    if (!more || entries.length === 0) break;
  }
  await file.transaction(() => {
    // What is left has words that the store no longer has.
    if (file.documentsIn(known.n).some(({ position }) => position > 0)) file.clear();
    else file.removeConversation(known);
  });
}

/** Remove the session key, which stays with the conversation otherwise. */
export async function forgetKey(file: IndexFile, id: string): Promise<void> {
  await file.transaction(() => file.prepare("UPDATE conversations SET key = NULL WHERE id = ?").run(id));
}

/** Remove one message. */
export async function forgetEntry(
  file: IndexFile,
  source: SearchSource,
  id: string,
  seq: number,
): Promise<void> {
  const known = file.conversation(id);
  if (known === undefined) return;
  const rows = file.documentsIn(known.n).filter((row) => row.seq === seq && row.position > 0);
  if (rows.length === 0) return;
  const { entries } = await source.entriesAfter(id, seq - 1);
  await removeEntries(file, source, entries.slice(0, 1), new Map([[seq, rows]]));
  await file.transaction(() => {
    // What is left has words that the store no longer has.
    if (file.documentsIn(known.n).some((row) => row.seq === seq && row.position > 0)) file.clear();
  });
}

async function removeEntries(
  file: IndexFile,
  source: SearchSource,
  entries: readonly StoredEntry[],
  rows: ReadonlyMap<number, readonly DocumentRow[]>,
): Promise<void> {
  let removals: (readonly [number, string])[] = [];
  const commit = async (): Promise<void> => {
    const step = removals;
    removals = [];
    await file.transaction(() => {
      for (const [document, words] of step) file.remove(document, words);
    });
    await nextLoopTurn();
  };
  for (const entry of entries) {
    const indexed = rows.get(entry.seq);
    if (indexed === undefined) continue;
    const whole = entry.blobs === undefined ? entry : await source.fill(entry);
    for (const { field, words, length } of documentsOf(whole)) {
      // Another length means other words: a large text can no longer be read, for example.
      const row = indexed.find((document) => document.field === field && document.length === length);
      if (row !== undefined) removals.push([row.id, words]);
    }
    if (removals.length >= STEP_DOCUMENTS) await commit();
  }
  if (removals.length > 0) await commit();
}
