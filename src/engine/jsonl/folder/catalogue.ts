/**
 * Which conversations a folder holds, in memory.
 *
 * Nothing here is trusted for longer than it takes to check it: a change of
 * metadata shows in the counter, an append in the size of the log, and what
 * the metadata file has not counted yet is counted from the log.
 */

import { join, sep } from "node:path";
import type { FileIo, FileStat } from "../../../disk/file-io.ts";
import { withFile } from "../../../disk/with-file.ts";
import { advance, type BadLine, EMPTY_LOG, type LogState } from "../../../transcript/log-state.ts";
import { type Metadata, type MetadataRead, newMetadata, readMetadata } from "../../../transcript/metadata.ts";
import { isoTime } from "../../../util/time.ts";
import { uuidFromHash } from "../../../util/uuid.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import type { ChangeCounter } from "./change-counter.ts";
import { logName, metadataName, purgedStemOf, purgeName, stemOf, TRASH_FOLDER } from "./names.ts";

export interface CatalogueProblems {
  badLine(path: string, line: BadLine): void;
  damagedMetadata(path: string, reason: string): void;
  /** A file that is not, or cannot be, part of the store. */
  leftAlone(path: string, reason: string): void;
  /** A log of which nothing was counted is about to be read: it may be of a legacy format. */
  uncounted(path: string): void;
  /** Whether a conversation stands in a file of a legacy format. */
  isLegacy(stem: string): boolean;
}

export class Catalogue {
  readonly #io: FileIo;
  readonly #folder: string;
  readonly #trash: string;
  readonly #counter: ChangeCounter;
  readonly #problems: CatalogueProblems;
  readonly #byStem = new Map<string, CatalogueEntry>();
  readonly #byId = new Map<string, CatalogueEntry>();
  readonly #byKey = new Map<string, CatalogueEntry>();
  #readAt: number | undefined;

  constructor(io: FileIo, folder: string, counter: ChangeCounter, problems: CatalogueProblems) {
    this.#io = io;
    this.#folder = folder;
    this.#trash = join(folder, TRASH_FOLDER);
    this.#counter = counter;
    this.#problems = problems;
  }

  /** The conversation as it was last seen: for a writer, who looks at the log itself. */
  peek(id: string): CatalogueEntry | undefined {
    this.checkChanges();
    return this.#byId.get(id);
  }

  /** The conversation, with what was appended since, or `undefined`. */
  byId(id: string): CatalogueEntry | undefined {
    this.checkChanges();
    return this.#fresh(this.#byId.get(id));
  }

  byKey(key: string): CatalogueEntry | undefined {
    this.checkChanges();
    return this.#fresh(this.#byKey.get(key));
  }

  byStem(stem: string): CatalogueEntry | undefined {
    this.checkChanges();
    return this.#fresh(this.#byStem.get(stem));
  }

  all(): CatalogueEntry[] {
    // Reading the folder looks at every log too.
    if (!this.checkChanges()) for (const known of this.#byStem.values()) this.refreshLog(known);
    return [...this.#byStem.values()];
  }

  has(stem: string): boolean {
    return this.#byStem.has(stem);
  }

  /** Forget what is known of one conversation and look again. */
  reread(stem: string): CatalogueEntry | undefined {
    this.#forget(stem);
    if (this.#io.stat(join(this.#folder, purgeName(stem))) !== undefined) return undefined;
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
      if (known.logPath !== logPath) continue;
      const metadata = { ...known.metadata, log: EMPTY_LOG };
      Object.assign(known, { log: EMPTY_LOG, seenLog: undefined, metadata });
    }
  }

  /** What this process has just changed needs no new look, if `checkChanges` came before it. Only under the lock. */
  trustCounter(): void {
    this.#readAt = this.#counter.stable();
  }

  #fresh(known: CatalogueEntry | undefined): CatalogueEntry | undefined {
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
    for (const stem of live.purging) present.delete(stem);
    for (const stem of [...this.#byStem.keys()]) {
      if (present.get(stem) !== this.#byStem.get(stem)?.trashed) this.#forget(stem);
    }
    for (const [stem, isTrashed] of present) this.#look(stem, isTrashed);
  }

  #look(stem: string, trashed: boolean): void {
    const known = this.#byStem.get(stem);
    if (known === undefined || !sameFile(known.seenMetadata, this.#io.stat(known.metadataPath))) {
      this.#forget(stem);
      this.#discover(stem, trashed, known);
    } else {
      this.refreshLog(known);
    }
  }

  /** `former` is what was known of it: a log that was counted need not be counted again. */
  #discover(stem: string, trashed: boolean, former?: CatalogueEntry): CatalogueEntry | undefined {
    const { logPath, metadataPath } = this.#paths(stem, trashed);
    const here = readMetadata(this.#io, metadataPath);
    const elsewhere = (): MetadataRead => readMetadata(this.#io, this.#paths(stem, !trashed).metadataPath);
    const read = here.found === undefined ? elsewhere() : here;
    if (here.damage !== undefined) this.#problems.damagedMetadata(metadataPath, here.damage);
    const counted = read.found === undefined || read.found.treeless ? EMPTY_LOG : read.found.log;
    const known: CatalogueEntry = {
      stem,
      trashed,
      logPath,
      metadataPath,
      metadata: read.found ?? placeholder(stem),
      log: best(former?.log ?? EMPTY_LOG, counted),
      logMissing: false,
      metadataDamaged: here.damage !== undefined,
      named: former?.named ?? false,
      seenLog: former?.seenLog,
      seenMetadata: here.stat,
    };
    try {
      // A log is rewritten only after its metadata stopped counting it.
      const isSame = (): boolean => sameFile(here.stat, this.#io.stat(metadataPath));
      if (!this.refreshLog(known, isSame)) return this.#discover(stem, trashed, former);
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
  #nameFromLog(known: CatalogueEntry): boolean {
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

  /** Take in what was appended since. False, and nothing done, when it must be read but `mayRead` says no. */
  refreshLog(known: CatalogueEntry, mayRead: () => boolean = () => true): boolean {
    const stat = this.#io.stat(known.logPath);
    // An emptied log is a lost one: nothing of ours empties it.
    known.logMissing = stat === undefined || (stat.size === 0 && known.log.messages > 0);
    if (stat === undefined || known.logMissing || sameSize(known.seenLog, stat)) return true;
    // A metadata file without its tree still says how far the log was synced.
    const synced = Math.max(known.log.bytes, known.seenLog === undefined ? known.metadata.log.bytes : 0);
    const inode = known.seenLog?.inode ?? stat.inode;
    if (stat.inode === inode && stat.size === known.log.bytes) known.seenLog = stat;
    else if (!mayRead()) return false;
    else this.#readLog(known, inode, synced);
    return true;
  }

  /** `inode` is the file that was counted so far; another one is counted from its beginning. */
  #readLog(known: CatalogueEntry, inode: bigint, synced: number): void {
    if (known.log.bytes === 0) this.#problems.uncounted(known.logPath);
    withFile(this.#io, known.logPath, "read", (file) => {
      const stat = this.#io.statOpen(file);
      const { lastSeq } = known.log;
      const goesOn = stat.inode === inode && stat.size >= synced;
      const from = goesOn ? known.log : EMPTY_LOG;
      const bad = (line: BadLine): void => this.#problems.badLine(known.logPath, line);
      const log = advance(this.#io, file, from, stat.size, { bad }, goesOn ? synced : 0);
      const isShort = stat.inode === inode ? !goesOn : log.lastSeq < lastSeq;
      if (isShort) bad({ start: stat.size, end: synced, reason: "the file is shorter than it was" });
      // A file that was cut short must not give out a number twice.
      known.log = log.lastSeq < lastSeq ? { ...log, lastSeq } : log;
      known.seenLog = stat;
    });
  }

  /** Without `join`, which would take a tenth of the time of reading a large folder. */
  #paths(stem: string, trashed: boolean): { logPath: string; metadataPath: string } {
    const folder = trashed ? this.#trash : this.#folder;
    return { logPath: folder + sep + logName(stem), metadataPath: folder + sep + metadataName(stem) };
  }

  #remember(known: CatalogueEntry): void {
    this.#byStem.set(known.stem, known);
    this.#byId.set(known.metadata.id, known);
    const { key } = known.metadata;
    if (key === null || known.trashed) return;
    const holder = this.#byKey.get(key);
    if (holder !== undefined && this.#problems.isLegacy(known.stem)) withoutKey(known);
    else {
      if (holder !== undefined && this.#problems.isLegacy(holder.stem)) withoutKey(holder);
      this.#byKey.set(key, known);
    }
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

/** The key of a legacy file was guessed from its name, and may be in use: it is found by its id then. */
function withoutKey(known: CatalogueEntry): void {
  known.metadata = { ...known.metadata, key: null };
}

/** Stands for metadata that is lost, with an id that is the same on every reading. */
function placeholder(stem: string): Metadata {
  return newMetadata({ id: uuidFromHash(`colloquy:${stem}`), createdAt: isoTime(0) });
}

interface Stems {
  readonly logs: Set<string>;
  readonly metadata: Set<string>;
  /** Those that are as good as gone. */
  readonly purging: Set<string>;
}

function stemsIn(io: FileIo, folder: string): Stems {
  const stems: Stems = { logs: new Set(), metadata: new Set(), purging: new Set() };
  if (io.stat(folder) === undefined) return stems;
  for (const name of io.list(folder)) {
    const stem = stemOf(name);
    if (stem !== undefined) (name.endsWith(".jsonl") ? stems.logs : stems.metadata).add(stem);
    else if (name.endsWith(".purge")) stems.purging.add(purgedStemOf(name) ?? "");
  }
  return stems;
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
