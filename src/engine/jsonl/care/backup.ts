/**
 * Copies a store as of one moment while other processes write.
 *
 * Logs only grow, so their content at that moment is the bytes up to the length
 * they had then. Conversations that were rewritten, moved or purged during the
 * copy are corrected at the end, under the lock: purged data must not survive
 * in a backup that was made at the same time.
 */
import { dirname, join, relative } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { copyFile, copyRange } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { replaceFile, withTemporary } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { ColloquyError } from "../../../errors.ts";
import type { QueuedJob } from "../../queries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import {
  BLOB_FOLDER,
  JOBS_FILE,
  journalName,
  logName,
  MARKER_FILE,
  MARKS_FILE,
  metadataName,
  TRASH_FOLDER,
} from "../folder/names.ts";
import { encodeJobs } from "../jobs/job-file.ts";
import type { JsonlContext } from "../jsonl-context.ts";

type WithLock = <T>(work: () => T) => Promise<T>;

export async function backupStore(context: JsonlContext, path: string, withLock: WithLock): Promise<void> {
  const { io, random } = context;
  if (io.stat(path) !== undefined) {
    throw new ColloquyError("CONFLICT", `${path} already exists`, {
      field: "path",
      details: { path },
    });
  }
  await withTemporary(
    path,
    async (target) => {
      const backup = new Backup(context, target);
      const moment = await withLock(() => backup.begin());
      for (const known of moment) {
        backup.copyLog(known);
        await breathe();
      }
      for (const { path: from } of context.blobs.all()) {
        backup.copyBlob(from);
        await breathe();
      }
      await withLock(() => backup.finish(moment));
    },
    { io, random },
  );
}

class Backup {
  readonly #context: JsonlContext;
  readonly #io: FileIo;
  readonly #target: string;
  #jobs: readonly QueuedJob[] = [];

  constructor(context: JsonlContext, target: string) {
    this.#context = context;
    this.#io = context.io;
    this.#target = target;
  }

  /** List the conversations. Journals are copied at once: they are short and end with their turn. */
  begin(): CatalogueEntry[] {
    const { catalogue, folder, jobs } = this.#context;
    this.#jobs = jobs.all();
    this.#io.makeFolder(join(this.#target, TRASH_FOLDER));
    this.#io.makeFolder(join(this.#target, BLOB_FOLDER));
    this.#copy(join(folder, MARKER_FILE), join(this.#target, MARKER_FILE));
    const moment = catalogue.all().map((known) => ({ ...known }));
    for (const { stem, logPath } of moment) this.#copyJournal(stem, dirname(logPath));
    return moment;
  }

  /** Copy a log up to its last complete append. */
  copyLog(known: CatalogueEntry): void {
    const { stem, log, seenLog } = known;
    // It may have moved since; a rewritten log is copied at the end.
    const now = this.#context.catalogue.byStem(stem);
    if (now === undefined || now.seenLog?.inode !== seenLog?.inode) return;
    if (now.logMissing) {
      // The copy has the same damage, which its verification reports.
      if (log.messages > 0) this.#writeMetadata(known);
      return;
    }
    this.#write(known, now.logPath);
  }

  copyBlob(from: string): void {
    const to = join(this.#target, relative(this.#context.folder, from));
    if (this.#io.stat(to) !== undefined) return;
    this.#io.makeFolder(dirname(to));
    this.#copy(from, to);
  }

  /** Correct the copy of conversations that changed in the meantime. */
  finish(moment: readonly CatalogueEntry[]): void {
    const { catalogue, blobs, marks } = this.#context;
    for (const known of moment) {
      const now = catalogue.byStem(known.stem);
      const isSame = now !== undefined && now.seenLog?.inode === known.seenLog?.inode;
      const isCopied = now?.logMissing || this.#io.stat(this.#logPath(known)) !== undefined;
      if (isSame && isCopied) continue;
      this.#remove(known);
      if (now !== undefined && !now.logMissing) this.#write(now, now.logPath);
    }
    this.#writeJobs();
    this.#copy(marks.path, join(this.#target, MARKS_FILE));
    for (const { path } of blobs.all()) this.copyBlob(path);
    this.#dropBlobs();
    this.#syncFolders(this.#target);
  }

  /** Those of the moment, without those of conversations that were purged in the meantime. */
  #writeJobs(): void {
    const { catalogue, random } = this.#context;
    const jobs = this.#jobs.filter(
      ({ conversation }) => conversation === null || catalogue.peek(conversation) !== undefined,
    );
    const last = jobs.reduce((highest, { n }) => Math.max(highest, n), 0);
    const path = join(this.#target, JOBS_FILE);
    if (jobs.length > 0) replaceFile(path, encodeJobs(jobs, last), { io: this.#io, random });
  }

  /** Remove blobs that were removed from the store in the meantime. */
  #dropBlobs(): void {
    const there = new Set(
      [...this.#context.blobs.all()].map(({ path }) => relative(this.#context.folder, path)),
    );
    const folder = join(this.#target, BLOB_FOLDER);
    for (const prefix of this.#io.list(folder)) {
      for (const name of this.#io.list(join(folder, prefix))) {
        if (!there.has(join(BLOB_FOLDER, prefix, name))) this.#io.remove(join(folder, prefix, name));
      }
    }
  }

  #write(known: CatalogueEntry, from: string): void {
    const to = this.#logPath(known);
    withFile(this.#io, from, "read", (file) => copyRange(this.#io, file, 0, known.log.bytes, to));
    this.#writeMetadata(known);
  }

  #writeMetadata({ stem, log, metadata, trashed }: CatalogueEntry): void {
    this.#context.files.writeMetadata(join(this.#place(trashed), metadataName(stem)), { ...metadata, log });
  }

  #remove({ stem, trashed }: CatalogueEntry): void {
    for (const name of [logName(stem), metadataName(stem), journalName(stem)]) {
      const path = join(this.#place(trashed), name);
      if (this.#io.stat(path) !== undefined) this.#io.remove(path);
    }
  }

  #copyJournal(stem: string, from: string): void {
    const path = join(from, journalName(stem));
    if (this.#io.stat(path) === undefined) return;
    this.#copy(path, join(this.#target, relative(this.#context.folder, path)));
  }

  #copy(from: string, to: string): void {
    if (this.#io.stat(from) === undefined) return;
    copyFile(this.#io, from, to);
  }

  #place(trashed: boolean): string {
    return trashed ? join(this.#target, TRASH_FOLDER) : this.#target;
  }

  #logPath({ stem, trashed }: CatalogueEntry): string {
    return join(this.#place(trashed), logName(stem));
  }

  #syncFolders(folder: string): void {
    for (const name of this.#io.list(folder)) {
      const path = join(folder, name);
      if (this.#io.stat(path)?.isFolder) this.#syncFolders(path);
    }
    this.#io.syncFolder(folder);
  }
}
