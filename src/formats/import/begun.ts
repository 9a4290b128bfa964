/**
 * Sessions of which a tool has only written the beginning, such as settings or a header.
 *
 * The first message identifies a conversation: imported without one, it has another id than in an import of the whole
 * file. So such a file waits for it. One that its tool left for a day is imported, but never continued: when the
 * message comes after all, all of the file is read, and the conversation without a message goes to the trash.
 */
import type { Ingest } from "../../store/write/ingest.ts";
import type { SourceFile } from "../sources/types.ts";
import type { WithLines } from "./choose-format.ts";
import type { FileSink } from "./file-sink.ts";
import type { RememberedConversation } from "./ledger/conversations.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { introductionId } from "./writer/conversation-start.ts";

/** What a tool has left for so long will not be completed. */
export const NEVER_MS: number = 24 * 3_600_000;

/** Whether nothing of a message was read yet. Damage is kept in any case, and so is what a tool left for a day. */
export function isOnlyBegun(
  { lines }: WithLines,
  file: SourceFile,
  ledger: Ledger,
  { writers, skipped }: FileSink,
): boolean {
  const isEmpty = lines.needsMessage === true && writers.length === 0 && skipped.length === 0;
  const isRecent = Math.abs(Date.now() - file.modifiedMs) < NEVER_MS;
  return isEmpty && isRecent && ledger.conversations.last(file.path) === undefined;
}

/** The conversation that an earlier import made of a file that had only begun. */
export function begunOf(ledger: Ledger, path: string): RememberedConversation | undefined {
  const [begun, another] = ledger.conversations.ofFile(path);
  const isEmpty = begun?.lastId === introductionId(begun?.id ?? "");
  return isEmpty && another === undefined ? begun : undefined;
}

/** The same, if the file that was read now has given it another id. */
export function formerlyBegun(
  ledger: Ledger,
  path: string,
  { writers }: FileSink,
): RememberedConversation | undefined {
  const begun = begunOf(ledger, path);
  return writers.length > 0 && writers.every(({ id }) => id !== begun?.id) ? begun : undefined;
}

/**
 * The session key of a conversation without a message is free now. By the clocks, that may have been the newer one, so
 * the conversation in its place has not taken the key.
 */
export async function takeItsKey(ingest: Ingest, { writers }: FileSink): Promise<void> {
  for (const { id } of writers) await ingest.claimKey(id);
}
