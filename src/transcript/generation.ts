/** A transcript that is written as a whole takes the place of the former generation, which is kept. */
import { basename, dirname, join } from "node:path";
import type { FileIo } from "../disk/file-io.ts";
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

export function formerName(path: string, generation: number): string {
  return `${path}.gen-${generation}`;
}

/**
 * A writer that was killed while it replaced a transcript may have given the
 * file the name of a former generation, and not yet taken its own name away.
 */
export function removeFormerNames(io: FileIo, path: string): void {
  const inode = io.stat(path)?.inode;
  const prefix = formerName(basename(path), 0).slice(0, -1);
  for (const name of io.list(dirname(path))) {
    const other = join(dirname(path), name);
    if (name.startsWith(prefix) && io.stat(other)?.inode === inode) io.remove(other);
  }
}
