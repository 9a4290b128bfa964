/**
 * Which conversations a folder holds, in memory.
 *
 * Nothing here is trusted for longer than it takes to check it: a change of
 * metadata shows in the counter, an append in the size of the log, and what
 * the metadata file has not counted yet is counted from the log.
 */
import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import type { FileIo, FileStat } from "../../transcript/io.ts";
import { advance, type BadLine, EMPTY_LOG, type LogState } from "../../transcript/log-state.ts";
import { type Metadata, type MetadataRead, newMetadata, readMetadata } from "../../transcript/metadata.ts";
import { isoTime } from "../../util/time.ts";
import type { ConversationInfo } from "../engine.ts";
import type { ChangeCounter } from "./change-counter.ts";
import { logName, metadataName, stemOf, TRASH_FOLDER } from "./names.ts";

/** One conversation as it was last seen. */
export interface Known {
  readonly stem: string;
  readonly trashed: boolean;
  readonly logPath: string;
  readonly metadataPath: string;
  metadata: Metadata;
  /** Newer than `metadata.log` while the file waits to be refreshed. */
  log: LogState;
  /** There is no log of that name. */
  logMissing: boolean;
  metadataDamaged: boolean;
  seenLog: FileStat | undefined;
  seenMetadata: FileStat | undefined;
}

export interface CatalogueProblems {
  badLine(path: string, line: BadLine): void;
  damagedMetadata(path: string, reason: string): void;
  /** A file that is not, or cannot be, part of the store. */
  leftAlone(path: string, reason: string): void;
}

export class Catalogue {
  readonly #io: FileIo;
  readonly #folder: string;
  readonly #trash: string;
  readonly #counter: ChangeCounter;
  readonly #problems: CatalogueProblems;
  readonly #byStem = new Map<string, Known>();
  readonly #byId = new Map<string, Known>();
  readonly #byKey = new Map<string, Known>();
  #readAt: number | undefined;

  constructor(io: FileIo, folder: string, counter: ChangeCounter, problems: CatalogueProblems) {
    this.#io = io;
    this.#folder = folder;
    this.#trash = join(folder, TRASH_FOLDER);
    this.#counter = counter;
    this.#problems = problems;
  }

  /** The conversation as it was last seen: for a writer, who looks at the log itself. */
  peek(id: string): Known | undefined {
    this.checkChanges();
    return this.#byId.get(id);
  }

  /** The conversation, with what was appended since, or `undefined`. */
  byId(id: string): Known | undefined {
    this.checkChanges();
    return this.#fresh(this.#byId.get(id));
  }

  byKey(key: string): Known | undefined {
    this.checkChanges();
    return this.#fresh(this.#byKey.get(key));
  }

  all(): Known[] {
    // Reading the folder looks at every log too.
    if (!this.checkChanges()) for (const known of this.#byStem.values()) this.refreshLog(known);
    return [...this.#byStem.values()];
  }

  has(stem: string): boolean {
    return this.#byStem.has(stem);
  }

  /** Forget what is known of one conversation and look again. */
  reread(stem: string): Known | undefined {
    this.#forget(stem);
    for (const trashed of [false, true]) {
      const paths = this.#paths(stem, trashed);
      if (this.#io.stat(paths.logPath) === undefined) continue;
      return this.#discover(stem, trashed);
    }
    return this.#io.stat(this.#paths(stem, false).metadataPath) === undefined
      ? undefined
      : this.#discover(stem, false);
  }

  /** Count a log from its beginning at the next look. */
  recount(logPath: string): void {
    for (const known of this.#byStem.values()) {
      if (known.logPath === logPath) Object.assign(known, { log: EMPTY_LOG, seenLog: undefined });
    }
  }

  /** What this process has just changed needs no new look, if `checkChanges` came before it. Only under the lock. */
  trustCounter(): void {
    this.#readAt = this.#counter.stable();
  }

  #fresh(known: Known | undefined): Known | undefined {
    if (known === undefined) return undefined;
    this.refreshLog(known);
    return known;
  }

  /** Read the folder again if anything but messages changed; true when that was so. */
  checkChanges(): boolean {
    const stable = this.#counter.stable();
    if (stable !== undefined && stable === this.#readAt) return false;
    this.#readFolder();
    // The value from before the reading: a change that came during it makes the next look read again.
    this.#readAt = stable;
    return true;
  }

  #readFolder(): void {
    const live = stemsIn(this.#io, this.#folder);
    const trashed = stemsIn(this.#io, this.#trash);
    // Where the log is decides: a crash while moving can leave the metadata in the other folder.
    for (const stem of trashed.logs) live.metadata.delete(stem);
    const present = new Map<string, boolean>();
    for (const stem of [...live.logs, ...live.metadata]) present.set(stem, false);
    for (const stem of trashed.logs) if (!live.logs.has(stem)) present.set(stem, true);
    for (const stem of [...this.#byStem.keys()]) {
      if (present.get(stem) !== this.#byStem.get(stem)?.trashed) this.#forget(stem);
    }
    for (const [stem, isTrashed] of present) this.#look(stem, isTrashed);
  }

  #look(stem: string, trashed: boolean): void {
    const known = this.#byStem.get(stem);
    if (known === undefined || !sameFile(known.seenMetadata, this.#io.stat(known.metadataPath))) {
      const log = known?.log;
      this.#forget(stem);
      this.#discover(stem, trashed, log);
    } else {
      this.refreshLog(known);
    }
  }

  #discover(stem: string, trashed: boolean, counted: LogState = EMPTY_LOG): Known | undefined {
    const { logPath, metadataPath } = this.#paths(stem, trashed);
    const here = readMetadata(this.#io, metadataPath);
    const elsewhere = (): MetadataRead => readMetadata(this.#io, this.#paths(stem, !trashed).metadataPath);
    const read = here.found === undefined ? elsewhere() : here;
    if (here.damage !== undefined) this.#problems.damagedMetadata(metadataPath, here.damage);
    const known: Known = {
      stem,
      trashed,
      logPath,
      metadataPath,
      metadata: read.found ?? placeholder(stem),
      log: best(counted, read.found?.log ?? EMPTY_LOG),
      logMissing: false,
      metadataDamaged: here.damage !== undefined,
      seenLog: undefined,
      seenMetadata: here.stat,
    };
    try {
      this.refreshLog(known);
    } catch (error) {
      // One log that cannot be read, or is of a newer version, must not hide the others.
      this.#problems.leftAlone(logPath, (error as Error).message);
      return undefined;
    }
    if (read.found === undefined && !this.#nameFromLog(known)) return undefined;
    const twin = this.#byId.get(known.metadata.id);
    if (twin !== undefined) {
      this.#problems.leftAlone(logPath, `it is a copy of ${twin.logPath}, with the same conversation id`);
      return undefined;
    }
    this.#remember(known);
    return known;
  }

  /** Metadata is lost: id, key and creation time stand in the first line of the log too. */
  #nameFromLog(known: Known): boolean {
    const { header, entries, lastMessageAt } = known.log;
    if (header === undefined && entries === 0) {
      if ((known.seenLog?.size ?? 0) > 0) {
        this.#problems.leftAlone(known.logPath, "it is not a transcript of Colloquy");
      }
      return false;
    }
    const createdAt = header?.createdAt ?? lastMessageAt ?? isoTime(0);
    known.metadata = {
      ...known.metadata,
      ...(header === undefined
        ? {}
        : { id: header.id, key: header.key, channel: header.key?.split(":", 1)[0] ?? null }),
      createdAt,
      updatedAt: lastMessageAt ?? createdAt,
      deletedAt: known.trashed ? (lastMessageAt ?? createdAt) : null,
    };
    return true;
  }

  /** Take in what was appended since. */
  refreshLog(known: Known): void {
    const stat = this.#io.stat(known.logPath);
    // An emptied log is a lost one: nothing of ours empties it.
    known.logMissing = stat === undefined || (stat.size === 0 && known.log.messages > 0);
    if (stat === undefined || known.logMissing || sameSize(known.seenLog, stat)) return;
    const { bytes, lastSeq } = known.log;
    if (known.seenLog !== undefined && known.seenLog.inode !== stat.inode) known.log = EMPTY_LOG;
    if (stat.size < bytes) {
      known.log = { ...EMPTY_LOG, lastSeq };
      this.#problems.badLine(known.logPath, {
        start: stat.size,
        end: bytes,
        reason: "the file is shorter than it was",
      });
    }
    if (stat.size > known.log.bytes) {
      const file = this.#io.open(known.logPath, "read");
      try {
        const bad = (line: BadLine): void => this.#problems.badLine(known.logPath, line);
        known.log = advance(this.#io, file, known.log, this.#io.statOpen(file).size, { bad });
      } finally {
        this.#io.close(file);
      }
    }
    known.seenLog = stat;
  }

  /** Without `join`, which would take a tenth of the time of reading a large folder. */
  #paths(stem: string, trashed: boolean): { logPath: string; metadataPath: string } {
    const folder = trashed ? this.#trash : this.#folder;
    return { logPath: folder + sep + logName(stem), metadataPath: folder + sep + metadataName(stem) };
  }

  #remember(known: Known): void {
    this.#byStem.set(known.stem, known);
    this.#byId.set(known.metadata.id, known);
    if (known.metadata.key !== null && !known.trashed) this.#byKey.set(known.metadata.key, known);
  }

  #forget(stem: string): void {
    const known = this.#byStem.get(stem);
    if (known === undefined) return;
    this.#byStem.delete(stem);
    if (this.#byId.get(known.metadata.id) === known) this.#byId.delete(known.metadata.id);
    const { key } = known.metadata;
    if (key !== null && this.#byKey.get(key) === known) this.#byKey.delete(key);
  }
}

export function infoOf(known: Known): ConversationInfo {
  const { metadata, log, trashed } = known;
  const { id, key, title, channel, model, profileId, contextState, createdAt, deletedAt } = metadata;
  const updatedAt = updatedAtOf(known);
  return {
    id,
    key,
    title,
    channel,
    model,
    profileId,
    contextState,
    messageCount: log.messages,
    branchCount: 1,
    head: log.head,
    createdAt,
    updatedAt,
    lastMessageAt: log.lastMessageAt,
    deletedAt: trashed ? (deletedAt ?? updatedAt) : null,
  };
}

/** Where the log is ahead of the metadata, the last message was written when it says, but not after the file was. */
function updatedAtOf({ metadata, log, seenLog }: Known): string {
  const { updatedAt } = metadata;
  if (log.lastMessageAt === null || seenLog === undefined || log.bytes <= metadata.log.bytes)
    return updatedAt;
  const written = isoTime(Number(seenLog.modifiedNs / 1_000_000n));
  const latest = log.lastMessageAt < written ? log.lastMessageAt : written;
  return latest > updatedAt ? latest : updatedAt;
}

/** Stands for metadata that is lost, with an id that is the same on every reading. */
function placeholder(stem: string): Metadata {
  const hash = createHash("sha256").update(`colloquy:${stem}`).digest("hex");
  const id = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return newMetadata({ id, createdAt: isoTime(0) });
}

function stemsIn(io: FileIo, folder: string): { logs: Set<string>; metadata: Set<string> } {
  const logs = new Set<string>();
  const metadata = new Set<string>();
  if (io.stat(folder) === undefined) return { logs, metadata };
  for (const name of io.list(folder)) {
    const stem = stemOf(name);
    if (stem !== undefined) (name.endsWith(".jsonl") ? logs : metadata).add(stem);
  }
  return { logs, metadata };
}

function best(a: LogState, b: LogState): LogState {
  return a.bytes >= b.bytes ? a : b;
}

function sameSize(a: FileStat | undefined, b: FileStat): boolean {
  return a !== undefined && a.size === b.size && a.inode === b.inode;
}

function sameFile(a: FileStat | undefined, b: FileStat | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.inode === b.inode && a.size === b.size && a.modifiedNs === b.modifiedNs;
}
