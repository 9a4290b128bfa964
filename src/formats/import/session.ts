/** One run of an import: the conversations being written, and their part of the report. */
import { existsSync } from "node:fs";
import type { Ingest } from "../../store/write/ingest.ts";
import type { SourceConversation } from "../contract/reader.ts";
import { FoundBefore } from "./forks/found-before.ts";
import type { LeftConversation, RememberedConversation } from "./ledger/conversations.ts";
import { fileName } from "./original/file-name.ts";
import type { ReportBuilder } from "./report.ts";
import { TextPlaceholders } from "./text-placeholders.ts";
import { keyOf } from "./writer/conversation-start.ts";
import { ConversationWriter } from "./writer/conversation-writer.ts";
import type { Mode } from "./writer/entry-intake.ts";
import { Previews } from "./writer/previews.ts";
import { isCopyOf, type Naming } from "./writer/session-key.ts";

/** With more bytes in memory, readers wait for the store. */
const BYTES_WAITING_MAX = 3 * 1024 * 1024;
/** Fewer bytes of a conversation wait for more, because every transaction costs a sync and rewrites pages. */
const BYTES_WORTH_WRITING = 1024 * 1024;

/** What is known of an earlier import of the same file. */
interface EarlierImport {
  readonly remembered: RememberedConversation | undefined;
  /** This one continues where it ended. */
  readonly resumes: boolean;
  /** It was killed. */
  readonly isUnfinished: boolean;
  /** The conversation, as imports of all its files left it. */
  readonly left: () => readonly LeftConversation[];
}

/** The file that a writer writes for. */
interface FileOfWriter extends EarlierImport {
  readonly path: string;
  readonly modifiedMs: number;
  /** Resolves when its entries may be written. */
  readonly mayWrite: Promise<void>;
}

interface InUse {
  readonly source: string;
  readonly sourceId: string;
  /** Resolves when the writer writes nothing more. */
  readonly ended: Promise<void>;
  readonly end: () => void;
  /** How it named the conversation, when it has ended. */
  naming: Naming | undefined;
}

export class ImportSession {
  readonly ingest: Ingest;
  readonly mode: Mode;
  readonly report: ReportBuilder;
  readonly placeholders: TextPlaceholders;
  /** Forks that were read, and whether each stays a conversation of its own. */
  readonly isApart: Map<string, boolean> = new Map();
  readonly findings: FoundBefore = new FoundBefore();
  /** Include what was purged or forgotten since the last import. */
  readonly again: boolean;
  readonly #writers: Map<ConversationWriter, InUse> = new Map();
  readonly #previews: Previews = new Previews();
  /** The last writer of each conversation that is being written. */
  readonly #last: Map<string, ConversationWriter> = new Map();

  constructor(ingest: Ingest, mode: Mode, report: ReportBuilder, again: boolean) {
    this.again = again;
    this.ingest = ingest;
    this.mode = mode;
    this.placeholders = new TextPlaceholders(mode === "write" ? ingest : undefined);
    this.report = report;
  }

  /**
   * A writer of a conversation, for one file. It begins when the writer of the file before has ended, so that
   * the files of a conversation are written one after another, in the order in which they were read.
   * End it with `release` or `drop`.
   */
  use(
    id: string,
    format: string,
    start: SourceConversation,
    { path, modifiedMs, mayWrite, remembered, resumes, isUnfinished, left }: FileOfWriter,
  ): ConversationWriter {
    const last = this.#last.get(id);
    // Not the writer itself: each would keep the one before it in memory, with all that it knows.
    const before = last === undefined ? undefined : this.#writers.get(last);
    const writer = new ConversationWriter({
      ingest: this.ingest,
      mode: this.mode,
      id,
      format,
      start: this.#namedBy(last, id, start),
      after: before?.ended ?? Promise.resolve(),
      mayWrite,
      resumeAfter: resumes && !this.again ? remembered?.lastSeq : undefined,
      remembered: this.again ? undefined : remembered,
      isUnfinished,
      // The ledger may not have been told of the file before.
      others: () => (before?.naming === undefined ? left() : [before.naming, ...left()]),
      hiddenFiles: () => hiddenFiles(left()),
      earlier: () => this.#previews.get(id),
      again: this.again,
      placeholders: this.placeholders,
      modifiedMs,
      // A conversation that was imported before may lose its session key to a newer one.
      replaced: (other) => this.report.imported.rename(other.id, other.key),
      unresolved: (reference) => this.report.unresolved(path, reference),
      missing: ({ entry, origin, place }) => {
        this.report.missing({
          source: origin.around.path,
          line: place?.line ?? null,
          offset: place?.offset ?? null,
          reason: `entry ${entry.id} is not in the store`,
        });
      },
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#writers.set(writer, { source: path, sourceId: start.sourceId, ended, end, naming: undefined });
    this.#last.set(id, writer);
    return writer;
  }

  /** Where nothing is written, the session names the conversation, and not a fork that was read before it. */
  #namedBy(last: ConversationWriter | undefined, id: string, start: SourceConversation): SourceConversation {
    const earlier = this.mode === "write" ? undefined : (last?.start ?? this.#previews.get(id)?.start);
    if (earlier === undefined) return start;
    const { isHidden } = start;
    if (!isCopyOf(earlier, start)) return { ...earlier, isHidden };
    return { ...earlier, isCopy: undefined, ...start, isHidden };
  }

  /** What a file says of a conversation. Where nothing is written, one of its files names it. */
  update(
    writer: ConversationWriter,
    { sourceId }: SourceConversation,
    patch: Partial<SourceConversation>,
  ): void {
    if (this.mode === "write" || writer.start.sourceId === sourceId) writer.update(patch);
  }

  /** Prepare what a file has added so far, which may not be written yet. Where nothing is written, it would count. */
  prepare(writers: Iterable<ConversationWriter>): void {
    if (this.mode !== "write") return;
    drainWorthy(writers);
  }

  /** Write what a file has added so far, and wait while the store falls behind. */
  async applyBackpressure(writers: Iterable<ConversationWriter>): Promise<void> {
    const mine = [...writers];
    const isFull = this.#bytesWaiting() > BYTES_WAITING_MAX;
    if (isFull) for (const writer of mine) drain(writer);
    else drainWorthy(mine);
    if (isFull) await this.#waitForRoom(mine);
    for (const { failure } of mine) if (failure !== undefined) throw failure.error;
  }

  /** Only until there is room, so that reading and writing take place side by side. */
  async #waitForRoom(mine: readonly ConversationWriter[]): Promise<void> {
    while (this.#bytesWaiting() > BYTES_WAITING_MAX) {
      if (mine.some(({ failure }) => failure !== undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Its file adds nothing more to it: complete it. */
  async release(writer: ConversationWriter): Promise<void> {
    if (!this.#writers.has(writer)) return;
    try {
      await writer.finish();
    } catch (error) {
      await this.drop(writer);
      throw error;
    }
    this.#end(writer);
  }

  /** Its file cannot be read or written: add nothing more, and leave the conversation as it is. */
  async drop(writer: ConversationWriter): Promise<void> {
    await writer.drop();
    this.placeholders.suspectAll();
    this.#end(writer);
  }

  /** All files have been read. */
  async close(): Promise<void> {
    for (const writer of [...this.#writers.keys()]) this.#end(writer);
    this.#previews.close();
    await this.placeholders.dropUnused();
  }

  #end(writer: ConversationWriter): void {
    const used = this.#writers.get(writer);
    if (used === undefined) return;
    this.#writers.delete(writer);
    if (this.#last.get(writer.id) === writer) this.#last.delete(writer.id);
    const isKept = !writer.isDropped || writer.tree.messagesAdded > 0;
    if (isKept) this.#tell(writer, used);
    if (isKept && this.mode !== "write") this.#previews.put(writer.id, writer.preview);
    used.naming = writer.naming;
    used.end();
  }

  #tell(writer: ConversationWriter, { source, sourceId }: InUse): void {
    const { report } = this;
    const { messagesAdded, branchesAdded, branches, leaves } = writer.tree;
    report.messages += messagesAdded;
    report.branches += branchesAdded;
    const { info, start, format } = writer;
    // Where nothing is written, the key that the conversation would get.
    const wanted = (): string | null =>
      this.#keyIn(keyOf(format, start)) ?? this.#keyIn(keyOf(format, { ...start, key: undefined }));
    const key = info === undefined && this.mode !== "write" ? wanted() : (info?.key ?? null);
    report.imported.add({
      id: writer.id,
      key,
      source,
      format,
      sourceId,
      title: info?.title ?? writer.title,
      messages: info?.messageCount ?? writer.tree.messagesFound,
      branches,
      leaves,
      added: messagesAdded,
      flags: Object.fromEntries(writer.intake.flags),
    });
  }

  /** The store writes some keys in another way. */
  #keyIn(key: string | null): string | null {
    return key === null ? null : this.ingest.adoptKey(key);
  }

  #bytesWaiting(): number {
    let bytes = 0;
    for (const writer of this.#writers.keys()) bytes += writer.bytes;
    return bytes;
  }
}

function drainWorthy(writers: Iterable<ConversationWriter>): void {
  for (const writer of writers) if (writer.queuedBytes >= BYTES_WORTH_WRITING) drain(writer);
}

/** The writer keeps the failure, which is thrown when there is no room, or when it is released. */
function drain(writer: ConversationWriter): void {
  if (writer.isWaiting) writer.drain().catch(() => {});
}

/** The names of files that their tool hides, where they are now. */
function hiddenFiles(left: readonly LeftConversation[]): string[] {
  const hidden = left.filter(({ isHidden, path }) => isHidden === true && existsSync(path));
  return hidden.map(({ path }) => fileName(path));
}
