import { checkEpoch } from "../../leases.ts";
import type { JournalOperation } from "../../operations.ts";
import { type JsonlContext, liveConversation } from "../jsonl-context.ts";
import type { Syncable } from "./journals.ts";

/** Keep the text of an answer while it is streamed. Gives how far it reaches once `waits` is synced. */
export function writeJournal(
  context: JsonlContext,
  operation: JournalOperation,
  waits: (file: Syncable) => void,
): number {
  const known = liveConversation(context, operation.conversation);
  checkEpoch(operation.conversation, context.leases.read(known.stem), operation.epoch);
  const written = context.journals.write(known, operation);
  if (written.waits !== undefined) waits(written.waits);
  return written.length;
}
