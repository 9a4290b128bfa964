/** Removes content permanently, under the lock. */

import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { REMOVED_KIND } from "../../../message/entry.ts";
import type { StoredEntry } from "../../../message/types.ts";
import { encodeEntry } from "../../../transcript/lines.ts";
import { advance, EMPTY_LOG } from "../../../transcript/log-state.ts";
import { type Rewritten, rewriteLog } from "../../../transcript/rewrite.ts";
import { holds } from "../../../tree/path.ts";
import { timeOf } from "../../../util/time.ts";
import type {
  CollectOperation,
  RedactOperation,
  Removed,
  SetKeyOperation,
  SweepOperation,
} from "../../operations.ts";
import { entryNotFound, type Freed, keyReceipt, planSweep, receipt } from "../../removal-rules.ts";
import { checkKeyFree } from "../../rules.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import { lookupIn } from "../folder/conversations.ts";
import { isSetAside, LEGACY_FOLDER, TRASH_FOLDER } from "../folder/names.ts";
import {
  type JsonlContext,
  liveConversation,
  type RecordChange,
  withChangeCounter,
} from "../jsonl-context.ts";
import { recountLog } from "../log/recount-log.ts";

/** Replace the content of an entry, which keeps its place. */
export function redactEntry(context: JsonlContext, redact: RedactOperation, record: RecordChange): Removed {
  const known = readyToRewrite(context, redact.conversation);
  const { entry: wanted, requires = wanted } = redact;
  const some = entriesOf(context, known, ({ id }) => id === wanted || id === requires);
  const found = some.find(({ id }) => id === wanted);
  if (found === undefined) throw entryNotFound(wanted);
  if (!some.some(({ id }) => id === requires)) throw entryNotFound(requires);
  // Both versions of the metadata are rewritten, so that neither repeats the content in its context state.
  known.metadata = { ...known.metadata, contextState: null };
  rewrite(context, known, redact.at, (entry, branch) =>
    entry.id === redact.entry ? withJson(entry, branch, entry.kind, redact.json) : "keep",
  );
  record("redacted", known);
  // A leftover journal holds the same content.
  const turn = context.journals.turn(known, Number.MAX_SAFE_INTEGER)?.id;
  if (turn !== undefined && found.operationId === `${turn}/end`) context.journals.end(known, turn);
  const copies = copiesOf(context, known, redact.entry);
  return receipt(1, bytesOf([found]), [dropBlobs(context, [found])], copies);
}

/** Replace the session key in the header of the log and in both versions of the metadata. */
export function setKey(context: JsonlContext, operation: SetKeyOperation, record: RecordChange): Removed {
  const { conversation, key, at } = operation;
  const known = readyToRewrite(context, conversation);
  const former = known.metadata.key;
  if (former === key) return keyReceipt(null);
  checkKeyFree(operation, lookupIn(context));
  // A copy: the catalogue still finds the conversation by its former key.
  rewrite(context, { ...known, metadata: { ...known.metadata, key } }, at, () => "keep");
  record(key === null ? "redacted" : "updated", known);
  return keyReceipt(former, former === null ? [] : copiesOf(context, known, former));
}

/** Remove the entries that no branch contains. */
export function sweepConversation(
  context: JsonlContext,
  { conversation, at }: SweepOperation,
  record: RecordChange,
): Removed {
  const known = readyToRewrite(context, conversation);
  const { ranges, runStarts } = planSweep(known.log);
  const isGone = ({ seq, kind }: StoredEntry): boolean => kind !== REMOVED_KIND && holds(ranges, seq);
  const gone = ranges.length === 0 ? [] : entriesOf(context, known, isGone);
  if (gone.length === 0) return receipt(0, 0, []);
  rewrite(context, known, at, (entry, branch) => {
    if (!isGone(entry)) return "keep";
    const { operationId: _, ...nameless } = entry;
    return runStarts.has(entry.seq) ? withJson(nameless, branch, REMOVED_KIND, "{}") : "drop";
  });
  record("swept", known);
  return receipt(gone.length, bytesOf(gone), [dropBlobs(context, gone)]);
}

/** Remove blobs that nothing refers to. */
export function collectBlobs({ blobs, references }: JsonlContext, operation: CollectOperation): Removed {
  const { before, hashes } = operation;
  if (hashes !== undefined) return receipt(0, 0, [references.dropUnused(hashes)]);
  const uploads = blobs.dropUploads(before);
  const old = [...blobs.all()].filter(({ modifiedMs }) => modifiedMs < timeOf(before));
  const unused = references.dropUnused(old.map(({ hash }) => hash));
  return receipt(0, 0, [uploads, unused]);
}

function withJson(entry: StoredEntry, branch: number, kind: string, json: string): Buffer {
  const { id, at, seq, parentId, operationId } = entry;
  return encodeEntry({ id, kind, at, json }, { seq, parentId, branch, operationId, batch: undefined });
}

/** The conversation without a torn tail, and with no writer of this process. */
function readyToRewrite(context: JsonlContext, id: string): CatalogueEntry {
  const { logs, feed } = context;
  logs.open(liveConversation(context, id));
  logs.sync(id);
  logs.close(id);
  // Without this, a swept entry would look like one that was never written.
  feed.syncAll();
  return liveConversation(context, id);
}

function rewrite(
  context: JsonlContext,
  known: CatalogueEntry,
  at: string,
  transform: (entry: StoredEntry, branch: number) => Rewritten,
): void {
  const { io, random } = context;
  const { logPath, log, metadata } = known;
  replaceLog(context, known, at, () => rewriteLog(io, random, logPath, log.bytes, transform, metadata.key));
}

/**
 * The metadata is reset first, so that after a crash in between the next reader
 * counts the log again.
 */
export function replaceLog(
  context: JsonlContext,
  known: CatalogueEntry,
  at: string,
  replace: () => void,
): void {
  const { io, files } = context;
  const { logPath, metadataPath, log } = known;
  withChangeCounter(context, known.stem, () => {
    files.setDamagedAside(known);
    files.writeMetadata(metadataPath, { ...known.metadata, updatedAt: at, log: EMPTY_LOG });
    replace();
    files.writeMetadata(metadataPath, {
      ...known.metadata,
      updatedAt: at,
      log: recountLog(io, { logPath, log }),
    });
  });
}

function entriesOf(
  { io }: JsonlContext,
  { logPath, log }: CatalogueEntry,
  wanted: (entry: StoredEntry) => boolean,
): StoredEntry[] {
  const found: StoredEntry[] = [];
  withFile(io, logPath, "read", (file) => {
    advance(io, file, EMPTY_LOG, log.bytes, {
      entry: (entry) => {
        if (wanted(entry)) found.push(entry);
      },
    });
  });
  return found;
}

/** Remove the blobs of these entries that nothing else refers to. */
function dropBlobs({ references }: JsonlContext, entries: readonly StoredEntry[]): Freed {
  return references.dropUnused(new Set(entries.flatMap(({ blobs = [] }) => blobs.map(({ hash }) => hash))));
}

function bytesOf(entries: readonly StoredEntry[]): number {
  const sizes = entries.map(({ message, data }) =>
    Buffer.byteLength(JSON.stringify(message ?? data ?? null)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Files beside a conversation that may contain an entry or a key: they name it, or are unreadable. */
function copiesOf({ io, folder }: JsonlContext, { stem }: CatalogueEntry, name: string): string[] {
  const legacy = join(folder, LEGACY_FOLDER);
  return [folder, join(folder, TRASH_FOLDER), legacy].flatMap((place) => {
    if (io.stat(place) === undefined) return [];
    const names = io.list(place).filter((name) => name.startsWith(`${stem}.`));
    // Lines of a legacy file may have no ids to search for.
    if (place === legacy) return names.map((name) => join(place, name));
    return names
      .filter((name) => isSetAside(name) || name.endsWith(".meta.json.bak"))
      .map((name) => join(place, name))
      .filter((path) => mayHold(io, path, JSON.stringify(name)));
  });
}

function mayHold(io: FileIo, path: string, text: string): boolean {
  try {
    return withFile(io, path, "read", (file) => readChunk(io, file, 0, io.statOpen(file).size)).includes(
      text,
    );
  } catch {
    return true;
  }
}
