/** Converts a folder of plain messages to the format of `Transcript`, under the lock. */
import type { FileIo } from "../disk/file-io.ts";
import { freeName, replaceFile } from "../disk/replace-file.ts";
import { isoTime, timeOf } from "../util/time.ts";
import { type Random, uuidv7 } from "../util/uuid.ts";
import { draftOf, encodeGeneration } from "./generation.ts";
import type { BadLine } from "./log-state.ts";
import { encodeMetadata, headerOf, newMetadata, readMetadata } from "./metadata.ts";
import { readPlainLog, readPlainMetadata } from "./plain-folder.ts";

interface Folder {
  readonly path: string;
  readonly metadataPath: string;
}

export function isPlainFolder(io: FileIo, { path, metadataPath }: Folder): boolean {
  return readPlainMetadata(io, metadataPath) !== undefined || readPlainLog(io, path) !== undefined;
}

/**
 * The metadata is written first: after a crash in between, the transcript is
 * still plain, and the next call converts it. Both former files are kept.
 */
export function adoptPlainFolder(
  io: FileIo,
  random: Random,
  nowMs: number,
  { path, metadataPath }: Folder,
  bad: (damage: BadLine & { readonly file: string }) => void,
): void {
  const plain = readPlainMetadata(io, metadataPath);
  const log = readPlainLog(io, path);
  const formerAs = freeName(io, `${path}.plain`);
  for (const damage of log?.damage ?? []) bad({ file: formerAs, ...damage });
  const lastMs = log?.modifiedMs ?? nowMs;
  const { createdAt = isoTime(lastMs), updatedAt = isoTime(lastMs), ...rest } = plain ?? {};
  const metadata =
    readMetadata(io, metadataPath).found ??
    newMetadata({ id: uuidv7(nowMs, random), createdAt, updatedAt, ...rest });
  if (plain !== undefined) {
    const kept = freeName(io, `${metadataPath}.plain`);
    replaceFile(metadataPath, encodeMetadata(metadata), { io, random, formerAs: kept });
  }
  if (log === undefined) return;
  // Plain messages have no times of their own.
  const atMs = timeOf(metadata.updatedAt);
  const drafts = log.messages.map((message) => draftOf({ ...message, id: undefined, atMs }, nowMs, random));
  replaceFile(path, encodeGeneration(headerOf(metadata), drafts, 0), { io, random, formerAs });
}
