import { checkEpoch } from "../../leases.ts";
import type { JournalOperation } from "../../operations.ts";
import { liveConversation, type Parts } from "../jsonl-context.ts";
import type { Syncable } from "./journals.ts";

/** Keep the text of an answer while it is streamed. Gives how far it reaches once `waits` is synced. */
export function writeJournal(
  parts: Parts,
  operation: JournalOperation,
  waits: (file: Syncable) => void,
): number {
  const known = liveConversation(parts, operation.conversation);
  checkEpoch(operation.conversation, parts.leases.read(known.stem), operation.epoch);
  const written = parts.journals.write(known, operation);
  if (written.waits !== undefined) waits(written.waits);
  return written.length;
}
