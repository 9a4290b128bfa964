/** The first messages of a conversation and its last one, which a list reads to show their words. */
import { firstWordsOf } from "../message/title.ts";
import type { StoredEntry } from "../message/types.ts";
import type { PageQuery } from "./queries.ts";

/** How many messages of a conversation a list reads to find its first words. */
export const OPENING_MESSAGES = 4;
const OPENING_BYTES = 256 * 1024;

/** Whether it has the first words of the user, after which a list reads no further. */
export function isOpening({ message }: StoredEntry): boolean {
  return message !== undefined && firstWordsOf(message) !== undefined;
}

/** `openings` of an engine that reads pages. */
export function openingIn(entries: readonly StoredEntry[]): StoredEntry[] {
  const end = entries.findIndex(isOpening);
  return entries.slice(0, end === -1 ? OPENING_MESSAGES : end + 1);
}

/** The page that `openingIn` needs. */
export function openingPage(conversation: string): PageQuery {
  const first = { direction: "forward", from: null, limit: OPENING_MESSAGES } as const;
  return { ...first, conversation, bytesMax: OPENING_BYTES, kind: "message", branch: null, asStored: true };
}

/** The page that `endings` of an engine that reads pages needs: of one message. */
export function endingPage(conversation: string): PageQuery {
  const last = { direction: "backward", from: null, limit: 1 } as const;
  return { ...last, conversation, bytesMax: 1, kind: "message" };
}
