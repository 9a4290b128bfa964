import { sep } from "node:path";
import type { FileStat } from "../../../disk/file-io.ts";
import { beginsLine } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { advance, type BadLine, EMPTY_LOG, type LogState } from "../../../transcript/log-state.ts";
import { type Metadata, type MetadataRead, newMetadata, readMetadata } from "../../../transcript/metadata.ts";
import { isoTime } from "../../../util/time.ts";
import { uuidFromHash } from "../../../util/uuid.ts";
import type { LegacyIo } from "../legacy/legacy-io.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { logName, metadataName } from "./names.ts";
import type { ProblemReporter } from "./problem-reporter.ts";

/** Reads the files of one conversation into an entry of the catalogue. */
export class ConversationReader {
  readonly #io: LegacyIo;
  readonly #folders: { readonly live: string; readonly trash: string };
  readonly #problems: ProblemReporter;

  constructor(
    io: LegacyIo,
    folders: { readonly live: string; readonly trash: string },
    problems: ProblemReporter,
  ) {
    this.#io = io;
    this.#folders = folders;
    this.#problems = problems;
  }

  /**
   * Read a conversation, or return `undefined` if its files are not one. With
   * `former`, the entry from an earlier look, a log is not counted again.
   */
  read(stem: string, trashed: boolean, former?: CatalogueEntry): CatalogueEntry | undefined {
    const { logPath, metadataPath } = this.paths(stem, trashed);
    const here = readMetadata(this.#io, metadataPath);
    const elsewhere = (): MetadataRead => readMetadata(this.#io, this.paths(stem, !trashed).metadataPath);
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
      // A log is rewritten only after its metadata stopped counting it, so unchanged metadata vouches for it.
      const isSame = (): boolean => sameFile(here.stat, this.#io.stat(metadataPath));
      if (!this.refreshLog(known, isSame)) return this.read(stem, trashed, former);
    } catch (error) {
      // A log that is unreadable or of a newer version must not hide the others.
      this.#problems.leftAlone(logPath, (error as Error).message);
      return undefined;
    }
    if (read.found === undefined && !this.#nameFromLog(known)) return undefined;
    if (read.described !== undefined) known.metadata = { ...known.metadata, ...read.described };
    // The program that wrote a legacy transcript has other names for some properties.
    const legacy = this.#io.isEmpty ? undefined : this.#io.ofLog(logPath);
    const isForeign = read.found === undefined || read.found.foreign;
    if (legacy?.files.metadata === metadataPath && isForeign)
      known.metadata = { ...known.metadata, ...legacy.describe() };
    return known;
  }

  /** The metadata is lost: take id, key and creation time from the header of the log. */
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

  /** Add the lines that were appended since. Does nothing and returns false if `mayRead` forbids reading. */
  refreshLog(known: CatalogueEntry, mayRead: () => boolean = () => true): boolean {
    const stat = this.#io.stat(known.logPath);
    // Colloquy never empties a log, so an empty one is lost.
    known.logMissing = stat === undefined || (stat.size === 0 && known.log.messages > 0);
    if (stat === undefined || known.logMissing || sameSize(known.seenLog, stat)) return true;
    // Metadata without its tree still says how far the log was synced.
    const synced = Math.max(known.log.bytes, known.seenLog === undefined ? known.metadata.log.bytes : 0);
    const inode = known.seenLog?.inode ?? stat.inode;
    if (stat.inode === inode && stat.size === known.log.bytes) known.seenLog = stat;
    else if (!mayRead()) return false;
    else this.#readLog(known, inode, synced);
    return true;
  }

  /** `inode` is the file that was counted so far; another file is counted from its start. */
  #readLog(known: CatalogueEntry, inode: bigint, synced: number): void {
    // A log that was never counted may be in a legacy format.
    if (known.log.bytes === 0) this.#io.notice(known.logPath);
    withFile(this.#io, known.logPath, "read", (file) => {
      const stat = this.#io.statOpen(file);
      const { lastSeq } = known.log;
      const hasGrown = stat.inode === inode && stat.size >= synced;
      const from = hasGrown && beginsLine(this.#io, file, known.log.bytes) ? known.log : EMPTY_LOG;
      const bad = (line: BadLine): void => this.#problems.badLine(known.logPath, line);
      const log = advance(this.#io, file, from, stat.size, { bad }, hasGrown ? synced : 0);
      const isShort = stat.inode === inode ? !hasGrown : log.lastSeq < lastSeq;
      if (isShort) bad({ start: stat.size, end: synced, reason: "the file is shorter than it was" });
      // A `seq` must not be used twice, even if the file was cut short.
      known.log = log.lastSeq < lastSeq ? { ...log, lastSeq } : log;
      known.seenLog = stat;
    });
  }

  /** Without `join`, which would take 10 % of the time to read a large folder. */
  paths(stem: string, trashed: boolean): { logPath: string; metadataPath: string } {
    const folder = trashed ? this.#folders.trash : this.#folders.live;
    return { logPath: folder + sep + logName(stem), metadataPath: folder + sep + metadataName(stem) };
  }
}

/** Replaces lost metadata, with the same id on every reading. */
function placeholder(stem: string): Metadata {
  return newMetadata({ id: uuidFromHash(`colloquy:${stem}`), createdAt: isoTime(0) });
}

function best(a: LogState, b: LogState): LogState {
  return a.bytes >= b.bytes ? a : b;
}

function sameSize(a: FileStat | undefined, b: FileStat): boolean {
  return a !== undefined && a.size === b.size && a.inode === b.inode;
}

export function sameFile(a: FileStat | undefined, b: FileStat | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.inode === b.inode && a.size === b.size && a.modifiedNs === b.modifiedNs;
}
