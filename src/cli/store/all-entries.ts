import type { Entry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Call } from "../command.ts";
import { givenNumber } from "../input/whole-number.ts";

const PAGE = 1000;

/** The path of a branch, or the whole log. Default: the path of the checked-out branch. */
export interface Scope {
  readonly branch?: string;
  readonly all?: boolean;
}

/** All entries in order, or the newest `--last N`, a page at a time. */
export async function allEntries(
  conversation: Conversation,
  kind: "messages" | "entries",
  last: number | undefined,
  scope: Scope = {},
): Promise<Entry[]> {
  const pages: Entry[][] = [];
  let wanted = last ?? Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE, wanted);
    const start = last === undefined ? { limit } : { last: limit };
    const place = cursor === undefined ? start : { cursor, limit };
    const page = await conversation[kind]({ ...scope, ...place });
    pages.push(page.items);
    wanted -= page.items.length;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined && wanted > 0);
  // Backwards the newest page came first.
  return (last === undefined ? pages : pages.reverse()).flat();
}

export function lastOf(call: Call): number | undefined {
  return givenNumber(call, "last");
}
