/** Creates, updates and moves conversations, under the lock. */
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
import {
  type JsonlContext,
  liveConversation,
  type RecordChange,
  withChangeCounter,
} from "../jsonl-context.ts";
import { createLegacyFile } from "../legacy/create.ts";
import { type CatalogueEntry, infoOf } from "./catalogue-entry.ts";
import { freeStem, logName, metadataName, stemMs } from "./names.ts";

/** Finds conversations for the shared rules. */
export function lookupIn({ catalogue }: Pick<JsonlContext, "catalogue">): ConversationLookup {
  const info = (known: CatalogueEntry | undefined): ConversationInfo | undefined =>
    known === undefined ? undefined : infoOf(known);
  return { byId: (id) => info(catalogue.byId(id)), byKey: (key) => info(catalogue.byKey(key)) };
}

export function createConversation(
  context: JsonlContext,
  create: CreateOperation,
  record: RecordChange,
): ConversationInfo {
  const existing = resolveCreate(create, lookupIn(context));
  if (existing !== undefined) return existing;
  const { id, key, title, channel, model, profileId, at } = create;
  const { catalogue, io, folder } = context;
  catalogue.checkChanges();
  // A stem identifies its conversation in the feed, so that of a purged one is never used again.
  const purged = lastPurged(context);
  const fromMs = purged === undefined ? timeOf(at) : Math.max(timeOf(at), stemMs(purged) + 1);
  const taken = (stem: string): boolean =>
    catalogue.has(stem) || io.stat(join(folder, logName(stem))) !== undefined;
  const stem = freeStem(fromMs, taken);
  const metadata = newMetadata({ id, key, title, channel, model, profileId, createdAt: at });
  const isLegacy = context.legacyPolicy === "append" && create.copied !== true;
  const files = isLegacy ? createLegacyFile : createFiles;
  return changed(context, stem, "created", record, () => files(context, stem, metadata));
}

/** A creation that fails halfway must leave nothing behind. */
function createFiles({ io, random, folder, files }: JsonlContext, stem: string, metadata: Metadata): void {
  const logPath = join(folder, logName(stem));
  const log = createLog(io, random, logPath, headerOf(metadata));
  try {
    files.writeMetadata(join(folder, metadataName(stem)), { ...metadata, log });
  } catch (error) {
    io.remove(logPath);
    throw error;
  }
}

export function updateConversation(
  context: JsonlContext,
  update: UpdateOperation,
  record: RecordChange,
): ConversationInfo {
  const { conversation, patch, at } = update;
  const known = liveConversation(context, conversation);
  context.logs.reportEarlier(known.metadata.id);
  context.logs.syncCounted(known);
  // Another program may rewrite a legacy file, so its counts are not stored.
  const log = context.legacy.ofStem(known.stem) === undefined ? known.log : EMPTY_LOG;
  return changed(context, known.stem, "updated", record, () => {
    context.files.setDamagedAside(known);
    context.files.writeMetadata(known.metadataPath, { ...known.metadata, ...patch, updatedAt: at, log });
  });
}

/** To the trash or back. */
export function moveConversation(
  context: JsonlContext,
  move: TrashOperation,
  record: RecordChange,
): ConversationInfo {
  const { id } = checkMove(move, lookupIn(context));
  const known = context.catalogue.byId(id);
  if (known === undefined) throw notFound(id);
  if (known.logMissing) context.logs.completeLog(known);
  context.logs.syncCounted(known);
  context.logs.close(id);
  const isTrash = move.type === "trash";
  const deletedAt = isTrash ? move.at : null;
  return changed(context, known.stem, isTrash ? "trashed" : "restored", record, () => {
    context.files.setDamagedAside(known);
    context.files.move(known, { ...known.metadata, deletedAt, updatedAt: move.at, log: known.log });
  });
}

function changed(
  context: JsonlContext,
  stem: string,
  type: RecordType,
  record: RecordChange,
  change: () => void,
): ConversationInfo {
  const known = withChangeCounter(context, stem, change);
  if (known === undefined)
    throw unavailable(`Cannot read back the conversation that was written to ${context.folder}`);
  record(type, known);
  return infoOf(known);
}
