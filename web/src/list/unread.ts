/** Which conversations have words that were not seen yet, and the first of them. */
import type { ConversationSummary } from "../../../src/gateway/wire/rest.ts";
import { Cell } from "../state/cell.ts";
import { readStored, writeStored } from "../state/stored.ts";

/** When each conversation was looked at last; the oldest are forgotten. */
type Seen = Readonly<Record<string, string>>;

const KEPT = 500;
const seen = new Cell<Seen>(stored());
const firstUnread = new Map<string, string>();

export function markSeen(id: string, at: string | null): void {
  if (at === null || (seen.value[id] ?? "") >= at) return;
  firstUnread.delete(id);
  const rest = Object.entries(seen.value).filter(([other]) => other !== id);
  seen.set(Object.fromEntries([...rest.slice(-KEPT), [id, at]]));
  writeStored("seen", JSON.stringify(seen.value));
}

/** Only what was opened once can become unread: an import is not news. */
export function isUnread({ id, lastMessageAt }: ConversationSummary): boolean {
  const at = seen.value[id];
  return at !== undefined && lastMessageAt !== null && lastMessageAt > at;
}

/** The first words that arrived after it was seen, or the last ones. */
export function wordsOf(item: ConversationSummary): string {
  const words = plainWords(item.lastWords ?? "");
  if (!isUnread(item)) return words;
  const first = firstUnread.get(item.id) ?? words;
  if (first) firstUnread.set(item.id, first);
  return first;
}

/** Without the marks of Markdown: a row is too short for them. */
function plainWords(text: string): string {
  return text.replaceAll(/^`{3,}\w*\s*|^[#>\s]+|\*\*|`/g, "") || (text && "Code");
}

function stored(): Seen {
  try {
    const value: unknown = JSON.parse(readStored("seen") ?? "{}");
    return typeof value === "object" && value !== null ? (value as Seen) : {};
  } catch {
    return {};
  }
}
