/** The sink for the reader of one file: passes entries to the writers of their conversations. */

import { isOffPath } from "../../tree/control.ts";
import { isJsonObject, isPlainObject, type Json, type JsonObject } from "../../util/json.ts";
import type { Describe } from "../contract/format.ts";
import { conversationIdOf, madeId } from "../contract/ids.ts";
import type {
  ConversationSink,
  Sink,
  SourceConversation,
  SourceEntry,
  SourceRecord,
} from "../contract/reader.ts";
import type { FileMemory, RememberedConversation } from "./ledger.ts";
import type { Skipped } from "./report.ts";
import type { ImportSession } from "./session.ts";
import type { ConversationWriter } from "./writer/conversation-writer.ts";
import { type KeptRecord, keepDamaged, keepRecords } from "./writer/kept-records.ts";
import type { Origin } from "./writer/stored-entry.ts";
import { titleMark } from "./writer/title.ts";

/** More notes than this become an entry instead of waiting for one. */
const NOTES_MAX = 500;
const NOTE_BYTES_MAX = 256 * 1024;
/** The assumed size of a record without a text. */
const RECORD_BYTES = 1000;
const SKIPPED_KEPT_MAX = 100;
const VERSIONS_KEPT_MAX = 100;
const HANDLES_MAX = 64;
const HANDLES_KEPT = 16;
/** The source id, in the ledger, of damage before the first conversation. No real one is empty. */
const NO_CONVERSATION = "";

/** One conversation that one file adds to. */
interface Handle extends ConversationSink {
  readonly writer: ConversationWriter;
  readonly sourceId: string;
  last: string | null;
  notes: KeptRecord[];
  noteBytes: number;
}

export class FileSink implements Sink {
  readonly #session: ImportSession;
  readonly #origin: Origin;
  /** The state of the last import, if this one continues it. */
  readonly #memory: FileMemory | undefined;
  readonly #resumes: boolean;
  readonly #handles: Map<string, Handle> = new Map();
  /** By the id of the conversation. Forks in one file may belong to one conversation, and share its writer. */
  readonly #writers: Map<string, ConversationWriter> = new Map();
  /** The conversations of the last import, by their ids here and in the source. */
  readonly #byId: ReadonlyMap<string, RememberedConversation>;
  readonly #bySourceId: ReadonlyMap<string, RememberedConversation>;
  readonly #versions: Map<string, string> = new Map();
  readonly skipped: Skipped[];
  readonly #describe: Describe;
  readonly #done: RememberedConversation[] = [];
  #current: Handle | undefined;
  /** Damage before the first conversation. */
  #early: KeptRecord[] = [];

  constructor(
    session: ImportSession,
    origin: Origin,
    describe: Describe,
    memory: FileMemory | undefined,
    resumes: boolean,
  ) {
    this.#describe = describe;
    this.#session = session;
    this.#origin = origin;
    this.#memory = memory;
    this.#resumes = resumes;
    const before = memory?.conversations ?? [];
    this.#byId = new Map(before.map((known) => [known.id, known]));
    this.#bySourceId = new Map(before.map((known) => [known.sourceId, known]));
    this.skipped = resumes ? [...(memory?.skipped ?? [])] : [];
    this.#early = keptIn(this.#savedOf(NO_CONVERSATION).notes);
  }

  get writers(): ConversationWriter[] {
    return [...this.#writers.values()];
  }

  conversation(start: SourceConversation): ConversationSink {
    const handle = this.#handles.get(start.sourceId) ?? this.#open(this.#describe(start));
    // Moved to the end, so that the most recently used is released last.
    this.#handles.delete(start.sourceId);
    this.#handles.set(start.sourceId, handle);
    this.#current = handle;
    return handle;
  }

  isCurrent(sourceId: string, version: string): boolean {
    this.#versions.set(sourceId, version);
    if (this.#session.mode === "verify") return false;
    return this.#bySourceId.get(sourceId)?.version === version;
  }

  skip(record: Omit<SourceRecord, "value">, reason: string): void {
    this.tell(record, reason);
    this.keepDamaged(keepDamaged({ ...record, reason }));
  }

  /** Report it without keeping it. */
  tell({ line, offset }: Pick<SourceRecord, "line" | "offset">, reason: string): void {
    const skipped = { source: this.#origin.around.path, line, offset, reason };
    this.#session.report.skip(skipped);
    if (this.skipped.length < SKIPPED_KEPT_MAX) this.skipped.push(skipped);
  }

  /** Keep an unusable record with the conversation that was read last. */
  keepDamaged(kept: KeptRecord): void {
    if (this.#current === undefined) this.#early.push(kept);
    else this.#note(this.#current, kept);
  }

  unknown(type: string): void {
    this.#session.report.unknown(`${this.#origin.format}/${type}`);
  }

  unresolved(reference: string): void {
    this.#session.report.unresolved(reference);
  }

  /** Release the least recently used conversations of a file that has many. */
  async trim(): Promise<void> {
    if (this.#handles.size <= HANDLES_MAX) return;
    const handles = [...this.#handles.values()];
    const kept = new Set(handles.slice(-HANDLES_KEPT).map(({ writer }) => writer));
    const idle = handles.filter(({ writer }) => !kept.has(writer));
    for (const handle of idle) this.#flushNotes(handle);
    await this.#release(new Set(idle.map(({ writer }) => writer)));
    for (const { sourceId, writer } of idle) {
      this.#done.push(rememberedOf(sourceId, writer, this.#versions.get(sourceId)));
      this.#handles.delete(sourceId);
      this.#writers.delete(writer.id);
    }
  }

  /** Write everything. Notes that wait for an entry are written only if `final`; otherwise the ledger keeps them. */
  async finish(final: boolean): Promise<void> {
    if (final && this.#early.length > 0) this.conversation({ sourceId: this.#fallback });
    for (const handle of this.#handles.values()) if (final) this.#flushNotes(handle);
    await this.#release(this.writers);
  }

  /** Write nothing more: the file cannot be read or written. */
  async drop(): Promise<void> {
    await Promise.all(this.writers.map((writer) => this.#session.drop(writer)));
  }

  /** All of them, even when one fails. */
  async #release(writers: Iterable<ConversationWriter>): Promise<void> {
    const ends = await Promise.allSettled([...writers].map((writer) => this.#session.release(writer)));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** The conversation that keeps damage when none was added to: the last of this file, or one for the file itself. */
  get #fallback(): string {
    const known = this.#memory?.conversations.at(-1)?.sourceId;
    return known ?? madeId("damaged", this.#origin.around.path);
  }

  /** For the ledger: how far each conversation of this file was read. */
  save(): JsonObject {
    const open = [...this.#handles.values()].map(({ sourceId, writer, last, notes }): [string, Json] => [
      sourceId,
      {
        id: writer.id,
        last,
        notes,
        versions: Object.fromEntries([...writer.intake.versions].slice(-VERSIONS_KEPT_MAX)),
      },
    ]);
    return Object.fromEntries(
      this.#early.length === 0 ? open : [...open, [NO_CONVERSATION, { notes: this.#early }]],
    );
  }

  remembered(): RememberedConversation[] {
    const open = [...this.#handles.values()].map(({ sourceId, writer }) =>
      rememberedOf(sourceId, writer, this.#versions.get(sourceId)),
    );
    const now = [...this.#done, ...open];
    const seen = new Set(now.map(({ sourceId }) => sourceId));
    const before = (this.#memory?.conversations ?? []).filter(({ sourceId }) => !seen.has(sourceId));
    return [...before, ...now];
  }

  #open(start: SourceConversation): Handle {
    const saved = this.#savedOf(start.sourceId);
    const { format } = this.#origin;
    const id =
      typeof saved.id === "string"
        ? saved.id
        : (start.id ?? conversationIdOf(format, start.root ?? start.sourceId));
    const remembered = this.#byId.get(id);
    const resumes = this.#resumes && remembered !== undefined;
    const { path } = this.#origin.around;
    const writer = this.#writers.get(id) ?? this.#session.use(id, format, start, path, remembered, resumes);
    this.#writers.set(id, writer);
    if (!resumes) writer.wantAll();
    const handle: Handle = {
      writer,
      sourceId: start.sourceId,
      last: typeof saved.last === "string" ? saved.last : null,
      notes: keptIn(saved.notes),
      noteBytes: 0,
      add: (entry) => this.#add(handle, entry),
      note: (record) => {
        this.#session.report.records++;
        this.#note(handle, keepRecords([record], undefined)[0] as KeptRecord, record.text?.length);
      },
      blob: (base64) => writer.addBlob(base64),
      update: (patch) => writer.update(patch),
      leaf: (entryId, isHidden) => writer.leaf(entryId, isHidden),
    };
    if (isPlainObject(saved.versions)) writer.intake.addVersions(saved.versions);
    for (const kept of this.#early) this.#note(handle, kept);
    this.#early = [];
    return handle;
  }

  #savedOf(sourceId: string): JsonObject {
    const saved = this.#resumes ? this.#memory?.sink[sourceId] : undefined;
    return isJsonObject(saved) ? saved : {};
  }

  #add(handle: Handle, entry: SourceEntry): void {
    this.#session.report.records += entry.records.length;
    const { notes, noteBytes, last } = handle;
    const parent = entry.parent === undefined ? last : entry.parent;
    const bytes = entry.records.reduce((sum, { text }) => sum + (text?.length ?? RECORD_BYTES), noteBytes);
    handle.writer.add({ entry, parent, after: last, notes, origin: this.#origin, bytes });
    if (!isOffPath(entry.kind ?? "message", entry.data)) handle.last = entry.id;
    handle.notes = [];
    handle.noteBytes = 0;
  }

  #note(handle: Handle, kept: KeptRecord, bytes = RECORD_BYTES): void {
    // Nothing is added to a conversation of Colloquy itself.
    if (handle.writer.start.verbatim === true && kept.damaged === undefined) return;
    handle.notes.push(kept);
    handle.noteBytes += bytes;
    if (handle.notes.length >= NOTES_MAX || handle.noteBytes >= NOTE_BYTES_MAX) this.#flushNotes(handle);
  }

  /** Make an entry of notes that no entry followed. */
  #flushNotes(handle: Handle): void {
    if (handle.notes.length === 0) return;
    const id = madeId("notes", handle.writer.id, JSON.stringify(handle.notes));
    this.#add(handle, { id, kind: "info", data: { type: "records" }, records: [] });
  }
}

function keptIn(notes: Json | undefined): KeptRecord[] {
  return Array.isArray(notes) ? (notes as KeptRecord[]) : [];
}

function rememberedOf(
  sourceId: string,
  writer: ConversationWriter,
  version: string | undefined,
): RememberedConversation {
  const { id, info, tree } = writer;
  return {
    ...{ id, sourceId, lastSeq: tree.lastSeq, lastId: tree.lastOnPath, version: version ?? null },
    titleMark: titleMark(id, info?.title ?? null),
  };
}
