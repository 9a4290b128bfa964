import { join } from "node:path";
import { type FileIo, type FileLock, systemIo } from "../disk/file-io.ts";
import { freeName, removeLeftovers, replaceFile } from "../disk/replace-file.ts";
import { withFile } from "../disk/with-file.ts";
import { withLockSync } from "../disk/with-lock.ts";
import { asColloquyError, ColloquyError, invalid, unavailable } from "../errors.ts";
import type { Message, MessageInput, StoredEntry } from "../message/types.ts";
import { checkLabel, checkMessage } from "../message/validate.ts";
import { placeEntries, type TreePlace } from "../tree/place-entries.ts";
import { MAIN_NAME } from "../tree/tree.ts";
import { isPlainObject } from "../util/json.ts";
import { type Clock, isoTime, systemClock } from "../util/time.ts";
import { type Random, systemRandom, uuidv7 } from "../util/uuid.ts";
import { adoptPlainFolder, isPlainFolder } from "./adopt-plain.ts";
import { ConversationAlreadyExistsError, ConversationNotLoadedError } from "./conversation-errors.ts";
import { draftOf, encodeGeneration, formerName } from "./generation.ts";
import { advance, type BadLine, EMPTY_LOG, type LogState } from "./log-state.ts";
import { createLog, LogWriter } from "./log-writer.ts";
import { compactionsOf, headerOf, lastChangeOf, type Metadata, newMetadata } from "./metadata.ts";
import { MetadataFile } from "./metadata-file.ts";

export interface TranscriptOptions {
  readonly io?: FileIo;
  readonly clock?: Clock;
  readonly random?: Random;
  /** File names inside the folder. */
  readonly files?: { readonly transcript: string; readonly metadata: string };
  /** Called for each damaged line. Default: emits a process warning. */
  readonly onDamage?: (damage: TranscriptDamage) => void;
}

/** Unreadable bytes of the transcript. They stay in the file, or were set aside. */
export interface TranscriptDamage {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly reason: string;
}

export interface TranscriptMetadata {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly model: string | null;
  readonly compactionCount: number;
  readonly messageCount: number;
}

/** The state of a transcript, and the file it was read from, which may be replaced later. */
interface Scanned {
  readonly log: LogState;
  readonly inode: bigint | undefined;
  readonly modifiedNs?: bigint;
}

interface Loaded {
  metadata: Metadata;
  messages: Message[];
  /** Of every entry. */
  ids: Set<string>;
  writer: LogWriter;
}

/**
 * One conversation in two files, with a synchronous API.
 *
 * A message is durable when `appendMessage` returns. Messages are kept in
 * memory too; those that other processes append are read before the next write.
 */
export class Transcript {
  readonly #folder: string;
  readonly #path: string;
  readonly #io: FileIo;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lock: FileLock;
  readonly #metadataFile: MetadataFile;
  readonly #onDamage: (damage: TranscriptDamage) => void;
  #loaded: Loaded | undefined;
  #tidied = false;
  /** The error of a metadata write whose message is durable. The next call reports it. */
  #unreported: unknown;

  constructor(folder: string, options: TranscriptOptions = {}) {
    const files = options.files ?? { transcript: "transcript.jsonl", metadata: "metadata.json" };
    this.#folder = folder;
    this.#path = join(folder, files.transcript);
    this.#io = options.io ?? systemIo;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#lock = this.#io.lock(join(folder, `${files.transcript}.lock`));
    this.#metadataFile = new MetadataFile(this.#io, this.#random, this.#clock, join(folder, files.metadata));
    this.#onDamage = options.onDamage ?? warn;
  }

  /** Create a new conversation. Fails with `ConversationAlreadyExistsError` if there is one. */
  initialize(init: { readonly model?: string } = {}): void {
    const model = init.model === undefined ? null : checkLabel(init.model, "model");
    this.#mapErrors("Cannot create", () => this.#io.makeFolder(this.#folder));
    this.#withLock(() => {
      removeLeftovers(this.#io, this.#folder);
      const exists = [this.#path, this.#metadataFile.path].some((path) => this.#io.stat(path) !== undefined);
      if (exists) throw new ConversationAlreadyExistsError(this.#folder);
      const createdAt = isoTime(this.#clock());
      const id = uuidv7(this.#clock(), this.#random);
      const fresh = newMetadata({ id, createdAt, model });
      const log = createLog(this.#io, this.#random, this.#path, headerOf(fresh));
      const metadata = { ...fresh, log };
      this.#metadataFile.write(metadata);
      this.#take(metadata, [], new Set(), { log, inode: this.#io.stat(this.#path)?.inode });
    });
  }

  /**
   * Read the conversation into memory and return its messages.
   *
   * Damaged lines are skipped and reported; with `strict` the first one throws.
   * A torn last line is not damage: the next append sets it aside. An
   * `initialize` that a crash interrupted is completed. A folder of plain
   * messages is converted first; its files are kept as `….plain`.
   */
  load(options: { readonly strict?: boolean } = {}): Message[] {
    return this.#mapErrors("Cannot read", () => {
      this.#adoptPlain(options.strict === true);
      return this.#load(options);
    });
  }

  #load(options: { readonly strict?: boolean }): Message[] {
    const hasLog = this.#io.stat(this.#path) !== undefined;
    const read = this.#metadataFile.read();
    if (!hasLog) {
      if (read.found === undefined) {
        throw new ColloquyError("NOT_FOUND", `There is no conversation in ${this.#folder}`);
      }
      this.#completeLog(read.found);
    }
    const messages: Message[] = [];
    const ids = new Set<string>();
    const damage: TranscriptDamage[] = [];
    const synced = read.found?.log.bytes ?? 0;
    const scanned = this.#scan(messages, ids, synced, (bad) => damage.push({ file: this.#path, ...bad }));
    const { log } = scanned;
    if (damage.length > 0 && log.header === undefined && log.entries === 0) {
      throw invalid(`${this.#path} is not a transcript of Colloquy`, "folder");
    }
    this.#checkLength(log, read.found?.log, damage);
    const [first] = damage;
    if (first !== undefined && options.strict) throw damaged(first);
    if (read.damage !== undefined) {
      damage.push({
        file: this.#metadataFile.path,
        start: 0,
        end: read.stat?.size ?? 0,
        reason: read.damage,
      });
    }
    for (const bad of damage) this.#onDamage(bad);
    const known = read.found ?? this.#rebuiltMetadata(log);
    // After a kill the log is ahead of its metadata.
    const metadata = { ...known, updatedAt: lastChangeOf(known, log, scanned.modifiedNs) };
    this.#take({ ...metadata, log }, messages, ids, scanned);
    if (read.found === undefined) {
      this.#withLock(() => this.#metadataFile.write({ ...metadata, log }));
    }
    return this.getMessages();
  }

  /**
   * Append one message. It is durable when this returns. If this throws, nothing has changed. The id of the message,
   * if it has one, must be new: an id that exists is a `CONFLICT`.
   */
  appendMessage(message: MessageInput): StoredEntry {
    const loaded = this.#use();
    const checked = checkMessage(message);
    this.#reportEarlier();
    const draft = draftOf(checked, this.#clock(), this.#random);
    const entry = this.#withLock(() => {
      this.#refresh();
      if (loaded.ids.has(draft.id)) throw idTaken(draft.id);
      const { places } = placeEntries(loaded.writer.state, [draft], MAIN_NAME, 1);
      const [{ seq, parentId }] = places as [TreePlace];
      loaded.writer.append([draft], places, undefined);
      loaded.writer.sync();
      return { id: draft.id, seq, parentId, kind: "message", at: draft.at, message: checked.message };
    });
    loaded.messages.push(structuredClone(checked.message));
    loaded.ids.add(draft.id);
    loaded.metadata = { ...loaded.metadata, updatedAt: isoTime(this.#clock()), log: loaded.writer.state };
    this.#refreshMetadata();
    return entry;
  }

  /**
   * Replace all messages atomically.
   *
   * The former file is kept beside the new one (`….gen-1`, `….gen-2` …). Fails
   * with `CONFLICT` if another process has written since the last call, because
   * its messages would be replaced unseen.
   */
  replaceTranscript(messages: readonly MessageInput[]): void {
    const loaded = this.#use();
    if (!Array.isArray(messages)) throw invalid("messages must be an array", "messages");
    const checked = messages.map(checkMessage);
    const given = checked.flatMap(({ id }) => id ?? []);
    if (new Set(given).size < given.length) throw invalid("Two messages have the same id", "id");
    this.#reportEarlier();
    this.#withLock(() => {
      const known = loaded.messages.length;
      const { restarts } = loaded.writer;
      const state = this.#refresh();
      if (loaded.writer.restarts !== restarts || loaded.messages.length !== known) {
        throw new ColloquyError("CONFLICT", "Another process has written messages: read them first", {
          details: { unseen: Math.max(0, loaded.messages.length - known) },
        });
      }
      const generation = state.header?.generation ?? 1;
      const drafts = checked.map((message) => draftOf(message, this.#clock(), this.#random));
      const header = { ...headerOf(loaded.metadata), generation: generation + 1 };
      const next = encodeGeneration(header, drafts, state.lastSeq);
      const formerAs = freeName(this.#io, formerName(this.#path, generation));
      replaceFile(this.#path, next, { io: this.#io, random: this.#random, formerAs });
      this.#refresh();
    });
    loaded.messages = checked.map(({ message }) => structuredClone(message));
    this.#touch({});
  }

  /** Change `model` or `compactionCount`; nothing else can be changed. */
  updateMetadata(patch: { readonly model?: string; readonly compactionCount?: number }): void {
    this.#use();
    if (!isPlainObject(patch)) throw invalid("patch must be an object", "patch");
    for (const member of Object.keys(patch)) {
      if (member !== "model" && member !== "compactionCount")
        throw invalid(`${member} cannot be changed`, member);
    }
    const { model, compactionCount } = patch;
    if (compactionCount !== undefined && !(Number.isSafeInteger(compactionCount) && compactionCount >= 0)) {
      throw invalid("compactionCount must be a non-negative integer", "compactionCount");
    }
    this.#reportEarlier();
    this.#touch({
      ...(model === undefined ? {} : { model: checkLabel(model, "model") }),
      ...(compactionCount === undefined ? {} : { compactionCount }),
    });
  }

  /** Returns copies. */
  getMessages(): Message[] {
    return structuredClone(this.#use().messages);
  }

  getMetadata(): TranscriptMetadata {
    const { metadata, writer } = this.#use();
    const { createdAt, updatedAt, model } = metadata;
    const { messages: messageCount } = writer.state;
    return { createdAt, updatedAt, model, compactionCount: compactionsOf(metadata), messageCount };
  }

  /** Update the metadata file and close the files. */
  close(): void {
    const loaded = this.#loaded;
    if (loaded === undefined) return;
    try {
      this.#reportEarlier();
      if (this.#metadataFile.isBehind && !loaded.writer.refuses) this.#touch({});
    } finally {
      this.#loaded = undefined;
      loaded.writer.close();
      this.#lock.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #use(): Loaded {
    if (this.#loaded === undefined) throw new ConversationNotLoadedError();
    return this.#loaded;
  }

  #take(metadata: Metadata, messages: Message[], ids: Set<string>, { log, inode }: Scanned): void {
    this.#loaded?.writer.close();
    const writer = new LogWriter(
      this.#io,
      this.#path,
      {
        nowMs: this.#clock,
        durable: true,
        entry: ({ id, message }) => {
          this.#loaded?.ids.add(id);
          if (message !== undefined) this.#loaded?.messages.push(message);
        },
        bad: (bad) => this.#onDamage({ file: this.#path, ...bad }),
      },
      log,
      inode,
    );
    this.#loaded = { metadata, messages, ids, writer };
  }

  #withLock<T>(work: () => T): T {
    return this.#mapErrors("Cannot write to", () => withLockSync(this.#lock, this.#folder, work));
  }

  /** Errors of the file system reach the caller as a `ColloquyError`. */
  #mapErrors<T>(doing: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asColloquyError(error, `${doing} ${this.#folder}`);
    }
  }

  /** Read the appends of other processes, under the lock. */
  #refresh(): LogState {
    const { writer, metadata } = this.#use();
    const { restarts } = writer;
    if (!this.#tidied) removeLeftovers(this.#io, this.#folder);
    this.#tidied = true;
    const state = writer.refresh();
    if (state.bytes === 0) {
      writer.writeHeader(headerOf(metadata));
    } else if (writer.restarts !== restarts) {
      // Another process replaced the transcript, so read all messages again.
      const [messages, ids]: [Message[], Set<string>] = [[], new Set()];
      this.#scan(messages, ids, 0, () => {});
      Object.assign(this.#use(), { messages, ids });
    }
    return writer.state;
  }

  #scan(messages: Message[], ids: Set<string>, syncedBytes: number, bad: (line: BadLine) => void): Scanned {
    const entry = ({ id, message }: StoredEntry): void => {
      ids.add(id);
      if (message !== undefined) messages.push(message);
    };
    return withFile(this.#io, this.#path, "read", (file) => {
      const { size, inode, modifiedNs } = this.#io.statOpen(file);
      const log = advance(this.#io, file, EMPTY_LOG, size, { entry, bad }, syncedBytes);
      return { log, inode, modifiedNs };
    });
  }

  /** Damaged lines are reported where they are kept; with `strict` the first one throws, and nothing changes. */
  #adoptPlain(strict: boolean): void {
    const folder = { path: this.#path, metadataPath: this.#metadataFile.path };
    if (!isPlainFolder(this.#io, folder)) return;
    const bad = (damage: TranscriptDamage): void => {
      if (strict) throw damaged({ ...damage, file: this.#path });
      this.#onDamage(damage);
    };
    this.#withLock(() => adoptPlainFolder(this.#io, this.#random, this.#clock(), folder, bad));
  }

  /** There is metadata but no transcript: a crash during `initialize`, unless messages were counted. */
  #completeLog(metadata: Metadata): void {
    if (metadata.log.messages > 0) throw this.#lost(metadata.log.messages);
    this.#withLock(() => createLog(this.#io, this.#random, this.#path, headerOf(metadata)));
  }

  /** Detects a file that was cut short by its count of entries. A replaced file cannot be compared. */
  #checkLength(log: LogState, counted: LogState | undefined, damage: TranscriptDamage[]): void {
    if (counted === undefined || log.lastSeq >= counted.lastSeq) return;
    if ((log.header?.generation ?? 1) > 1) return;
    if (log.header === undefined && log.bytes === 0) throw this.#lost(counted.messages);
    const reason = `the file ends with entry ${log.lastSeq}, but ${counted.lastSeq} were counted`;
    damage.push({ file: this.#path, start: log.bytes, end: Math.max(log.bytes, counted.bytes), reason });
  }

  #lost(messages: number): ColloquyError {
    return unavailable(`${this.#path} is missing or empty, but it had ${messages} messages`);
  }

  #rebuiltMetadata(log: LogState): Metadata {
    const nowMs = this.#clock();
    const createdAt = log.header?.createdAt ?? isoTime(nowMs);
    const id = log.header?.id ?? uuidv7(nowMs, this.#random);
    return newMetadata({ id, createdAt, log, updatedAt: log.lastAt ?? createdAt });
  }

  /** The message is durable, so a failure is kept for the next call. */
  #refreshMetadata(): void {
    if (!this.#metadataFile.countAppend()) return;
    try {
      this.#touch({});
    } catch (error) {
      this.#unreported = error;
    }
  }

  /** Changes of other processes to the metadata stay, except for the properties of the patch. */
  #touch(patch: Partial<Metadata>): void {
    const loaded = this.#use();
    this.#withLock(() => {
      const log = this.#refresh();
      const read = this.#metadataFile.read();
      const current = read.found !== undefined && read.from === "file" ? read.found : loaded.metadata;
      const metadata = { ...current, ...patch, updatedAt: isoTime(this.#clock()), log };
      this.#metadataFile.write(metadata);
      loaded.metadata = metadata;
    });
  }

  #reportEarlier(): void {
    const cause = this.#unreported;
    if (cause === undefined) return;
    this.#unreported = undefined;
    throw unavailable(
      `The metadata of ${this.#folder} could not be written after the last message: ${(cause as Error).message}. The message is stored. This call did nothing and can be repeated`,
      { cause },
    );
  }
}

function damaged(damage: TranscriptDamage): ColloquyError {
  const { file, start, end, reason } = damage;
  return unavailable(`${file}: bytes ${start} to ${end} are damaged: ${reason}`, { details: { ...damage } });
}

function idTaken(id: string): ColloquyError {
  return new ColloquyError("CONFLICT", `There is already an entry ${id}: give the message another id`, {
    field: "id",
    details: { id },
  });
}

function warn(damage: TranscriptDamage): void {
  process.emitWarning(
    `${damage.file}: bytes ${damage.start} to ${damage.end}: ${damage.reason}`,
    "ColloquyWarning",
  );
}
