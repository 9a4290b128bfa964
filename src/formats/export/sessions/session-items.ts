/** The messages of one branch, as tools keep them: each call with its result. */
import { type ContextItem, repairToolPairs } from "../../../context/index.ts";
import type { Snapshot } from "../../../store/read/snapshot.ts";
import { isJsonObject } from "../../../util/json.ts";
import { textIn } from "../../../util/values.ts";
import { type Cleaner, isLeftOut } from "../cleaning.ts";
import type { Wanted } from "../options.ts";

export interface SessionItem extends ContextItem {
  readonly at: string;
  /** Replaces all messages before this one in the context. */
  readonly summary?: string;
}

/** The folder that the conversation was about, if its source named one. */
export interface SessionSource {
  readonly cwd: string | undefined;
  readonly items: readonly SessionItem[];
}

export async function sessionSource(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): Promise<SessionSource> {
  const items: ContextItem[] = [];
  const times = new Map<string, string>();
  const summaries = new Map<string, string>();
  const undone = new Set(snapshot.tree.compactions.filter((found) => found.undone).map(({ id }) => id));
  let [summary, cwd]: (string | undefined)[] = [];
  for await (const entry of snapshot.path(snapshot.branch(wanted.branch))) {
    const { id, at, kind, message, data } = cleaner.entry(entry);
    const held = isJsonObject(data) ? data : {};
    if (held.type === "import" && isJsonObject(held.about)) cwd = textIn(held.about.cwd);
    // Of one that keeps a part of the messages, all of them are exported instead.
    if (kind === "compaction" && held.first_kept === null && !undone.has(id)) summary = textIn(held.summary);
    if (message === undefined || isLeftOut(message)) continue;
    items.push({ id, message });
    times.set(id, at);
    if (summary) summaries.set(id, summary);
    summary = undefined;
  }
  const repaired = repairToolPairs(items).items.map((item): SessionItem => {
    const before = summaries.get(item.id);
    const at = times.get(item.id) ?? snapshot.info.createdAt;
    return { ...item, at, ...(before === undefined ? {} : { summary: before }) };
  });
  return { cwd, items: repaired };
}
