import { dirname, join } from "node:path";
import { copyRange } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { refuseHardLinks } from "../../../disk/hard-links.ts";
import { linesForward, NEWLINE, readChunk } from "../../../disk/line-scan.ts";
import { freeName, replaceFile, writeAll } from "../../../disk/replace-file.ts";
import { withExistingFile, withFile } from "../../../disk/with-file.ts";
import { type ColloquyError, unavailable } from "../../../errors.ts";
import { checkSum, sealObject } from "../../../transcript/lines.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../util/json.ts";
import { timestamp17 } from "../../../util/time.ts";
import type { Random } from "../../../util/uuid.ts";
import { newText } from "../../journal-rules.ts";
import type { JournalOperation } from "../../operations.ts";
import type { OpenTurn } from "../../queries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import { journalName, TRASH_FOLDER } from "../folder/names.ts";

/** The state of a journal that was read. */
interface Journal {
  readonly inode: bigint;
  readonly turn: string;
  readonly header: JsonObject;
  /** The end of the last readable line. */
  readonly bytes: number;
  /** The length of the text in UTF-16 units. */
  readonly length: number;
}

/** A file that waits for its sync. */
export interface Syncable {
  readonly path: string;
  sync(): void;
  syncLater(): Promise<void>;
}

const REMEMBERED_MAX = 1000;

/**
 * The text of streamed answers: a file for each turn, a line for each piece.
 * Bytes after the last readable line were never acknowledged.
 */
export class Journals {
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #nowMs: () => number;
  readonly #folder: string;
  readonly #durable: boolean;
  readonly #known = new Map<string, Journal>();
  readonly #waiting = new Map<string, WaitingJournal>();
  /** Journals whose names survive a power cut. */
  readonly #named = new Map<string, bigint>();
  /** Journals that this process has begun and not synced. */
  readonly #begun = new Set<string>();
  /** Journals whose sync failed: what is on the disk is not known. */
  readonly #suspect = new Set<string>();

  constructor(io: FileIo, random: Random, nowMs: () => number, folder: string, durable: boolean) {
    this.#io = io;
    this.#random = random;
    this.#nowMs = nowMs;
    this.#folder = folder;
    this.#durable = durable;
  }

  /**
   * Under the lock. `waits` must be synced before the length is acknowledged. With `restarts`, the text so far is in
   * the log, and the journal begins again.
   */
  write(
    known: CatalogueEntry,
    operation: JournalOperation,
    restarts: boolean,
  ): { length: number; waits: Syncable | undefined } {
    const { turn, header } = operation;
    const path = this.#ownPath(known);
    const journal = restarts ? undefined : this.#read(path).journal;
    if (restarts) this.#forget(path);
    const text = newText(journal, operation);
    const length = journal?.length ?? 0;
    const line = text === "" ? Buffer.alloc(0) : sealObject({ position: length, text });
    if (journal === undefined) {
      const content = Buffer.concat([sealObject({ turn, header }), line]);
      this.#begin(path, content, restarts);
      return { length: text.length, waits: text === "" ? undefined : this.#open(path, content.length) };
    }
    // Even if nothing is new: the writer may have died before its sync.
    const waits = this.#waiting.get(path) ?? this.#open(path, journal.bytes);
    const head = header === undefined ? Buffer.alloc(0) : sealObject({ header });
    waits.write(Buffer.concat([head, line]), journal.bytes);
    return { length: length + text.length, waits };
  }

  #begin(path: string, content: Buffer, restarts: boolean): void {
    if (this.#io.stat(path) === undefined) {
      withFile(this.#io, path, "create", (file) => writeAll(this.#io, file, content, path));
    } else {
      // In one step: a kill must not leave a turn with entries and without a journal, which no other process would end.
      replaceFile(path, content, { io: this.#io, random: this.#random, syncFolder: false });
    }
    // A power cut that undoes a restart leaves the text before it, which is known to be in the log.
    if (!restarts) this.#begun.add(path);
  }

  /**
   * The journal, if it began and was not synced: the first entry of its turn must not survive a power cut without it.
   * A turn without entries and text may disappear.
   */
  begun(known: CatalogueEntry): Syncable | undefined {
    const path = join(this.#folder, journalName(known.stem));
    if (!this.#begun.has(path)) return undefined;
    const bytes = this.#read(path).journal?.bytes;
    return bytes === undefined ? undefined : (this.#waiting.get(path) ?? this.#open(path, bytes));
  }

  /** Open the journal for writing at `bytes`. */
  #open(path: string, bytes: number): WaitingJournal {
    if (this.#suspect.has(path)) this.#writeAgain(path, bytes);
    const file = this.#io.open(path, "write");
    try {
      const { size, inode, links } = this.#io.statOpen(file);
      refuseHardLinks(path, { links });
      // Its creator may have died before the sync of the folder.
      if (this.#durable && this.#named.get(path) !== inode) this.#io.syncFolder(dirname(path));
      this.#named.set(path, inode);
      if (size > bytes) {
        // More than one torn line, so it may contain text.
        const rest = readChunk(this.#io, file, bytes, size - bytes);
        const aside = freeName(this.#io, `${path}.torn-${timestamp17(this.#nowMs())}`);
        if (rest.includes(NEWLINE)) copyRange(this.#io, file, bytes, size, aside);
        this.#io.truncate(file, bytes);
      }
    } catch (error) {
      this.#io.close(file);
      throw error;
    }
    const waits = new WaitingJournal(this.#io, path, file, bytes, this.#durable, (synced) => {
      this.#waiting.delete(path);
      if (synced === true) this.#begun.delete(path);
      if (synced === false) this.#suspect.add(path);
    });
    this.#waiting.set(path, waits);
    return waits;
  }

  #writeAgain(path: string, bytes: number): void {
    const content = withFile(this.#io, path, "read", (file) => readChunk(this.#io, file, 0, bytes));
    replaceFile(path, content, { io: this.#io, random: this.#random });
    this.#suspect.delete(path);
  }

  /** The open turn, with its text from `from` on. */
  turn(known: CatalogueEntry, from: number): OpenTurn | undefined {
    for (const path of this.#paths(known)) {
      const { journal, text } = this.#read(path, from);
      if (journal !== undefined)
        return { id: journal.turn, header: journal.header, text, length: journal.length };
    }
    return undefined;
  }

  /** Remove the journal of a turn, or of any open turn if none is named, under the lock. */
  end(known: CatalogueEntry, turn?: string): void {
    for (const path of this.#paths(known)) {
      if (this.#io.stat(path) === undefined) continue;
      if (turn !== undefined && this.#read(path).journal?.turn !== turn) continue;
      this.#forget(path);
      this.#io.remove(path);
    }
  }

  #forget(path: string): void {
    this.#waiting.get(path)?.close();
    this.#known.delete(path);
    this.#named.delete(path);
    this.#begun.delete(path);
    this.#suspect.delete(path);
  }

  /** In the folder of the conversation. A crash during a move can leave the journal in the other one. */
  #paths({ stem, trashed }: CatalogueEntry): string[] {
    const paths = [
      join(this.#folder, journalName(stem)),
      join(this.#folder, TRASH_FOLDER, journalName(stem)),
    ];
    return trashed ? paths.reverse() : paths;
  }

  #ownPath(known: CatalogueEntry): string {
    const [own, other] = this.#paths(known) as [string, string];
    if (this.#io.stat(own) === undefined && this.#io.stat(other) !== undefined) this.#io.rename(other, own);
    return own;
  }

  #read(
    path: string,
    from: number = Number.MAX_SAFE_INTEGER,
  ): { journal: Journal | undefined; text: string } {
    const stat = this.#io.stat(path);
    if (stat === undefined) return { journal: undefined, text: "" };
    const known = this.#known.get(path);
    const isSame = known?.inode === stat.inode && known.bytes <= stat.size;
    if (isSame && known.bytes === stat.size && from >= known.length) return { journal: known, text: "" };
    const read = this.#scan(path, isSame && from >= known.length ? known : undefined, from);
    if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
    if (read.journal !== undefined) this.#known.set(path, read.journal);
    return read;
  }

  #scan(
    path: string,
    known: Journal | undefined,
    from: number,
  ): { journal: Journal | undefined; text: string } {
    const read = (file: number): { journal: Journal | undefined; text: string } => {
      const { inode, size } = this.#io.statOpen(file);
      let journal = known?.inode === inode ? known : undefined;
      let wanted = "";
      for (const { bytes, end } of linesForward(this.#io, file, journal?.bytes ?? 0, size)) {
        const value = decode(bytes);
        if (journal === undefined) {
          if (typeof value?.turn !== "string") break;
          journal = {
            inode,
            turn: value.turn,
            header: (value.header ?? {}) as JsonObject,
            bytes: end,
            length: 0,
          };
          continue;
        }
        const { position, text, header } = value ?? {};
        if (isJsonObject(header)) {
          journal = { ...journal, header, bytes: end };
          continue;
        }
        if (position !== journal.length || typeof text !== "string") break;
        if (journal.length + text.length > from) wanted += text.slice(Math.max(0, from - journal.length));
        journal = { ...journal, bytes: end, length: journal.length + text.length };
      }
      return { journal, text: wanted };
    };
    return withExistingFile(this.#io, path, read) ?? { journal: undefined, text: "" };
  }
}

/** A journal that was written and not synced yet. */
class WaitingJournal implements Syncable {
  readonly path: string;
  readonly #io: FileIo;
  readonly #before: number;
  readonly #durable: boolean;
  readonly #closed: (synced?: boolean) => void;
  #file: number | undefined;

  constructor(
    io: FileIo,
    path: string,
    file: number,
    before: number,
    durable: boolean,
    closed: (synced?: boolean) => void,
  ) {
    this.#io = io;
    this.path = path;
    this.#file = file;
    this.#before = before;
    this.#durable = durable;
    this.#closed = closed;
  }

  write(line: Buffer, position: number): void {
    if (line.length === 0) return;
    const file = this.#open();
    try {
      if (this.#io.write(file, line, position) === line.length) return;
      throw unavailable(`Cannot write to ${this.path}: the disk is probably full`);
    } catch (error) {
      this.#io.truncate(file, position);
      throw error;
    }
  }

  sync(): void {
    if (this.#file === undefined) return;
    try {
      if (this.#durable) this.#io.sync(this.#open());
    } catch (error) {
      throw this.#failed(error);
    }
    this.close(true);
  }

  async syncLater(): Promise<void> {
    if (this.#file === undefined) return;
    try {
      if (this.#durable) await this.#io.syncLater(this.#open());
    } catch (error) {
      throw this.#failed(error);
    }
    this.close(true);
  }

  /** `synced` is `undefined` if no sync was tried. */
  close(synced?: boolean): void {
    if (this.#file !== undefined) this.#io.close(this.#file);
    this.#file = undefined;
    this.#closed(synced);
  }

  #open(): number {
    if (this.#file === undefined) throw unavailable(`The journal ${this.path} is closed`);
    return this.#file;
  }

  /** Nothing was acknowledged, so remove it all. */
  #failed(error: unknown): ColloquyError {
    try {
      this.#io.truncate(this.#open(), this.#before);
    } catch {
      // The caller sends the same text again.
    }
    this.close(false);
    return unavailable(`Cannot make ${this.path} durable: ${(error as Error).message}`, { cause: error });
  }
}

function decode(line: Buffer | undefined): Record<string, Json> | undefined {
  if (line === undefined || checkSum(line) !== "right") return undefined;
  return JSON.parse(line.toString("utf8")) as Record<string, Json>;
}
