/**
 * The context state of a conversation, for the branch that is checked out.
 *
 * The summary of a compaction is not stored a second time: it is read from the
 * entry, so that it is never that of a branch that was left or of a compaction
 * that was undone.
 */
import type { ConversationInfo } from "../../engine/index.ts";
import { holds, lastCompaction, pathOf, type SeqRange } from "../../tree/path.ts";
import type { LogEnd } from "../../tree/place-entries.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";
import { copyOf, type StoreAccess } from "../access.ts";
import { entryAt } from "./lookups.ts";

/** The conversation with the context state of the checked-out branch, as a copy. */
export async function withContextState(
  store: StoreAccess,
  info: ConversationInfo,
): Promise<ConversationInfo> {
  const copy = copyOf(info);
  if (info.contextState === null && info.compactionCount === 0) return copy;
  const logEnd = await store.ask((engine) => engine.logEnd(info.id));
  // The tree of a conversation in the trash is not read.
  if (logEnd === undefined) return copy;
  const path = pathOf(logEnd.tree, logEnd.tree.active, logEnd.lastSeq);
  if (await belongs(store, info, logEnd, path)) return copy;
  return { ...copy, contextState: await summaryOf(store, info.id, logEnd, path) };
}

/** Whether the stored state is to be returned: it is not a summary, or one of messages on this path. */
async function belongs(
  store: StoreAccess,
  { id, contextState: state }: ConversationInfo,
  { tree }: LogEnd,
  path: readonly SeqRange[],
): Promise<boolean> {
  if (state === null) return false;
  if (!Array.isArray(state.summary_range)) return true;
  const until = state.summary_until;
  // Compactions used to store their summary here. A caller's own state may look the same.
  if (typeof until !== "string") return tree.compactions.length === 0;
  const seq = await store.ask((engine) => engine.locate(id, until));
  return seq !== undefined && holds(path, seq);
}

async function summaryOf(
  store: StoreAccess,
  id: string,
  { tree }: LogEnd,
  path: readonly SeqRange[],
): Promise<JsonObject | null> {
  const compaction = lastCompaction(tree, path);
  const entry = compaction === undefined ? undefined : await entryAt(store, id, compaction.seq);
  if (entry === undefined || !isPlainObject(entry.data)) return null;
  const { strategy = null, summary = null, summarised } = entry.data as JsonObject;
  const range = typeof summarised === "number" ? { summary_range: [0, summarised - 1] } : {};
  return { strategy, summary, ...range, compressed_at: entry.at };
}
