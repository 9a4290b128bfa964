import { filledIn, objectIn, timeIn } from "../../../util/values.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import { type Line, timeOf } from "./line.ts";

const SESSION = /^[0-9a-f]{8}-[0-9a-f-]{27}(?=\.)/i;

/**
 * Whether a session begins with lines of another one, as far as the file shows it: they name that one, or records
 * before the first message (`early`) are from a later time. What a hook said may be older than the prompt that was
 * queued meanwhile, so it is the message that counts. A copy made by `--fork-session` in the terminal, with checkpoints
 * turned off, looks like any other session.
 */
export function isCopy(
  early: readonly SourceRecord[],
  first: Line,
  message: Line | undefined,
  name: string,
): boolean {
  const { value } = first;
  const [file] = SESSION.exec(name) ?? [];
  const session = filledIn(value.sessionId);
  if (objectIn(value.forkedFrom) !== undefined) return true;
  // Version 2.0 left the id of the session in the first line.
  if (file !== undefined && session !== undefined && file !== session) return true;
  return message !== undefined && early.some((record) => isLater(record, message));
}

/** A prompt that was queued, or a checkpoint of another message. */
function isLater({ value }: SourceRecord, message: Line): boolean {
  const { type, timestamp, messageId } = objectIn(value) ?? {};
  const checked = type === "file-history-snapshot" ? filledIn(messageId) : undefined;
  if (checked !== undefined) return checked !== message.value.uuid;
  return (timeIn(timestamp) ?? 0) > (timeOf(message) ?? Number.POSITIVE_INFINITY);
}
