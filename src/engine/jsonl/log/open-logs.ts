import { dirname } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { withFile } from "../../../disk/with-file.ts";
import { asColloquyError, type ColloquyError, unavailable } from "../../../errors.ts";
import { createLog, LogWriter } from "../../../transcript/log-writer.ts";
import { headerOf, type Metadata } from "../../../transcript/metadata.ts";
import type { Random } from "../../../util/uuid.ts";
import type { Catalogue } from "../folder/catalogue.ts";
import { type CatalogueEntry, infoOf } from "../folder/catalogue-entry.ts";
import type { ConversationFiles } from "../folder/conversation-files.ts";
import type { ProblemReporter } from "../folder/problem-reporter.ts";
import type { EntryIndex } from "./entry-index.ts";

/** A log that this process has open for writing. */
export interface OpenLog {
  readonly writer: LogWriter;
  /** Built when a caller first passes an id. */
  index: EntryIndex | undefined;
  /** Whether the metadata file lags behind the log. */
  stale: boolean;
  /** The error of a failed metadata refresh. The next write to the conversation reports it. */
  unreported: ColloquyError | undefined;
}

export interface OpenLogsUse {
  readonly io: FileIo;
  readonly random: Random;
  readonly nowMs: () => number;
  readonly durable: boolean;
  readonly catalogue: Catalogue;
  readonly files: ConversationFiles;
  readonly problems: ProblemReporter;
  problem(error: ColloquyError): void;
  withLock<T>(work: () => T): Promise<T>;
}

const OPEN_MAX = 256;
const METADATA_DELAY_MS = 1000;

/** The logs that this process has open for writing, and their metadata files, which lag by a second. */
export class OpenLogs {
  readonly #use: OpenLogsUse;
  readonly #open = new Map<string, OpenLog>();
  #timer: NodeJS.Timeout | undefined;

  constructor(use: OpenLogsUse) {
    this.#use = use;
  }

  /** The log of a conversation with the appends of other writers, ready to write, under the lock. */
  open(known: CatalogueEntry): OpenLog {
    const { id } = known.metadata;
    let open = this.#open.get(id);
    if (open !== undefined) this.reportEarlier(id);
    else {
      this.#use.catalogue.refreshLog(known);
      if (known.logMissing) this.completeLog(known);
      if (!known.named && this.#use.durable) this.#use.io.syncFolder(dirname(known.logPath));
      known.named = true;
      // Only the metadata says how far the log is synced, which distinguishes a torn append from damage.
      if (known.seenMetadata === undefined || known.metadata.log.bytes === 0) this.#completeMetadata(known);
      if (this.#open.size >= OPEN_MAX) this.#closeOldest();
      open = { writer: this.#newWriter(known), index: undefined, stale: false, unreported: undefined };
      this.#open.set(id, open);
    }
    const { restarts, state } = open.writer;
    const before = state.bytes;
    const now = open.writer.refresh();
    if (open.writer.restarts !== restarts) open.index = undefined;
    else if (now.bytes !== before) open.index?.readOn(before);
    if (now.bytes === 0) open.writer.writeHeader(headerOf(known.metadata));
    return open;
  }

  /** The index of a log, if one was built and no other process has written since. */
  indexOf(id: string): EntryIndex | undefined {
    const open = this.#open.get(id);
    return open?.index !== undefined && open.writer.isCurrent ? open.index : undefined;
  }

  #newWriter(known: CatalogueEntry): LogWriter {
    return new LogWriter(
      this.#use.io,
      known.logPath,
      {
        nowMs: this.#use.nowMs,
        durable: this.#use.durable,
        bad: (line) => this.#use.problems.badLine(known.logPath, line),
      },
      known.log,
      known.seenLog?.inode,
    );
  }

  /** There is metadata but no log: a crash during creation, unless messages were counted. */
  completeLog(known: CatalogueEntry): void {
    if (known.log.messages > 0) throw missingLog(known);
    createLog(this.#use.io, this.#use.random, known.logPath, headerOf(known.metadata));
  }

  #completeMetadata(known: CatalogueEntry): void {
    const { io, files } = this.#use;
    this.#syncFile(known);
    files.setDamagedAside(known);
    known.metadata = { ...known.metadata, log: known.log };
    files.writeMetadata(known.metadataPath, known.metadata);
    known.seenMetadata = io.stat(known.metadataPath);
  }

  #closeOldest(): void {
    for (const [id, { writer }] of this.#open) {
      if (writer.isStaged) continue;
      try {
        this.sync(id);
        this.#refreshMetadata(id);
      } catch {
        // The writer keeps the error for the appends that wait for this sync.
      }
      this.close(id);
      return;
    }
  }

  /**
   * Appends of a commit are synced at its end. They need an earlier sync before
   * metadata that counts them is written, and before the file is closed.
   */
  sync(id: string): void {
    const writer = this.#open.get(id)?.writer;
    try {
      writer?.sync();
    } catch (error) {
      // The writer has truncated the file, so the catalogue counts it again.
      this.#use.catalogue.recount(writer?.path as string);
      throw error;
    }
  }

  /** `sync` for all counted lines, including those of other writers that may have died before their sync. */
  syncCounted(known: CatalogueEntry): void {
    const { id } = known.metadata;
    this.sync(id);
    const { bytes } = this.#open.get(id)?.writer.state ?? known.metadata.log;
    if (known.log.bytes > bytes) this.#syncFile(known);
  }

  #syncFile({ logPath }: CatalogueEntry): void {
    const { io, durable } = this.#use;
    if (!durable) return;
    withFile(io, logPath, "write", (file) => io.sync(file));
  }

  close(id: string): void {
    this.#open.get(id)?.writer.close();
    this.#open.delete(id);
  }

  /** Its file may not be what the writer left. */
  forget(path: string): void {
    for (const [id, { writer }] of this.#open) if (writer.path === path) this.close(id);
  }

  /** Throws the error that followed the last append, which is durable itself. */
  reportEarlier(id: string): void {
    const open = this.#open.get(id);
    const cause = open?.unreported;
    if (open === undefined || cause === undefined) return;
    open.unreported = undefined;
    throw unavailable(
      `The metadata of conversation ${id} could not be written after its last message: ${cause.message}. The message is stored. This call did nothing and can be repeated`,
      { cause },
    );
  }

  /** Refresh the metadata file a little later, together with others. */
  metadataBehind(open: OpenLog): void {
    open.stale = true;
    this.#timer ??= setTimeout(() => this.#refreshStale(), METADATA_DELAY_MS).unref();
  }

  async #refreshStale(): Promise<void> {
    this.#timer = undefined;
    const stale = [...this.#open].filter(([, open]) => open.stale);
    try {
      await this.#use.withLock(() => {
        for (const [id] of stale) this.#refreshMetadata(id);
      });
    } catch (error) {
      for (const [, open] of stale) open.unreported = asColloquyError(error, "Cannot refresh metadata");
    }
  }

  /** Under the lock. An error is kept for the next write to the conversation. */
  #refreshMetadata(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined || !open.stale) return;
    try {
      const known = this.#use.catalogue.byId(id);
      open.stale = false;
      if (known === undefined || known.trashed || open.writer.refuses) return;
      this.syncCounted(known);
      this.#writeCounts(known);
    } catch (error) {
      open.unreported = asColloquyError(error, "Cannot refresh metadata");
    }
  }

  /** Let the metadata count all entries that a writer left uncounted when it was killed, under the lock. */
  count(stem: string): void {
    const known = this.#use.catalogue.byStem(stem);
    if (known === undefined || known.logMissing || known.log.bytes <= known.metadata.log.bytes) return;
    this.#syncFile(known);
    this.#writeCounts(known);
  }

  #writeCounts(known: CatalogueEntry): void {
    this.#use.files.setDamagedAside(known);
    const metadata: Metadata = { ...known.metadata, updatedAt: infoOf(known).updatedAt, log: known.log };
    this.#use.files.refreshMetadata(known.metadataPath, metadata);
    this.#use.catalogue.reread(known.stem);
  }

  /** Refresh every metadata file and close the files. */
  async closeAll(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      if ([...this.#open.values()].some(({ stale }) => stale)) await this.#refreshStale();
      // No later write can report it.
      for (const { unreported } of this.#open.values())
        if (unreported !== undefined) this.#use.problem(unreported);
    } finally {
      for (const id of [...this.#open.keys()]) this.close(id);
    }
  }
}

export function missingLog(known: CatalogueEntry): ColloquyError {
  return unavailable(`The transcript ${known.logPath} is missing, but it had ${known.log.messages} messages`);
}
