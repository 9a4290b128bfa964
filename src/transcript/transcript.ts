import { join } from "node:path";
import { type FileIo, type FileLock, systemIo } from "../disk/file-io.ts";
import { freeName, removeLeftovers, replaceFile } from "../disk/replace-file.ts";
import { withFile } from "../disk/with-file.ts";
import { withLockSync } from "../disk/with-lock.ts";
import { asColloquyError, ColloquyError, invalid, unavailable } from "../errors.ts";
import type { Message, MessageInput, StoredEntry } from "../message/types.ts";
import { type CheckedMessage, checkLabel, checkMessage } from "../message/validate.ts";
import { placeEntries, type TreePlace } from "../tree/place-entries.ts";
import { MAIN_NAME } from "../tree/tree.ts";
import { isPlainObject } from "../util/json.ts";
import { type Clock, isoTime, systemClock } from "../util/time.ts";
import { type Random, systemRandom, uuidv7 } from "../util/uuid.ts";
import { ConversationAlreadyExistsError, ConversationNotLoadedError } from "./conversation-errors.ts";
import { type EntryDraft, encodeEntry, encodeHeader } from "./lines.ts";
import { advance, type BadLine, EMPTY_LOG, type LogState } from "./log-state.ts";
import { createLog, LogWriter } from "./log-writer.ts";
import { headerOf, type Metadata, newMetadata } from "./metadata.ts";
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
  #loaded: { metadata: Metadata; messages: Message[]; writer: LogWriter } | undefined;
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
      this.#take(metadata, [], { log, inode: this.#io.stat(this.#path)?.inode });
    });
  }

  /**
   * Read the conversation into memory and return its messages.
   *
   * Damaged lines are skipped and reported; with `strict` the first one throws.
   * A torn last line is not damage: the next append sets it aside. An
   * `initialize` that a crash interrupted is completed.
   */
  load(options: { readonly strict?: boolean } = {}): Message[] {
    return this.#mapErrors("Cannot read", () => this.#load(options));
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
    const damage: TranscriptDamage[] = [];
    const synced = read.found?.log.bytes ?? 0;
    const scanned = this.#scan(messages, synced, (bad) => damage.push({ file: this.#path, ...bad }));
    const { log } = scanned;
    if (damage.length > 0 && log.header === undefined && log.entries === 0) {
      throw invalid(`${this.#path} is not a transcript of Colloquy`, "folder");
    }
    this.#checkLength(log, read.found?.log, damage);
    const [first] = damage;
    if (first !== undefined && options.strict) {
      throw unavailable(`${first.file}: bytes ${first.start} to ${first.end} are damaged: ${first.reason}`, {
        details: { ...first },
      });
    }
    if (read.damage !== undefined) {
      damage.push({
        file: this.#metadataFile.path,
        start: 0,
        end: read.stat?.size ?? 0,
        reason: read.damage,
      });
    }
    for (const bad of damage) this.#onDamage(bad);
    const metadata = read.found ?? this.#rebuiltMetadata(log);
    this.#take({ ...metadata, log }, messages, scanned);
    if (read.found === undefined) {
      this.#withLock(() => this.#metadataFile.write({ ...metadata, log }));
    }
    return this.getMessages();
  }

  /** Append one message. It is durable when this returns. If this throws, nothing has changed. */
  appendMessage(message: MessageInput): StoredEntry {
    const loaded = this.#use();
    const checked = checkMessage(message);
    this.#reportEarlier();
    const draft = this.#draft(checked);
    const entry = this.#withLock(() => {
      this.#refresh();
      const { places } = placeEntries(loaded.writer.state, [draft], MAIN_NAME, 1);
      const [{ seq, parentId }] = places as [TreePlace];
      loaded.writer.append([draft], places, undefined);
      loaded.writer.sync();
      return { id: draft.id, seq, parentId, kind: "message", at: draft.at, message: checked.message };
    });
    loaded.messages.push(structuredClone(checked.message));
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
      const next = this.#encodeGeneration(checked, state.lastSeq, generation + 1);
      const formerAs = freeName(this.#io, `${this.#path}.gen-${generation}`);
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
    const { createdAt, updatedAt, model, compactionCount } = metadata;
    return { createdAt, updatedAt, model, compactionCount, messageCount: writer.state.messages };
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

  #use(): { metadata: Metadata; messages: Message[]; writer: LogWriter } {
    if (this.#loaded === undefined) throw new ConversationNotLoadedError();
    return this.#loaded;
  }

  #take(metadata: Metadata, messages: Message[], { log, inode }: Scanned): void {
    this.#loaded?.writer.close();
    const writer = new LogWriter(
      this.#io,
      this.#path,
      {
        nowMs: this.#clock,
        durable: true,
        entry: (entry) => {
          if (entry.message !== undefined) this.#loaded?.messages.push(entry.message);
        },
        bad: (bad) => this.#onDamage({ file: this.#path, ...bad }),
      },
      log,
      inode,
    );
    this.#loaded = { metadata, messages, writer };
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
      const messages: Message[] = [];
      this.#scan(messages, 0, () => {});
      this.#use().messages = messages;
    }
    return writer.state;
  }

  #scan(messages: Message[], syncedBytes: number, bad: (line: BadLine) => void): Scanned {
    const entry = ({ message }: StoredEntry): void => {
      if (message !== undefined) messages.push(message);
    };
    return withFile(this.#io, this.#path, "read", (file) => {
      const { size, inode } = this.#io.statOpen(file);
      return { log: advance(this.#io, file, EMPTY_LOG, size, { entry, bad }, syncedBytes), inode };
    });
  }

  #draft(checked: CheckedMessage): EntryDraft {
    const nowMs = this.#clock();
    return {
      id: checked.id ?? uuidv7(nowMs, this.#random),
      kind: "message",
      at: isoTime(checked.atMs ?? nowMs),
      json: checked.json,
    };
  }

  *#encodeGeneration(checked: CheckedMessage[], lastSeq: number, generation: number): Generator<Buffer> {
    yield encodeHeader({ ...headerOf(this.#use().metadata), generation });
    let seq = lastSeq;
    let parentId: string | null = null;
    for (const message of checked) {
      const draft = this.#draft(message);
      yield encodeEntry(draft, { seq: ++seq, parentId, operationId: undefined, batch: undefined });
      parentId = draft.id;
    }
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
    return newMetadata({ id, createdAt, log, updatedAt: log.lastMessageAt ?? createdAt });
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

function warn(damage: TranscriptDamage): void {
  process.emitWarning(
    `${damage.file}: bytes ${damage.start} to ${damage.end}: ${damage.reason}`,
    "ColloquyWarning",
  );
}
