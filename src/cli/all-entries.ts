import type { Entry } from "../message/types.ts";
import type { Conversation } from "../store/conversation.ts";
import type { Call } from "./command.ts";
import { wholeNumber } from "./whole-number.ts";

const PAGE = 1000;

/** All entries in order, or the newest `--last N`, a page at a time. */
export async function allEntries(
  conversation: Conversation,
  kind: "messages" | "entries",
  last: number | undefined,
): Promise<Entry[]> {
  const pages: Entry[][] = [];
  let wanted = last ?? Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE, wanted);
    const start = last === undefined ? { limit } : { last: limit };
    const page = await conversation[kind](cursor === undefined ? start : { cursor, limit });
    pages.push(page.items);
    wanted -= page.items.length;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined && wanted > 0);
  // Backwards the newest page came first.
  return (last === undefined ? pages : pages.reverse()).flat();
}

export function lastOf(call: Call): number | undefined {
  const text = call.values.get("last");
  return text === undefined ? undefined : wholeNumber(text, "last");
}
