/** The sink for the reader of one file: passes entries to the writers of their conversations. */
import { isOffPath } from "../../tree/control.ts";
import { isJsonObject, type Json, type JsonObject } from "../../util/json.ts";
import { conversationIdOf, madeId } from "../contract/ids.ts";
import type {
  ConversationSink,
  Sink,
  SourceConversation,
  SourceEntry,
  SourceRecord,
} from "../contract/reader.ts";
import { isRecent } from "./begun.ts";
import type { LeftConversation, RememberedConversation } from "./ledger/conversations.ts";
import { FileNotes } from "./ledger/file-notes.ts";
import type { FileMemory, Ledger } from "./ledger/ledger.ts";
import { type FileForm, FileOriginals } from "./original/file-originals.ts";
import type { Skipped } from "./report.ts";
import type { ImportSession } from "./session.ts";
import type { Described } from "./side-files.ts";
import type { ConversationWriter } from "./writer/conversation-writer.ts";
import type { Origin } from "./writer/stored-entry.ts";

/** The assumed size of a record that is not in a file of lines, and of each further entry made of one. */
const RECORD_BYTES = 1000;
/** An answer that its tool has not touched for so long will not be completed. A tool call may take minutes. */
const COMPLETED_MS = 10 * 60_000;
/** Damage before the first conversation does not wait for it without limit. */
const EARLY_MAX = 10_000;
const SKIPPED_KEPT_MAX = 100;
const HANDLES_MAX = 64;
const HANDLES_KEPT = 16;
/** So many times that number may be on their way to the store. */
const RELEASING_MAX = 3;

/** One conversation that one file adds to. */
interface Handle extends ConversationSink {
  /** Another one after `trim`, if the reader adds to the conversation again. */
  writer: ConversationWriter;
  isReleased: boolean;
  readonly start: SourceConversation;
  readonly sourceId: string;
  last: string | null;
}

export class FileSink implements Sink {
  readonly #session: ImportSession;
  readonly #origin: Origin;
  /** The state of the last import, if this one continues it. */
  readonly #memory: FileMemory | undefined;
  readonly #resumes: boolean;
  /** How far an earlier import came in conversations that this one has not met yet, if it continues that. */
  readonly #saved: Map<string, Json | undefined>;
  readonly #isUnfinished: boolean;
  readonly #mayWrite: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  readonly #handles: Map<string, Handle> = new Map();
  /** By the id of the conversation. Forks in one file may belong to one conversation, and share its writer. */
  readonly #writers: Map<string, ConversationWriter> = new Map();
  readonly skipped: Skipped[];
  readonly #described: Described;
  /** Conversations that are being completed. */
  readonly #releasing: Set<Promise<void>> = new Set();
  readonly #released: ConversationWriter[] = [];
  readonly notes: FileNotes;
  /** The end of a conversation was left out, because its tool is writing it. */
  isWaiting = false;
  #hadTrashed = false;
  #hadPurged = false;
  /** The conversation that the reader named last, and the one that was added to last. */
  #current: Handle | undefined;
  #used: Handle | undefined;
  /** The offset of the record that was counted last. */
  #counted: number | null = null;
  /** Damage before the first conversation, which keeps it. */
  #early: Omit<SourceRecord, "value">[] = [];
  readonly originals: FileOriginals;
  readonly #ledger: Ledger;
  readonly #awaited: ReadonlySet<string>;
  /** Ids that other files wait for. */
  readonly offered: Set<string> = new Set();

  constructor(
    session: ImportSession,
    origin: Origin,
    described: Described,
    memory: FileMemory | undefined,
    {
      resumes,
      isUnfinished,
      ledger,
      ...form
    }: FileForm & {
      readonly resumes: boolean;
      readonly isUnfinished: boolean;
      readonly ledger: Ledger;
    },
  ) {
    this.#ledger = ledger;
    this.notes = new FileNotes(ledger, origin.around.path);
    this.#awaited = ledger.awaiting.ids;
    this.#described = described;
    this.#session = session;
    this.#origin = origin;
    this.#memory = memory;
    this.#resumes = resumes;
    this.#saved = new Map(resumes ? Object.entries(memory?.sink ?? {}) : []);
    this.#isUnfinished = isUnfinished;
    this.skipped = resumes ? [...(memory?.skipped ?? [])] : [];
    const options = {
      ingest: session.ingest,
      file: origin.file,
      verify: session.mode === "verify",
      missing: (offset: number | null, reason: string) =>
        session.report.missing({ source: origin.around.path, line: null, offset, reason }),
    };
    this.originals = new FileOriginals(form, options, () => this.#writerOf(this.#openFallback()));
  }

  get writers(): ConversationWriter[] {
    return [...this.#writers.values()];
  }

  /** A conversation of the file is in the trash. */
  get hasTrashed(): boolean {
    return this.#hadTrashed || this.writers.some(({ isTrashed }) => isTrashed);
  }

  get hasPurged(): boolean {
    return this.#hadPurged || this.writers.some(({ isPurged }) => isPurged);
  }

  /** Until then, entries are only prepared. */
  letWrite(): void {
    this.#mayWrite.resolve();
  }

  conversation(start: SourceConversation): ConversationSink {
    return this.#handleOf(start);
  }

  #handleOf(start: SourceConversation): Handle {
    const handle = this.#handles.get(start.sourceId) ?? this.#open(this.#described.describe(start));
    this.#use(handle);
    this.#current = handle;
    return handle;
  }

  /** Moved to the end, so that the most recently used is released last. */
  #use(handle: Handle): void {
    if (handle === this.#used) return;
    this.#handles.delete(handle.sourceId);
    this.#handles.set(handle.sourceId, handle);
    this.#used = handle;
  }

  isCurrent(sourceId: string, version: string): boolean {
    const isVerified = this.#session.mode === "verify" || this.#memory === undefined;
    if (!isVerified && this.notes.isCurrent(sourceId, version)) return true;
    if (this.#session.mode === "write") this.notes.begin(sourceId, version);
    return false;
  }

  waitsFor(sourceId: string, touchedMs: readonly number[]): boolean {
    const waits = touchedMs.some((atMs) => isRecent(atMs, COMPLETED_MS));
    if (waits) {
      this.isWaiting = true;
      this.notes.leaveOpen(sourceId);
    }
    return waits;
  }

  skip(record: Omit<SourceRecord, "value">, reason: string): void {
    this.tell(record, reason);
    this.notes.leaveLastOpen();
    if (this.#current === undefined) {
      this.#early.push(record);
      if (record.offset !== null) this.originals.stream.free(record.offset);
      if (this.#early.length >= EARLY_MAX) this.#openFallback();
    } else this.#keepDamage(this.#writerOf(this.#current), record);
  }

  /** Report it without keeping it. */
  tell({ line, offset }: Pick<SourceRecord, "line" | "offset">, reason: string): void {
    const skipped = { source: this.#origin.around.path, line, offset, reason };
    this.#session.report.skip(skipped);
    if (this.skipped.length < SKIPPED_KEPT_MAX) this.skipped.push(skipped);
  }

  /** With the conversation that was read last. */
  #keepDamage(writer: ConversationWriter, { offset, text, row = text }: Omit<SourceRecord, "value">): void {
    if (offset !== null) this.originals.claimBytes(writer, offset, true);
    else if (row !== undefined) this.originals.keepRow(writer, row);
  }

  offer(id: string): void {
    if (this.#awaited.size > 0 && this.#awaited.has(id)) this.offered.add(id);
  }

  unknown(type: string): void {
    this.#session.report.unknown(this.#path, `${this.#origin.format}/${type}`);
  }

  unresolved(reference: string): void {
    this.#session.report.unresolved(this.#path, reference);
  }

  /** Release the least recently used conversations of a file that has many. Some may still be written afterwards. */
  async trim(): Promise<void> {
    if (this.#handles.size <= HANDLES_MAX) return;
    this.letWrite();
    const handles = [...this.#handles.values()];
    const kept = new Set(handles.slice(-HANDLES_KEPT).map(({ writer }) => writer));
    const idle = handles.filter(({ writer }) => !kept.has(writer));
    for (const handle of idle) {
      const { sourceId, writer } = handle;
      this.originals.flush(writer, undefined);
      handle.isReleased = true;
      this.#handles.delete(sourceId);
      this.#writers.delete(writer.id);
      this.originals.release(writer);
    }
    const releasing = this.#releaseIdle(idle);
    this.#releasing.add(releasing);
    // It stays in the set if it fails, so that the next call throws.
    releasing.then(
      () => this.#releasing.delete(releasing),
      () => {},
    );
    if (this.#releasing.size >= RELEASING_MAX) await Promise.race(this.#releasing);
  }

  async #releaseIdle(idle: readonly Handle[]): Promise<void> {
    const writers = new Map(idle.map(({ sourceId, writer }) => [sourceId, writer]));
    this.#released.push(...writers.values());
    await this.#release(new Set(writers.values()));
    this.#note(writers);
    for (const writer of writers.values()) {
      this.#hadTrashed ||= writer.isTrashed;
      this.#hadPurged ||= writer.isPurged;
      this.#released.splice(this.#released.indexOf(writer), 1);
    }
  }

  /** What was read so far is complete. */
  flush(): void {
    for (const writer of this.#writers.values()) this.originals.flush(writer, undefined);
  }

  /** Write everything. Bytes that no conversation has claimed are only kept if `final`: a reader may hold them. */
  async finish(final: boolean, size: number | undefined): Promise<void> {
    if (final && this.#early.length > 0) this.#openFallback();
    this.letWrite();
    if (final) this.originals.stream.releaseAll(this.#resumes);
    else this.originals.stream.release();
    for (const writer of this.writers) this.originals.flush(writer, size);
    this.#keepBeside();
    await this.#release(this.writers);
    await Promise.all(this.#releasing);
  }

  /** Side files go with the conversation that the file begins with. They may have changed, so they are not verified. */
  #keepBeside(): void {
    const [writer] = this.writers;
    if (writer === undefined || this.#session.mode !== "write") return;
    for (const beside of this.#described.beside) this.originals.keepBeside(writer, beside);
  }

  /** Write nothing more: the file cannot be read or written. */
  async drop(): Promise<void> {
    const all = [...this.writers, ...this.#released];
    const dropped = all.map((writer) => this.#session.drop(writer));
    // None of them writes any more, and some may wait for this.
    this.letWrite();
    await Promise.all(dropped);
  }

  /** All of them, even when one fails. */
  async #release(writers: Iterable<ConversationWriter>): Promise<void> {
    const ends = await Promise.allSettled([...writers].map((writer) => this.#session.release(writer)));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** The conversation that keeps damage when none was added to: the last of this file, or one for the file itself. */
  #openFallback(): Handle {
    const known = this.#memory && this.#ledger.conversations.last(this.#path);
    return this.#handleOf({ sourceId: known?.sourceId ?? madeId("damaged", this.#path) });
  }

  /** For the ledger: how far each conversation of this file was read. */
  save(): JsonObject {
    const open = [...this.#handles.values()].map(({ sourceId, writer, last }): [string, Json] => [
      sourceId,
      {
        id: writer.id,
        last,
        originals: this.originals.save(writer) ?? null,
        ...writer.intake.save(),
      },
    ]);
    return Object.fromEntries([...this.#saved, ...open]);
  }

  /** Whether a later import can continue where this one ends. */
  get canContinue(): boolean {
    const isKnown = (writer: ConversationWriter): boolean => this.originals.save(writer) !== undefined;
    // A later import does not know whose they are, unless there is one conversation.
    const isTangled = this.#writers.size > 1 && this.originals.stream.holdsClaimed;
    return this.#early.length === 0 && !isTangled && this.writers.every(isKnown);
  }

  /** What the ledger was not told of yet. The file is done. */
  takeNotes(): readonly RememberedConversation[] {
    this.#note(new Map([...this.#handles.values()].map(({ sourceId, writer }) => [sourceId, writer])));
    return this.notes.take();
  }

  #note(writers: ReadonlyMap<string, ConversationWriter>): void {
    if (this.#session.mode === "write") this.notes.add(writers);
  }

  get #path(): string {
    return this.#origin.around.path;
  }

  #open(start: SourceConversation, saved: JsonObject = this.#takeSaved(start.sourceId)): Handle {
    const { format } = this.#origin;
    const id =
      typeof saved.id === "string"
        ? saved.id
        : (start.id ?? conversationIdOf(format, start.root ?? start.sourceId));
    const remembered = this.#memory && this.#ledger.conversations.byId(this.#path, id);
    const resumes = this.#resumes && remembered !== undefined;
    const { path, modifiedMs } = this.#origin.around;
    const left = (): LeftConversation[] => this.#ledger.conversations.of(id);
    const before = { remembered, resumes, isUnfinished: this.#isUnfinished, left };
    const file = { path, modifiedMs, mayWrite: this.#mayWrite.promise, ...before };
    const writer = this.#writers.get(id) ?? this.#session.use(id, format, start, file);
    this.#writers.set(id, writer);
    if (!resumes) writer.wantAll();
    const handle: Handle = {
      writer,
      isReleased: false,
      start,
      sourceId: start.sourceId,
      last: typeof saved.last === "string" ? saved.last : null,
      add: (entry) => this.#add(handle, entry),
      note: (record) => {
        this.#session.report.count(this.#path, "records");
        this.originals.claim(this.#writerOf(handle), [record]);
      },
      blob: (base64) => this.#writerOf(handle).addBlob(base64),
      update: (patch) => this.#session.update(this.#writerOf(handle), start, patch),
      leaf: (entryId) => this.#writerOf(handle).leaf(entryId),
    };
    writer.intake.resume(saved);
    this.originals.resume(writer, saved.originals, resumes);
    for (const record of this.#early.splice(0)) this.#keepDamage(writer, record);
    return handle;
  }

  #writerOf(handle: Handle): ConversationWriter {
    if (handle.isReleased) {
      const { writer } =
        this.#handles.get(handle.sourceId) ?? this.#open(handle.start, { id: handle.writer.id });
      handle.writer = writer;
      handle.isReleased = false;
      this.#used = undefined;
    }
    this.#use(handle);
    return handle.writer;
  }

  /** A document is one record of many entries. */
  #sizeOf({ offset, bytes = RECORD_BYTES }: SourceRecord): number {
    if (offset !== null && offset === this.#counted) return RECORD_BYTES;
    this.#counted = offset;
    return bytes;
  }

  #takeSaved(sourceId: string): JsonObject {
    const saved = this.#saved.get(sourceId);
    this.#saved.delete(sourceId);
    return isJsonObject(saved) ? saved : {};
  }

  #add(handle: Handle, { records, ...entry }: SourceEntry): void {
    this.#session.report.count(this.#path, "records", records.length);
    const writer = this.#writerOf(handle);
    const { last } = handle;
    const parent = entry.parent === undefined ? last : entry.parent;
    const bytes = records.reduce((sum, record) => sum + this.#sizeOf(record), 0);
    const claimed = this.originals.claim(writer, records);
    const [first] = records;
    const place = first && { line: first.line, offset: first.offset };
    this.originals.add(
      { entry, parent, after: last, place, origin: this.#origin, bytes, ...claimed },
      writer,
    );
    if (!isOffPath(entry.kind ?? "message", entry.data)) handle.last = entry.id;
  }
}
