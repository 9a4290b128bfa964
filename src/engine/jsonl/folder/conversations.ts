/** Making, renaming and moving conversations. Under the lock. */
import { join } from "node:path";
import { unavailable } from "../../../errors.ts";
import { EMPTY_LOG } from "../../../transcript/log-state.ts";
import { createLog } from "../../../transcript/log-writer.ts";
import { headerOf, type Metadata, newMetadata } from "../../../transcript/metadata.ts";
import { timeOf } from "../../../util/time.ts";
import type { CreateOperation, TrashOperation, UpdateOperation } from "../../operations.ts";
import type { ConversationInfo } from "../../queries.ts";
import { type ConversationLookup, checkMove, notFound, resolveCreate } from "../../rules.ts";
import { lastPurged } from "../erase/purge.ts";
import type { RecordType } from "../feed/feed-record.ts";
import { changing, liveConversation, type Parts } from "../jsonl-context.ts";
import { infoOf, type Known } from "./catalogue-entry.ts";
import { freeStem, logName, metadataName, stemMs } from "./names.ts";

export type Noter = (type: RecordType, known: Known) => void;

/** How the rules find conversations here. */
export function lookupIn({ catalogue }: Pick<Parts, "catalogue">): ConversationLookup {
  const info = (known: Known | undefined): ConversationInfo | undefined =>
    known === undefined ? undefined : infoOf(known);
  return { byId: (id) => info(catalogue.byId(id)), byKey: (key) => info(catalogue.byKey(key)) };
}

export function createConversation(parts: Parts, create: CreateOperation, note: Noter): ConversationInfo {
  const existing = resolveCreate(create, lookupIn(parts));
  if (existing !== undefined) return existing;
  const { id, key, title, channel, model, profileId, at } = create;
  const { catalogue, io, folder } = parts;
  catalogue.checkChanges();
  // A name that was used once means that conversation in the feed, also when it is gone.
  const purged = lastPurged(parts);
  const fromMs = purged === undefined ? timeOf(at) : Math.max(timeOf(at), stemMs(purged) + 1);
  const taken = (stem: string): boolean =>
    catalogue.has(stem) || io.stat(join(folder, logName(stem))) !== undefined;
  const stem = freeStem(fromMs, taken);
  const metadata = newMetadata({ id, key, title, channel, model, profileId, createdAt: at });
  return changed(parts, stem, "created", note, () => createFiles(parts, stem, metadata));
}

/** A creation that fails halfway must not have created anything. */
function createFiles({ io, random, folder, files }: Parts, stem: string, metadata: Metadata): void {
  const logPath = join(folder, logName(stem));
  const log = createLog(io, random, logPath, headerOf(metadata));
  try {
    files.writeMetadata(join(folder, metadataName(stem)), { ...metadata, log });
  } catch (error) {
    io.remove(logPath);
    throw error;
  }
}

export function updateConversation(parts: Parts, update: UpdateOperation, note: Noter): ConversationInfo {
  const { conversation, patch, at } = update;
  const known = liveConversation(parts, conversation);
  parts.logs.reportEarlier(known.metadata.id);
  parts.logs.syncCounted(known);
  // Another program may write a legacy file anew: what was counted in it means nothing then.
  const log = parts.legacy.ofStem(known.stem) === undefined ? known.log : EMPTY_LOG;
  return changed(parts, known.stem, "updated", note, () => {
    parts.files.setDamagedAside(known);
    parts.files.writeMetadata(known.metadataPath, { ...known.metadata, ...patch, updatedAt: at, log });
  });
}

/** To the trash or back. */
export function moveConversation(parts: Parts, move: TrashOperation, note: Noter): ConversationInfo {
  const { id } = checkMove(move, lookupIn(parts));
  const known = parts.catalogue.byId(id);
  if (known === undefined) throw notFound(id);
  if (known.logMissing) parts.logs.completeLog(known);
  parts.logs.syncCounted(known);
  parts.logs.close(id);
  const isTrash = move.type === "trash";
  const deletedAt = isTrash ? move.at : null;
  return changed(parts, known.stem, isTrash ? "trashed" : "restored", note, () => {
    parts.files.setDamagedAside(known);
    parts.files.move(known, { ...known.metadata, deletedAt, updatedAt: move.at, log: known.log });
  });
}

function changed(
  parts: Parts,
  stem: string,
  type: RecordType,
  note: Noter,
  change: () => void,
): ConversationInfo {
  const known = changing(parts, stem, change);
  if (known === undefined) throw unavailable(`Cannot read back what was written to ${parts.folder}`);
  note(type, known);
  return infoOf(known);
}
