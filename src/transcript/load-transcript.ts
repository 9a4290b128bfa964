/** Reads a transcript, and completes or rebuilds what a crash or another program left. */
import { withFile } from "../disk/with-file.ts";
import { ColloquyError, invalid, unavailable } from "../errors.ts";
import type { Message } from "../message/types.ts";
import { isoTime } from "../util/time.ts";
import { uuidv7 } from "../util/uuid.ts";
import { adoptPlainFolder, isPlainFolder } from "./adopt-plain.ts";
import { advance, type BadLine, EMPTY_LOG, type LogState } from "./log-state.ts";
import { createLog } from "./log-writer.ts";
import { headerOf, lastChangeOf, type Metadata, newMetadata } from "./metadata.ts";
import { damaged, type TranscriptDamage, type TranscriptFiles } from "./transcript-files.ts";

/** What a transcript holds, and the file it was read from, which may be replaced later. */
export interface Content {
  readonly log: LogState;
  readonly inode: bigint | undefined;
  readonly messages: Message[];
  /** Of every entry. */
  readonly ids: Set<string>;
}

/** Damaged lines are skipped and reported; with `strict` the first one throws, and nothing changes. */
export function loadTranscript(
  files: TranscriptFiles,
  strict: boolean,
): { readonly metadata: Metadata; readonly content: Content } {
  adoptPlain(files, strict);
  const { io, path, onDamage } = files;
  const read = files.metadata.read();
  if (io.stat(path) === undefined) completeLog(files, read.found);
  const damage: TranscriptDamage[] = [];
  const synced = read.found?.log.bytes ?? 0;
  const content = scanTranscript(files, synced, (bad) => damage.push({ file: path, ...bad }));
  const { log } = content;
  if (damage.length > 0 && log.header === undefined && log.entries === 0) {
    throw invalid(`${path} is not a transcript of Colloquy`, "folder");
  }
  checkLength(files, log, read.found?.log, damage);
  const [first] = damage;
  if (first !== undefined && strict) throw damaged(first);
  if (read.damage !== undefined) {
    damage.push({ file: files.metadata.path, start: 0, end: read.stat?.size ?? 0, reason: read.damage });
  }
  for (const bad of damage) onDamage(bad);
  const known = read.found ?? { ...rebuiltMetadata(files, log), ...read.described };
  // After a kill the log is ahead of its metadata.
  const metadata = { ...known, updatedAt: lastChangeOf(known, log, content.modifiedNs), log };
  if (read.found === undefined) files.withLock(() => files.metadata.write(metadata));
  return { metadata, content };
}

/** `syncedBytes` of the file are known to be durable, so that no crash can have torn them. */
export function scanTranscript(
  { io, path }: TranscriptFiles,
  syncedBytes: number,
  bad: (line: BadLine) => void,
): Content & { readonly modifiedNs: bigint } {
  const messages: Message[] = [];
  const ids = new Set<string>();
  return withFile(io, path, "read", (file) => {
    const { size, inode, modifiedNs } = io.statOpen(file);
    const log = advance(
      io,
      file,
      EMPTY_LOG,
      size,
      {
        entry: ({ id, message }) => {
          ids.add(id);
          if (message !== undefined) messages.push(message);
        },
        bad,
      },
      syncedBytes,
    );
    return { log, inode, modifiedNs, messages, ids };
  });
}

/** Damaged lines of a plain folder are reported where they are kept. */
function adoptPlain(files: TranscriptFiles, strict: boolean): void {
  const { io, path, random, clock } = files;
  const folder = { path, metadataPath: files.metadata.path };
  if (!isPlainFolder(io, folder)) return;
  const bad = (damage: TranscriptDamage): void => {
    if (strict) throw damaged({ ...damage, file: path });
    files.onDamage(damage);
  };
  files.withLock(() => adoptPlainFolder(io, random, clock(), folder, bad));
}

/** There is metadata but no transcript: a crash during `initialize`, unless messages were counted. */
function completeLog(files: TranscriptFiles, metadata: Metadata | undefined): void {
  const { io, random, path, folder } = files;
  if (metadata === undefined) throw new ColloquyError("NOT_FOUND", `There is no conversation in ${folder}`);
  if (metadata.log.messages > 0) throw lost(files, metadata.log.messages);
  files.withLock(() => createLog(io, random, path, headerOf(metadata)));
}

/** Detects a file that was cut short by its count of entries. A replaced file cannot be compared. */
function checkLength(
  files: TranscriptFiles,
  log: LogState,
  counted: LogState | undefined,
  damage: TranscriptDamage[],
): void {
  if (counted === undefined || log.lastSeq >= counted.lastSeq) return;
  if ((log.header?.generation ?? 1) > 1) return;
  if (log.header === undefined && log.bytes === 0) throw lost(files, counted.messages);
  const reason = `the file ends with entry ${log.lastSeq}, but ${counted.lastSeq} were counted`;
  damage.push({ file: files.path, start: log.bytes, end: Math.max(log.bytes, counted.bytes), reason });
}

function lost({ path }: TranscriptFiles, messages: number): ColloquyError {
  return unavailable(`${path} is missing or empty, but it had ${messages} messages`);
}

function rebuiltMetadata({ clock, random }: TranscriptFiles, log: LogState): Metadata {
  const nowMs = clock();
  const createdAt = log.header?.createdAt ?? isoTime(nowMs);
  const id = log.header?.id ?? uuidv7(nowMs, random);
  return newMetadata({ id, createdAt, log, updatedAt: log.lastAt ?? createdAt });
}
