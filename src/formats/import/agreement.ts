/**
 * Compares the ledger with the store, which alone decides. A store is behind its ledger when an earlier copy of it
 * was put back, or when a power cut took writes that were not synced.
 */
import type { Ingest } from "../../store/write/ingest.ts";
import type { FileMemory, RememberedConversation } from "./ledger.ts";

/** Questions to the store that are in flight at once. */
const AT_ONCE = 100;

/** Whether the store has all that this file added to it, as far as it was not removed on purpose. */
export async function agrees(ingest: Ingest, { conversations }: FileMemory): Promise<boolean> {
  for (let start = 0; start < conversations.length; start += AT_ONCE) {
    const some = conversations.slice(start, start + AT_ONCE);
    const answers = await Promise.all(some.map((one) => hasAll(ingest, one)));
    if (answers.includes(false)) return false;
  }
  return true;
}

async function hasAll(ingest: Ingest, { id, lastSeq, lastId }: RememberedConversation): Promise<boolean> {
  const end = await ingest.endOf(id);
  // Nothing is added to a conversation in the trash, or to one that was purged. A process that was killed during the
  // purge has left what it knew of the conversation, so that the file is read once more, and this is replaced.
  if (end === undefined) {
    return (await ingest.find(id)) !== undefined || (lastSeq === 0 && (await ingest.wasPurged(id)));
  }
  if (end.lastSeq === lastSeq) return end.last === lastId;
  if (end.lastSeq < lastSeq) return false;
  return lastId === null || ((await ingest.locate(id, lastId)) ?? lastSeq + 1) <= lastSeq;
}
