import { freeName, removeLeftovers, replaceFile } from "../disk/replace-file.ts";
import { ColloquyError, invalid, unavailable } from "../errors.ts";
import type { Message, MessageInput, StoredEntry } from "../message/types.ts";
import { checkLabel, checkMessage } from "../message/validate.ts";
import { isPlainObject } from "../util/json.ts";
import { isoTime } from "../util/time.ts";
import { uuidv7 } from "../util/uuid.ts";
import { ConversationAlreadyExistsError, ConversationNotLoadedError } from "./conversation-errors.ts";
import { draftOf, encodeGeneration, formerName } from "./generation.ts";
import { loadTranscript } from "./load-transcript.ts";
import { createLog } from "./log-writer.ts";
import { compactionsOf, headerOf, type Metadata, newMetadata } from "./metadata.ts";
import { OpenTranscript } from "./open-transcript.ts";
import { TranscriptFiles, type TranscriptOptions } from "./transcript-files.ts";

export interface TranscriptMetadata {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly model: string | null;
  readonly compactionCount: number;
  readonly messageCount: number;
}

/**
 * One conversation in two files, with a synchronous API.
 *
 * A message is durable when `appendMessage` returns. Messages are kept in
 * memory too; those that other processes append are read before the next write.
 */
export class Transcript {
  readonly #files: TranscriptFiles;
  #opened: OpenTranscript | undefined;
  /** The error of a metadata write whose message is durable. The next call reports it. */
  #unreported: unknown;

  constructor(folder: string, options: TranscriptOptions = {}) {
    this.#files = new TranscriptFiles(folder, options);
  }

  /** Create a new conversation. Fails with `ConversationAlreadyExistsError` if there is one. */
  initialize(init: { readonly model?: string } = {}): void {
    const model = init.model === undefined ? null : checkLabel(init.model, "model");
    const { io, folder, path, clock, random, metadata: metadataFile } = this.#files;
    this.#files.mapErrors("Cannot create", () => io.makeFolder(folder));
    this.#files.withLock(() => {
      removeLeftovers(io, folder);
      const exists = [path, metadataFile.path].some((one) => io.stat(one) !== undefined);
      if (exists) throw new ConversationAlreadyExistsError(folder);
      const createdAt = isoTime(clock());
      const fresh = newMetadata({ id: uuidv7(clock(), random), createdAt, model });
      const log = createLog(io, random, path, headerOf(fresh));
      const metadata = { ...fresh, log };
      metadataFile.write(metadata);
      const inode = io.stat(path)?.inode;
      this.#open(new OpenTranscript(this.#files, metadata, { log, inode, messages: [], ids: new Set() }));
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
    return this.#files.mapErrors("Cannot read", () => {
      const { metadata, content } = loadTranscript(this.#files, options.strict === true);
      this.#open(new OpenTranscript(this.#files, metadata, content));
      return this.getMessages();
    });
  }

  /**
   * Append one message. It is durable when this returns. If this throws, nothing has changed. The id of the message,
   * if it has one, must be new: an id that exists is a `CONFLICT`.
   */
  appendMessage(message: MessageInput): StoredEntry {
    const opened = this.#use();
    const checked = checkMessage(message);
    this.#reportEarlier();
    const { clock, random } = this.#files;
    const draft = draftOf(checked, clock(), random);
    const entry = this.#files.withLock(() => {
      opened.refresh();
      if (opened.has(draft.id)) throw idTaken(draft.id);
      return opened.append(draft, checked);
    });
    opened.metadata = { ...opened.metadata, updatedAt: isoTime(clock()), log: opened.writer.state };
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
    const opened = this.#use();
    if (!Array.isArray(messages)) throw invalid("messages must be an array", "messages");
    const checked = messages.map(checkMessage);
    const given = checked.flatMap(({ id }) => id ?? []);
    if (new Set(given).size < given.length) throw invalid("Two messages have the same id", "id");
    this.#reportEarlier();
    const { io, path, clock, random } = this.#files;
    this.#files.withLock(() => {
      const known = opened.messages.length;
      const { restarts } = opened.writer;
      const state = opened.refresh();
      if (opened.writer.restarts !== restarts || opened.messages.length !== known) {
        throw new ColloquyError("CONFLICT", "Another process has written messages: read them first", {
          details: { unseen: Math.max(0, opened.messages.length - known) },
        });
      }
      const generation = state.header?.generation ?? 1;
      const drafts = checked.map((message) => draftOf(message, clock(), random));
      const header = { ...headerOf(opened.metadata), generation: generation + 1 };
      const next = encodeGeneration(header, drafts, state.lastSeq);
      const formerAs = freeName(io, formerName(path, generation));
      this.#files.checkLock();
      replaceFile(path, next, { io, random, formerAs });
      opened.refresh();
    });
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
    return structuredClone(this.#use().messages as Message[]);
  }

  getMetadata(): TranscriptMetadata {
    const { metadata, writer } = this.#use();
    const { createdAt, updatedAt, model } = metadata;
    const { messages: messageCount } = writer.state;
    return { createdAt, updatedAt, model, compactionCount: compactionsOf(metadata), messageCount };
  }

  /** Update the metadata file and close the files. */
  close(): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    try {
      this.#reportEarlier();
      if (this.#files.metadata.isBehind && !opened.writer.refuses) this.#touch({});
    } finally {
      this.#opened = undefined;
      opened.writer.close();
      this.#files.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(opened: OpenTranscript): void {
    this.#opened?.writer.close();
    this.#opened = opened;
  }

  #use(): OpenTranscript {
    if (this.#opened === undefined) throw new ConversationNotLoadedError();
    return this.#opened;
  }

  /** The message is durable, so a failure is kept for the next call. */
  #refreshMetadata(): void {
    if (!this.#files.metadata.countAppend()) return;
    try {
      this.#touch({});
    } catch (error) {
      this.#unreported = error;
    }
  }

  /** Changes of other processes to the metadata stay, except for the properties of the patch. */
  #touch(patch: Partial<Metadata>): void {
    const opened = this.#use();
    this.#files.withLock(() => {
      const log = opened.refresh();
      const read = this.#files.metadata.read();
      const current = read.found !== undefined && read.from === "file" ? read.found : opened.metadata;
      const metadata = { ...current, ...patch, updatedAt: isoTime(this.#files.clock()), log };
      this.#files.metadata.write(metadata);
      opened.metadata = metadata;
    });
  }

  #reportEarlier(): void {
    const cause = this.#unreported;
    if (cause === undefined) return;
    this.#unreported = undefined;
    throw unavailable(
      `The metadata of ${this.#files.folder} could not be written after the last message: ${(cause as Error).message}. The message is stored. This call did nothing and can be repeated`,
      { cause },
    );
  }
}

function idTaken(id: string): ColloquyError {
  return new ColloquyError("CONFLICT", `There is already an entry ${id}: give the message another id`, {
    field: "id",
    details: { id },
  });
}
