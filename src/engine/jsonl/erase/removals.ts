/** Taking words away for good. Under the lock. */
import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import type { StoredEntry } from "../../../message/types.ts";
import { encodeEntry } from "../../../transcript/lines.ts";
import { advance, EMPTY_LOG } from "../../../transcript/log-state.ts";
import { type Rewritten, rewriteLog } from "../../../transcript/rewrite.ts";
import { holds } from "../../../tree/path.ts";
import { timeOf } from "../../../util/time.ts";
import type { CollectOperation, RedactOperation, Removed, SweepOperation } from "../../operations.ts";
import { entryNotFound, type Freed, planSweep, REMOVED_KIND, receipt } from "../../removal-rules.ts";
import type { Known } from "../folder/catalogue-entry.ts";
import type { Noter } from "../folder/conversations.ts";
import { isSetAside, LEGACY_FOLDER, TRASH_FOLDER } from "../folder/names.ts";
import { changing, liveConversation, type Parts } from "../jsonl-context.ts";

/** Other words in the place of an entry's, which stays where it is. */
export function redactEntry(parts: Parts, redact: RedactOperation, note: Noter): Removed {
  const known = readyToRewrite(parts, redact.conversation);
  const [found] = entriesOf(parts, known, ({ id }) => id === redact.entry);
  if (found === undefined) throw entryNotFound(redact.entry);
  // Both versions of the metadata are written anew: neither repeats the words in its context state.
  known.metadata = { ...known.metadata, contextState: null };
  rewrite(parts, known, redact.at, (entry, branch) =>
    entry.id === redact.entry ? withJson(entry, branch, entry.kind, redact.json) : "keep",
  );
  note("redacted", known);
  // A journal that was left behind holds the same words.
  const turn = parts.journals.turn(known, Number.MAX_SAFE_INTEGER)?.id;
  if (turn !== undefined && found.operationId === `${turn}/end`) parts.journals.end(known, turn);
  const copies = copiesOf(parts, known, redact.entry);
  return receipt(1, bytesOf([found]), [dropBlobs(parts, [found])], copies);
}

/** Entries that no branch leads to. */
export function sweepConversation(parts: Parts, { conversation, at }: SweepOperation, note: Noter): Removed {
  const known = readyToRewrite(parts, conversation);
  const { ranges, runStarts } = planSweep(known.log);
  const isGone = ({ seq, kind }: StoredEntry): boolean => kind !== REMOVED_KIND && holds(ranges, seq);
  const gone = ranges.length === 0 ? [] : entriesOf(parts, known, isGone);
  if (gone.length === 0) return receipt(0, 0, []);
  rewrite(parts, known, at, (entry, branch) => {
    if (!isGone(entry)) return "keep";
    const { operationId: _, ...nameless } = entry;
    return runStarts.has(entry.seq) ? withJson(nameless, branch, REMOVED_KIND, "{}") : "drop";
  });
  note("swept", known);
  return receipt(gone.length, bytesOf(gone), [dropBlobs(parts, gone)]);
}

/** Blobs that nothing refers to. */
export function collectBlobs({ blobs, references }: Parts, { before }: CollectOperation): Removed {
  const uploads = blobs.dropUploads(before);
  const old = [...blobs.all()].filter(({ modifiedMs }) => modifiedMs < timeOf(before));
  const unused = references.dropUnused(old.map(({ hash }) => hash));
  return receipt(0, 0, [uploads, unused]);
}

function withJson(entry: StoredEntry, branch: number, kind: string, json: string): Buffer {
  const { id, at, seq, parentId, operationId } = entry;
  return encodeEntry({ id, kind, at, json }, { seq, parentId, branch, operationId, batch: undefined });
}

/** With nothing torn behind its end, and nobody of this process writing to it. */
function readyToRewrite(parts: Parts, id: string): Known {
  const { logs, feed } = parts;
  logs.open(liveConversation(parts, id));
  logs.sync(id);
  logs.close(id);
  // What is swept could not be told apart any more from what was never written.
  feed.syncAll();
  return liveConversation(parts, id);
}

/**
 * The metadata stops counting first: between the two, and after a crash
 * there, whoever comes counts the log that there is.
 */
export function rewrite(
  parts: Parts,
  known: Known,
  at: string,
  transform: (entry: StoredEntry, branch: number) => Rewritten,
  bad: "keep" | "drop" = "keep",
): void {
  const { io, random, files } = parts;
  const { logPath, metadataPath, log } = known;
  changing(parts, known.stem, () => {
    files.setDamagedAside(known);
    files.writeMetadata(metadataPath, { ...known.metadata, updatedAt: at, log: EMPTY_LOG });
    rewriteLog(io, random, logPath, log.bytes, transform, bad);
    const counted = countLog(io, logPath);
    // A number is never given out twice, whatever line was the last.
    const lastSeq = Math.max(counted.lastSeq, log.lastSeq);
    files.writeMetadata(metadataPath, { ...known.metadata, updatedAt: at, log: { ...counted, lastSeq } });
  });
}

function countLog(io: FileIo, path: string): Known["log"] {
  const file = io.open(path, "read");
  try {
    return advance(io, file, EMPTY_LOG, io.statOpen(file).size);
  } finally {
    io.close(file);
  }
}

function entriesOf(
  { io }: Parts,
  { logPath, log }: Known,
  wanted: (entry: StoredEntry) => boolean,
): StoredEntry[] {
  const found: StoredEntry[] = [];
  const file = io.open(logPath, "read");
  try {
    advance(io, file, EMPTY_LOG, log.bytes, {
      entry: (entry) => {
        if (wanted(entry)) found.push(entry);
      },
    });
  } finally {
    io.close(file);
  }
  return found;
}

/** Remove the blobs of these entries that nothing else refers to. */
function dropBlobs({ references }: Parts, entries: readonly StoredEntry[]): Freed {
  return references.dropUnused(new Set(entries.flatMap(({ blobs = [] }) => blobs.map(({ hash }) => hash))));
}

function bytesOf(entries: readonly StoredEntry[]): number {
  const sizes = entries.map(({ message, data }) =>
    Buffer.byteLength(JSON.stringify(message ?? data ?? null)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What lies beside a conversation and may hold an entry: it names it, or cannot be read. */
function copiesOf({ io, folder }: Parts, { stem }: Known, entry: string): string[] {
  const legacy = join(folder, LEGACY_FOLDER);
  return [folder, join(folder, TRASH_FOLDER), legacy].flatMap((place) => {
    if (io.stat(place) === undefined) return [];
    const names = io.list(place).filter((name) => name.startsWith(`${stem}.`));
    // Lines of a legacy file have no ids to be found by.
    if (place === legacy) return names.map((name) => join(place, name));
    return names
      .filter((name) => isSetAside(name) || name.endsWith(".meta.json.bak"))
      .map((name) => join(place, name))
      .filter((path) => mayHold(io, path, JSON.stringify(entry)));
  });
}

function mayHold(io: FileIo, path: string, text: string): boolean {
  let file: number;
  try {
    file = io.open(path, "read");
  } catch {
    return true;
  }
  try {
    const { size } = io.statOpen(file);
    return readChunk(io, file, 0, size).includes(text);
  } catch {
    return true;
  } finally {
    io.close(file);
  }
}
