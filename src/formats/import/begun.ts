/**
 * Sessions of which a tool has only written the beginning, such as settings or a header.
 *
 * The first message identifies a conversation: imported without one, it has another id than in an import of the whole
 * file. So such a file waits for it. One that its tool left for a day is imported, but never continued: when the
 * message comes after all, all of the file is read, and the conversation without a message goes to the trash.
 */
import { statSync } from "node:fs";
import type { Ingest } from "../../store/write/ingest.ts";
import { readLines } from "../sources/lines.ts";
import type { ByteSource, SourceFile } from "../sources/types.ts";
import type { WithLines } from "./detection/candidates.ts";
import type { FileSink } from "./file-sink.ts";
import type { RememberedConversation } from "./ledger/conversations.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { isTorn, type LineReader } from "./line-reader.ts";
import { introductionId } from "./writer/conversation-start.ts";

/** What a tool has left for so long will not be completed. */
const NEVER_MS = 24 * 3_600_000;

/**
 * Whether a tool is about to write the first line of a file. What is there so far may look like something else: the
 * messages in it like a request to a model.
 */
export async function isFirstLineTorn(source: ByteSource, file: SourceFile): Promise<boolean> {
  const isGrowing =
    file.archive === undefined && file.path.endsWith(".jsonl") && isRecent(file.modifiedMs, NEVER_MS);
  if (!isGrowing) return false;
  for await (const [first] of readLines(source)) return first !== undefined && isTorn(first);
  return false;
}

/** A last line that its tool left for a day will not be completed: it is kept unparsed. */
export function keepNeverCompleted({ pending }: LineReader, sink: FileSink, file: SourceFile): boolean {
  if (pending === undefined || isRecent(file.modifiedMs, NEVER_MS)) return false;
  const { line, offset, bytes } = pending;
  sink.originals.stream.add(offset, bytes, false);
  sink.skip({ line, offset }, "the last line was never completed");
  return true;
}

/** Whether its tool has written more than was there when it was opened, which was read up to `end`. */
export function hasGrown({ archive, path, size }: SourceFile, end: number): boolean {
  if (archive !== undefined) return false;
  const now = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  // Of a compressed file, `end` is another measure.
  return now > size && now > end;
}

/** A clock may be a little ahead. A time that is far in the future says nothing. */
export function isRecent(atMs: number, withinMs: number): boolean {
  return Math.abs(Date.now() - atMs) < withinMs;
}

/** Whether nothing of a message was read yet. Damage is kept in any case, and so is what a tool left for a day. */
export function isOnlyBegun(
  { lines }: WithLines,
  file: SourceFile,
  ledger: Ledger,
  { writers, skipped }: FileSink,
): boolean {
  const isEmpty = lines.needsMessage === true && writers.length === 0 && skipped.length === 0;
  return isEmpty && isRecent(file.modifiedMs, NEVER_MS) && ledger.conversations.last(file.path) === undefined;
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
