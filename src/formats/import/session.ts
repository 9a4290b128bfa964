/** One run of an import: the conversations being written, and their part of the report. */
import type { Ingest } from "../../store/write/ingest.ts";
import type { SourceConversation } from "../contract/reader.ts";
import type { Ledger, RememberedConversation } from "./ledger.ts";
import type { ReportBuilder } from "./report.ts";
import { TextPlaceholders } from "./text-placeholders.ts";
import { ConversationWriter } from "./writer/conversation-writer.ts";
import type { Mode } from "./writer/entry-intake.ts";

/** With more bytes in memory, readers wait for the store. */
const BYTES_WAITING_MAX = 4 * 1024 * 1024;

interface InUse {
  readonly writer: ConversationWriter;
  /** Files that are adding to it. */
  files: number;
  source: string;
}

export class ImportSession {
  readonly ingest: Ingest;
  readonly mode: Mode;
  readonly report: ReportBuilder;
  readonly placeholders: TextPlaceholders;
  readonly #again: boolean;
  readonly #ledger: Ledger;
  /** An error that no caller was waiting for. */
  #failure: { readonly error: unknown } | undefined;
  readonly #writers: Map<string, InUse> = new Map();

  /** `again`: include what was purged or forgotten since the last import. */
  constructor(ingest: Ingest, mode: Mode, report: ReportBuilder, ledger: Ledger, again: boolean) {
    this.#again = again;
    this.#ledger = ledger;
    this.ingest = ingest;
    this.mode = mode;
    this.placeholders = new TextPlaceholders(mode === "write" ? ingest : undefined);
    this.report = report;
  }

  /** The writer of a conversation, which several files may share. Return it with `release`. */
  use(
    id: string,
    format: string,
    start: SourceConversation,
    source: string,
    remembered: RememberedConversation | undefined,
    resumes: boolean,
  ): ConversationWriter {
    let used = this.#writers.get(id);
    if (used === undefined) {
      const writer = new ConversationWriter({
        ingest: this.ingest,
        mode: this.mode,
        id,
        format,
        start,
        resumeAfter: resumes && !this.#again ? remembered?.lastSeq : undefined,
        remembered: this.#again ? undefined : remembered,
        wasImported: !this.#again && this.#ledger.wasImported(id),
        again: this.#again,
        placeholders: this.placeholders,
        unresolved: (reference) => this.report.unresolved(reference),
        missing: ({ entry, origin }) => {
          const [first] = entry.records;
          this.report.missing({
            source: origin.around.path,
            line: first?.line ?? null,
            offset: first?.offset ?? null,
            reason: `entry ${entry.id} is not in the store`,
          });
        },
      });
      used = { writer, files: 0, source };
      this.#writers.set(id, used);
    }
    if (!resumes) used.writer.wantAll();
    used.files++;
    return used.writer;
  }

  /** Write what a file has added so far, and wait while the store falls behind. */
  async applyBackpressure(writers: Iterable<ConversationWriter>): Promise<void> {
    const mine = [...writers];
    for (const writer of mine) {
      writer.drain().catch((error: unknown) => {
        this.#failure ??= { error };
      });
    }
    while (this.#bytesWaiting() > BYTES_WAITING_MAX) {
      await Promise.all(mine.map((writer) => writer.drain().then(() => writer.settle())));
      if (this.#failure !== undefined) break;
      // The bytes belong to another file: let it run.
      if (this.#bytesWaiting() > BYTES_WAITING_MAX) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** A file adds nothing more to it. The last file completes it. */
  async release(writer: ConversationWriter): Promise<void> {
    const used = this.#writers.get(writer.id);
    if (used === undefined) return;
    used.files--;
    await writer.finish();
    // When nothing is written, a later file of the same conversation must find the earlier entries here.
    if (used.files > 0 || this.mode !== "write") return;
    this.#writers.delete(writer.id);
    this.#tell(writer, used.source);
  }

  /** All files have been read. */
  close(): void {
    for (const { writer, source } of this.#writers.values()) this.#tell(writer, source);
    this.#writers.clear();
  }

  #tell(writer: ConversationWriter, source: string): void {
    const { report } = this;
    report.messages += writer.intake.added;
    report.branches += writer.tree.branchesAdded;
    const before = report.imported.get(writer.id);
    const { info, start, format } = writer;
    report.imported.set(writer.id, {
      id: writer.id,
      key: info?.key ?? null,
      source: before?.source ?? source,
      format,
      sourceId: before?.sourceId ?? start.sourceId,
      title: info?.title ?? writer.title ?? null,
      messages: info?.messageCount ?? writer.intake.added,
      branches: writer.tree.branches,
      leaves: writer.tree.leaves,
      added: writer.intake.added + (before?.added ?? 0),
      flags: Object.fromEntries(writer.intake.flags),
    });
  }

  #bytesWaiting(): number {
    let bytes = 0;
    for (const { writer } of this.#writers.values()) bytes += writer.bytes;
    return bytes;
  }
}
