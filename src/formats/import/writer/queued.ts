/** What waits to be written to a conversation. */
import type { QueuedOriginal } from "../original/collector.ts";
import type { ConversationOriginals } from "../original/conversation-originals.ts";
import type { QueuedEntry } from "./entry-intake.ts";

/** Bytes of a file, with what decides which of them are new. */
export interface WritersOriginal extends QueuedOriginal {
  readonly originals: ConversationOriginals;
  /** Entries that were made of it, and of bytes that are not kept yet. */
  readonly waiting?: readonly QueuedEntry[];
}

export type Queued = QueuedEntry | WritersOriginal;

export function bytesOf(queued: Queued): number {
  if (!("segments" in queued)) return queued.bytes;
  return queued.segments.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
