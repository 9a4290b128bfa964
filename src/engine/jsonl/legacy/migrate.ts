/**
 * Rewriting legacy transcripts as logs of the store. Under the lock.
 *
 * The new log is whole before the legacy file is moved to `legacy/`, where it
 * stays byte for byte. Whoever is killed in between leaves both: the log
 * counts then, and the next opener moves the legacy file.
 */
import { basename, dirname, join } from "node:path";
import { copyFile } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { NEWLINE } from "../../../disk/line-scan.ts";
import { freeName, replaceFile } from "../../../disk/replace-file.ts";
import { encodeHeader } from "../../../transcript/lines.ts";
import { EMPTY_LOG } from "../../../transcript/log-state.ts";
import { type CatalogueEntry, infoOf } from "../folder/catalogue-entry.ts";
import { LEGACY_FOLDER, logName, metadataName } from "../folder/names.ts";
import { type JsonlContext, withChangeCounter } from "../jsonl-context.ts";
import type { LegacyFile } from "./legacy-file.ts";
import type { LegacyFiles } from "./source.ts";

/** Gives where the legacy file is kept; `undefined` when the conversation has none. */
export function migrateConversation(context: JsonlContext, known: CatalogueEntry): string | undefined {
  const file = context.legacy.ofStem(known.stem);
  if (file === undefined) return undefined;
  const { updatedAt } = infoOf(known);
  let kept: string | undefined;
  withChangeCounter(context, known.stem, () => {
    const { metadata, metadataPath } = known;
    const isInPlace = file.files.log === known.logPath;
    // Before the log is there, because from then on nobody looks at the legacy file.
    if (!isInPlace) context.files.writeMetadata(metadataPath, { ...metadata, updatedAt, log: EMPTY_LOG });
    kept = isInPlace ? replaceInPlace(context, file, known) : replaceByName(context, file, known);
    // With another first line it is counted anew.
    const log = metadata.key === file.facts.header.key ? known.log : EMPTY_LOG;
    context.files.writeMetadata(metadataPath, { ...metadata, updatedAt, log });
    if (!isInPlace) moveAside(context, file.files, known.stem);
  });
  return kept;
}

/** Move what a killed migration left beside what it had made. */
export function finishMigrations(context: JsonlContext): void {
  for (const { files, movedTo } of context.legacy.leftBehind()) moveAside(context, files, movedTo);
}

/** The legacy file has another name: the log is made beside it. */
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

/** The legacy file has the name of the log: it gets another one in the moment in which it is replaced. */
function replaceInPlace(
  { legacy, random, folder }: JsonlContext,
  file: LegacyFile,
  known: CatalogueEntry,
): string {
  const { stem, logPath, metadataPath } = known;
  const aside = join(folder, LEGACY_FOLDER);
  legacy.real.makeFolder(aside);
  copyOnce(legacy.real, metadataPath, join(aside, metadataName(stem)));
  const kept = join(aside, logName(stem));
  replaceFile(logPath, contentOf(file, known), { io: legacy.real, random, formerAs: kept });
  legacy.real.syncFolder(aside);
  legacy.release(file);
  return kept;
}

/** A session key that is in use elsewhere does not stand in the first line either. */
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
  // Without its metadata the legacy transcript could not be told for what it is, should the second move fail.
  for (const path of [log, metadata]) {
    if (path === undefined || real.stat(path) === undefined) continue;
    real.rename(path, freeName(real, join(aside, asideName(stem, path, folder))));
    real.syncFolder(aside);
    real.syncFolder(dirname(path));
  }
}

/** With the name of the conversation in front, so that it goes when the conversation is purged. */
function asideName(stem: string, path: string, folder: string): string {
  const name = basename(path);
  return dirname(path) === folder ? `${stem}.${name}` : `${stem}.${basename(dirname(path))}.${name}`;
}

function copyOnce(io: FileIo, path: string, to: string): void {
  if (io.stat(path) === undefined || io.stat(to) !== undefined) return;
  copyFile(io, path, to);
}
