/**
 * Compares the ledger with the store, which alone decides. A store is behind its ledger when an earlier copy of it
 * was put back, or when a power cut took writes that were not synced.
 */
import type { Ingest } from "../../../store/write/ingest.ts";
import type { LogTip } from "../../../tree/place-entries.ts";
import type { RememberedConversation } from "./conversations.ts";

/** One question is for this many conversations: with one for each, asking would take longer than answering. */
const AT_ONCE = 1000;

/** Whether the store has all that a file added to it, as far as it was not removed on purpose. */
export async function agrees(
  ingest: Ingest,
  conversations: Iterable<RememberedConversation>,
): Promise<boolean> {
  let some: RememberedConversation[] = [];
  for (const remembered of conversations) {
    some.push(remembered);
    if (some.length < AT_ONCE) continue;
    if (!(await haveAll(ingest, some))) return false;
    some = [];
  }
  return haveAll(ingest, some);
}

async function haveAll(ingest: Ingest, some: readonly RememberedConversation[]): Promise<boolean> {
  const tips = some.length === 0 ? [] : await ingest.logEnds(some.map(({ id }) => id));
  for (const [index, remembered] of some.entries()) {
    if (!isSame(remembered, tips[index]) && !(await hasAll(ingest, remembered, tips[index]))) return false;
  }
  return true;
}

function isSame({ lastSeq, lastId }: RememberedConversation, tip: LogTip | undefined): boolean {
  return tip !== undefined && tip.lastSeq === lastSeq && tip.last === lastId;
}

async function hasAll(
  ingest: Ingest,
  { id, lastSeq, lastId }: RememberedConversation,
  tip: LogTip | undefined,
): Promise<boolean> {
  // Nothing is added to a conversation in the trash, or to one that was purged. A process that was killed during the
  // purge has left what it knew of the conversation, so that the file is read once more, and this is replaced.
  if (tip === undefined) {
    return (await ingest.find(id)) !== undefined || (lastSeq === 0 && (await ingest.wasPurged(id)));
  }
  if (tip.lastSeq <= lastSeq) return false;
  return lastId === null || ((await ingest.locate(id, lastId)) ?? lastSeq + 1) <= lastSeq;
}
