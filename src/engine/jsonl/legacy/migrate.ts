/**
 * Rewrites legacy transcripts as logs of the store, under the lock.
 *
 * The new log is complete before the legacy file is moved to `legacy/`, where it
 * stays byte for byte. A crash in between leaves both: the log is used then, and
 * the next opener moves the legacy file.
 */
import { basename, dirname, join } from "node:path";
import { NEWLINE, readChunk } from "../../../disk/line-scan.ts";
import { freeName, replaceFile } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { encodeHeader } from "../../../transcript/lines.ts";
import { EMPTY_LOG } from "../../../transcript/log-state.ts";
import { type CatalogueEntry, infoOf } from "../folder/catalogue-entry.ts";
import { LEGACY_FOLDER, logName, metadataName } from "../folder/names.ts";
import { type JsonlContext, withChangeCounter } from "../jsonl-context.ts";
import type { LegacyFile } from "./legacy-file.ts";
import type { LegacyFiles } from "./source.ts";

/** Returns where the legacy file is kept; `undefined` if the conversation has none. */
export function migrateConversation(context: JsonlContext, known: CatalogueEntry): string | undefined {
  const file = context.legacy.ofStem(known.stem);
  if (file === undefined) return undefined;
  const { updatedAt } = infoOf(known);
  let kept: string | undefined;
  withChangeCounter(context, known.stem, () => {
    const { metadata, metadataPath } = known;
    const isInPlace = file.files.log === known.logPath;
    if (isInPlace) keepMetadata(context, known);
    // Before the log exists, because after that the legacy file is ignored.
    context.files.writeMetadata(metadataPath, { ...metadata, updatedAt, log: EMPTY_LOG });
    kept = isInPlace ? replaceInPlace(context, file, known) : replaceByName(context, file, known);
    // With another header it is counted again.
    const log = metadata.key === file.facts.header.key ? known.log : EMPTY_LOG;
    context.files.writeMetadata(metadataPath, { ...metadata, updatedAt, log });
    if (!isInPlace) moveAside(context, file.files, known.stem);
  });
  return kept;
}

/** Move the files that interrupted migrations left. */
export function finishMigrations(context: JsonlContext): void {
  for (const { files, movedTo } of context.legacy.leftBehind()) moveAside(context, files, movedTo);
}

/** The legacy file has another name, so the log is created beside it. */
function replaceByName(
  { legacy, random, folder }: JsonlContext,
  file: LegacyFile,
  known: CatalogueEntry,
): string {
  const { logPath, stem } = known;
  replaceFile(logPath, contentOf(file, known), { io: legacy.real, random });
  legacy.release(file);
  return join(folder, LEGACY_FOLDER, asideName(stem, file.files.log, folder));
}

/** The legacy file has the name of the log, so it is renamed in the same step. */
function replaceInPlace(
  { legacy, random, folder }: JsonlContext,
  file: LegacyFile,
  known: CatalogueEntry,
): string {
  const { stem, logPath } = known;
  const kept = join(folder, LEGACY_FOLDER, logName(stem));
  replaceFile(logPath, contentOf(file, known), { io: legacy.real, random, formerAs: kept });
  legacy.release(file);
  return kept;
}

/** The header does not contain a session key that belongs to another conversation. */
function contentOf(file: LegacyFile, { metadata }: CatalogueEntry): Buffer {
  const bytes = file.log() as Buffer;
  const { header } = file.facts;
  if (metadata.key === header.key) return bytes;
  const entries = bytes.subarray(bytes.indexOf(NEWLINE) + 1);
  return Buffer.concat([encodeHeader({ ...header, key: metadata.key }), entries]);
}

function moveAside({ legacy, folder }: JsonlContext, { log, metadata }: LegacyFiles, stem: string): void {
  const { real } = legacy;
  const aside = join(folder, LEGACY_FOLDER);
  real.makeFolder(aside);
  // The log first: without its metadata, a legacy transcript might not be recognised if the second move fails.
  for (const path of [log, metadata]) {
    if (path === undefined || real.stat(path) === undefined) continue;
    real.rename(path, freeName(real, join(aside, asideName(stem, path, folder))));
    real.syncFolder(aside);
    real.syncFolder(dirname(path));
  }
}

/** Starts with the stem, so that a purge of the conversation removes it. */
function asideName(stem: string, path: string, folder: string): string {
  const name = basename(path);
  return dirname(path) === folder ? `${stem}.${name}` : `${stem}.${basename(dirname(path))}.${name}`;
}

/** A run that was interrupted has kept it already, and what is there now was written by that run. */
function keepMetadata(
  { legacy: { real }, random, folder }: JsonlContext,
  { stem, metadataPath }: CatalogueEntry,
): void {
  const aside = join(folder, LEGACY_FOLDER);
  real.makeFolder(aside);
  const to = join(aside, metadataName(stem));
  if (real.stat(metadataPath) === undefined || real.stat(to) !== undefined) return;
  const bytes = withFile(real, metadataPath, "read", (file) =>
    readChunk(real, file, 0, real.statOpen(file).size),
  );
  // In one step: half a copy would be taken for the original by the next run.
  replaceFile(to, bytes, { io: real, random });
}
