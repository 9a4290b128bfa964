/** All lines of a transcript, for one that is written as a whole. */
import type { CheckedMessage } from "../message/validate.ts";
import { isoTime } from "../util/time.ts";
import { type Random, uuidv7 } from "../util/uuid.ts";
import { type EntryDraft, encodeEntry, encodeHeader, type Header } from "./lines.ts";

/** A message as an entry, with an id and a time if the caller has chosen none. */
export function draftOf(checked: CheckedMessage, nowMs: number, random: Random): EntryDraft {
  return {
    id: checked.id ?? uuidv7(nowMs, random),
    kind: "message",
    at: isoTime(checked.atMs ?? nowMs),
    json: checked.json,
  };
}

/** `lastSeq` is the last number of the transcript that is replaced. */
export function* encodeGeneration(
  header: Header,
  drafts: readonly EntryDraft[],
  lastSeq: number,
): Generator<Buffer> {
  yield encodeHeader(header);
  let seq = lastSeq;
  let parentId: string | null = null;
  for (const draft of drafts) {
    yield encodeEntry(draft, { seq: ++seq, parentId, operationId: undefined, batch: undefined });
    parentId = draft.id;
  }
}
