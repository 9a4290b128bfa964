/**
 * Applies what a side file says now to conversations whose own files have not changed: a thread was renamed, or a
 * session key leads to another session.
 */
import { titleIn } from "../../message/title.ts";
import type { Ingest } from "../../store/write/ingest.ts";
import type { Describe } from "../contract/format.ts";
import type { RememberedConversation } from "./ledger/conversations.ts";
import { titleMark } from "./writer/title.ts";

/** What the ledger notes of the conversations of a file, as far as that has changed. */
export async function describeAgain(
  ingest: Ingest,
  conversations: Iterable<RememberedConversation>,
  describe: Describe,
): Promise<RememberedConversation[]> {
  const changed: RememberedConversation[] = [];
  for (const known of conversations) {
    const now = await described(ingest, known, describe);
    if (now !== known) changed.push(now);
  }
  return changed;
}

async function described(
  ingest: Ingest,
  known: RememberedConversation,
  describe: Describe,
): Promise<RememberedConversation> {
  const { id, sourceId, root } = known;
  const said = describe({ sourceId, root });
  const title = titleIn(said.title);
  const [newTitle, newKey] = [titleMark(id, title), titleMark(id, said.key ?? null)];
  const isRenamed = title !== null && newTitle !== known.titleMark;
  const hasKey = newKey !== known.keyMark;
  const info = isRenamed || hasKey ? await ingest.find(id) : undefined;
  if (info === undefined || info.deletedAt !== null) return known;
  let now = known;
  if (hasKey) {
    // Where the key went, the other conversation takes it.
    if (said.key !== undefined) await ingest.moveKey(id, said.key);
    now = { ...now, keyMark: newKey };
  }
  // A title that the user gave stays.
  if (isRenamed && titleMark(id, info.title) === known.titleMark) {
    await ingest.update(id, { title });
    now = { ...now, titleMark: newTitle };
  }
  return now;
}
