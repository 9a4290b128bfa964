import { checkEpoch } from "../../leases.ts";
import type { JournalOperation } from "../../operations.ts";
import { type JsonlContext, liveConversation } from "../jsonl-context.ts";
import type { Syncable } from "./journals.ts";

/** Journal the text of a streamed answer. Returns its length, which is durable once `waits` is synced. */
export function writeJournal(
  context: JsonlContext,
  operation: JournalOperation,
  restarts: boolean,
  waits: (file: Syncable) => void,
): number {
  const known = liveConversation(context, operation.conversation);
  checkEpoch(operation.conversation, context.leases.read(known.stem), operation.epoch);
  const written = context.journals.write(known, operation, restarts);
  if (written.waits !== undefined) waits(written.waits);
  return written.length;
}
