/**
 * A copy of a store that is a store, as of one moment, while others write.
 *
 * Logs only grow, so what they held at that moment is what they hold up to
 * the length they had then. What was rewritten, moved or purged meanwhile is
 * put right at the end, under the lock: what was taken away for good must
 * not live on in a backup that is made at the same time.
 */
import { dirname, join, relative } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { copyFile, copyRange } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { withTemporary } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { ColloquyError } from "../../../errors.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import {
  BLOB_FOLDER,
  journalName,
  logName,
  MARKER_FILE,
  metadataName,
  TRASH_FOLDER,
} from "../folder/names.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { missingLog } from "../log/open-logs.ts";

type WithLock = <T>(work: () => T) => Promise<T>;

export async function backupStore(context: JsonlContext, path: string, withLock: WithLock): Promise<void> {
  const { io, random } = context;
  if (io.stat(path) !== undefined) {
    throw new ColloquyError("CONFLICT", `${path} exists: a backup needs a name of its own`, {
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

  constructor(context: JsonlContext, target: string) {
    this.#context = context;
    this.#io = context.io;
    this.#target = target;
  }

  /** Note what there is. Journals, which are short and go when their turn ends, are copied at once. */
  begin(): CatalogueEntry[] {
    const { catalogue, folder } = this.#context;
    this.#io.makeFolder(join(this.#target, TRASH_FOLDER));
    this.#io.makeFolder(join(this.#target, BLOB_FOLDER));
    this.#copy(join(folder, MARKER_FILE), join(this.#target, MARKER_FILE));
    const moment = catalogue.all().map((known) => ({ ...known }));
    for (const { stem, logPath } of moment) this.#copyJournal(stem, dirname(logPath));
    return moment;
  }

  /** Up to where it was complete. */
  copyLog(known: CatalogueEntry): void {
    const { stem, log, seenLog } = known;
    // It may have been moved since; a file that was rewritten is copied at the end.
    const now = this.#context.catalogue.byStem(stem);
    if (now === undefined || now.seenLog?.inode !== seenLog?.inode) return;
    if (now.logMissing) {
      if (log.messages > 0) throw missingLog(known);
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

  /** Put right what changed while others went on writing. */
  finish(moment: readonly CatalogueEntry[]): void {
    const { catalogue, blobs } = this.#context;
    for (const known of moment) {
      const now = catalogue.byStem(known.stem);
      const isSame = now !== undefined && now.seenLog?.inode === known.seenLog?.inode;
      if (isSame && this.#io.stat(this.#logPath(known)) !== undefined) continue;
      this.#remove(known);
      if (now !== undefined && !now.logMissing) this.#write(now, now.logPath);
    }
    for (const { path } of blobs.all()) this.copyBlob(path);
    this.#dropBlobs();
    this.#syncFolders(this.#target);
  }

  /** Those that were taken away meanwhile. */
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
    const { stem, log, metadata, trashed } = known;
    const to = this.#logPath(known);
    withFile(this.#io, from, "read", (file) => copyRange(this.#io, file, 0, log.bytes, to));
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
