import { removeLeftovers } from "../disk/replace-file.ts";
import type { Message, StoredEntry } from "../message/types.ts";
import type { CheckedMessage } from "../message/validate.ts";
import { placeEntries, type TreePlace } from "../tree/place-entries.ts";
import { MAIN_NAME } from "../tree/tree.ts";
import type { EntryDraft } from "./lines.ts";
import { type Content, scanTranscript } from "./load-transcript.ts";
import type { BadLine, LogState } from "./log-state.ts";
import { LogWriter } from "./log-writer.ts";
import { headerOf, type Metadata } from "./metadata.ts";
import type { TranscriptFiles } from "./transcript-files.ts";

/** A transcript in memory, with its writer. Everything here is called under the lock. */
export class OpenTranscript {
  readonly writer: LogWriter;
  metadata: Metadata;
  #messages: Message[];
  #ids: Set<string>;
  readonly #files: TranscriptFiles;
  #tidied = false;

  constructor(files: TranscriptFiles, metadata: Metadata, { messages, ids, log, inode }: Content) {
    this.#files = files;
    this.metadata = metadata;
    this.#messages = messages;
    this.#ids = ids;
    const { io, path, clock, onDamage } = files;
    const entry = ({ id, message }: StoredEntry): void => {
      this.#ids.add(id);
      if (message !== undefined) this.#messages.push(message);
    };
    const bad = (line: BadLine): void => onDamage({ file: path, ...line });
    this.writer = new LogWriter(io, path, { nowMs: clock, durable: true, entry, bad }, log, inode);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Read the appends of other processes. */
  refresh(): LogState {
    const { io, folder } = this.#files;
    const { restarts } = this.writer;
    if (!this.#tidied) removeLeftovers(io, folder);
    this.#tidied = true;
    const state = this.writer.refresh();
    if (state.bytes === 0) {
      this.writer.writeHeader(headerOf(this.metadata));
    } else if (this.writer.restarts !== restarts) {
      // Another process replaced the transcript, so read all messages again.
      const { messages, ids } = scanTranscript(this.#files, 0, () => {});
      this.#messages = messages;
      this.#ids = ids;
    }
    return this.writer.state;
  }

  /** After `refresh`. */
  append(draft: EntryDraft, { message }: CheckedMessage): StoredEntry {
    const { places } = placeEntries(this.writer.state, [draft], MAIN_NAME, 1);
    const [{ seq, parentId }] = places as [TreePlace];
    this.#files.checkLock();
    this.writer.append([draft], places, undefined);
    this.writer.sync();
    this.#messages.push(structuredClone(message));
    this.#ids.add(draft.id);
    return { id: draft.id, seq, parentId, kind: "message", at: draft.at, message };
  }
}
