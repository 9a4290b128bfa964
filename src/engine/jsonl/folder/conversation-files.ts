/** Writes the files of one conversation, under the lock. */
import { dirname, join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { ColloquyError } from "../../../errors.ts";
import { backupOf, encodeMetadata, type Metadata, setDamagedAside } from "../../../transcript/metadata.ts";
import type { Random } from "../../../util/uuid.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { journalName, logName, metadataName, TRASH_FOLDER } from "./names.ts";

export class ConversationFiles {
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #nowMs: () => number;
  readonly #folder: string;
  readonly #syncFeed: () => void;

  /** `syncFeed` makes the feed durable. */
  constructor(io: FileIo, random: Random, nowMs: () => number, folder: string, syncFeed: () => void) {
    this.#io = io;
    this.#random = random;
    this.#nowMs = nowMs;
    this.#folder = folder;
    this.#syncFeed = syncFeed;
  }

  /** Durable at once, with the former version kept, for properties that are stored only here. */
  writeMetadata(path: string, metadata: Metadata): void {
    this.#publish(metadata);
    replaceFile(path, encoded(metadata), { io: this.#io, random: this.#random, formerAs: backupOf(path) });
  }

  /** Atomic, but a power cut may restore the former version, for counts that the log can restore. */
  refreshMetadata(path: string, metadata: Metadata): void {
    this.#publish(metadata);
    replaceFile(path, encoded(metadata), { io: this.#io, random: this.#random, syncFolder: false });
  }

  /** The next opener looks in the feed for entries that the metadata does not count. */
  #publish({ log }: Metadata): void {
    if (log.entries > 0) this.#syncFeed();
  }

  setDamagedAside(known: CatalogueEntry): void {
    if (known.metadataDamaged) setDamagedAside(this.#io, known.metadataPath, this.#nowMs());
    known.metadataDamaged = false;
  }

  /**
   * Move a conversation to the trash or back. The rename of the log is the
   * commit. The metadata is written before it, over metadata of a former move
   * that may still be there: its removal at the end is not synced. The journal
   * is looked up in both folders, so it may move last.
   */
  move(known: CatalogueEntry, metadata: Metadata): void {
    const { stem, logPath, metadataPath } = known;
    const folder = known.trashed ? this.#folder : join(this.#folder, TRASH_FOLDER);
    this.#io.makeFolder(folder);
    const target = join(folder, logName(stem));
    if (this.#io.stat(target) !== undefined) {
      throw new ColloquyError("CONFLICT", `${target} already exists`, {
        details: { path: target },
      });
    }
    this.writeMetadata(join(folder, metadataName(stem)), metadata);
    this.#io.rename(logPath, target);
    this.#io.syncFolder(folder);
    this.#io.syncFolder(dirname(logPath));
    this.#moveAlong(backupOf(metadataPath), backupOf(join(folder, metadataName(stem))));
    this.#moveAlong(join(dirname(logPath), journalName(stem)), join(folder, journalName(stem)));
    if (this.#io.stat(metadataPath) !== undefined) this.#io.remove(metadataPath);
  }

  #moveAlong(from: string, to: string): void {
    if (this.#io.stat(from) !== undefined) this.#io.rename(from, to);
  }
}

function encoded(metadata: Metadata): Buffer {
  // A count that was read from the file may be behind the tree.
  return encodeMetadata({ ...metadata, compactionCount: undefined });
}
