/** Sends the bytes of one file to the conversations that they belong to, and entries after their bytes. */
import { posix } from "node:path";
import type { OriginalForm, Stretch } from "../../../store/originals/announcement.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import type { Beside } from "../side-files.ts";
import type { ConversationWriter } from "../writer/conversation-writer.ts";
import type { QueuedEntry } from "../writer/entry-intake.ts";
import { Collector } from "./collector.ts";
import { ConversationOriginals, type ConversationOriginalsOptions } from "./conversation-originals.ts";
import { FileStream, type Keeper } from "./file-stream.ts";

/** Its bytes are not kept: a conversation of Colloquy itself is written as it is. */
const NOBODY: Keeper = { keep() {} };

/** How a file is read. */
export interface FileForm {
  readonly form: OriginalForm;
  /** Where reading begins. */
  readonly from: number;
  readonly keepsRows: boolean;
}

interface Share {
  readonly writer: ConversationWriter;
  readonly originals: ConversationOriginals;
  readonly collectors: Map<OriginalForm, Collector>;
  /** Entries that wait until the bytes that they were made of are in the queue before them. */
  held: QueuedEntry[];
}

export class FileOriginals {
  readonly stream: FileStream;
  readonly #form: OriginalForm;
  readonly #options: Omit<ConversationOriginalsOptions, "conversation">;
  readonly #shares: Map<ConversationWriter, Share> = new Map();

  readonly #keepsRows: boolean;
  /** Where the element begins that is being read. */
  element: number | undefined;

  /** `keepsRows`: records without an offset are not in the file, or not as text. */
  constructor(
    { form, from, keepsRows }: FileForm,
    options: Omit<ConversationOriginalsOptions, "conversation">,
  ) {
    this.#form = form;
    this.#keepsRows = keepsRows;
    this.#options = options;
    this.stream = new FileStream(from);
  }

  /** Records of a conversation. Returns where they are. */
  claim(writer: ConversationWriter, records: readonly SourceRecord[]): Pick<QueuedEntry, "form" | "at"> {
    const at: Stretch[] = [];
    let form: OriginalForm | undefined;
    for (const record of records) {
      if (record.offset === null) form = this.#claimUnplaced(writer, record) ?? form;
      else {
        form = this.#form;
        const bytes = record.bytes ?? this.stream.lengthAt(record.offset);
        if (this.#form === "lines" && bytes !== undefined) addStretch(at, [record.offset, bytes]);
        this.claimBytes(writer, record.offset, false);
      }
    }
    return { form, at };
  }

  /** `isDamage`: it is kept in any case. */
  claimBytes(writer: ConversationWriter, offset: number, isDamage: boolean): void {
    const keeps = isDamage || writer.start.verbatim !== true;
    this.stream.claim(offset, keeps ? this.#collector(writer, this.#form) : NOBODY);
  }

  /** A text that has no place in the file, or a damaged row. */
  keepRow(writer: ConversationWriter, row: Json): void {
    if (this.#keepsRows) this.#collector(writer, "rows").keepRow(row);
  }

  /** A whole file beside this one. */
  keepBeside(writer: ConversationWriter, { name, bytes }: Beside): void {
    if (writer.start.verbatim === true) return;
    const file = posix.join(posix.dirname(this.#options.file.replaceAll("\\", "/")), name);
    const collector = new Collector("document", () => {});
    collector.keep([0, bytes.length], bytes, true);
    const queued = collector.take(bytes.length);
    if (queued !== undefined) writer.add({ ...queued, file, originals: this.#shareOf(writer).originals });
  }

  /** A row, or a part of the element. */
  #claimUnplaced(writer: ConversationWriter, { value, row = value }: SourceRecord): OriginalForm | undefined {
    if (writer.start.verbatim === true) return undefined;
    if (this.element !== undefined) this.claimBytes(writer, this.element, false);
    if (this.#keepsRows) this.#collector(writer, "rows").keepRow(row);
    return this.#keepsRows ? "rows" : this.#form;
  }

  add(queued: Omit<QueuedEntry, "originals">, writer: ConversationWriter): void {
    const share = this.#shareOf(writer);
    share.held.push({ ...queued, originals: share.originals });
    if (writer.start.verbatim === true) this.#flush(share, undefined);
  }

  /** Nothing more comes for now. `size`: the file was read to its end. */
  flush(writer: ConversationWriter, size: number | undefined): void {
    const share = this.#shares.get(writer);
    if (share !== undefined) this.#flush(share, size);
  }

  resume(writer: ConversationWriter, saved: Json | undefined): void {
    this.#shareOf(writer).originals.resume(saved);
  }

  save(writer: ConversationWriter): JsonObject | undefined {
    return this.#shareOf(writer).originals.save();
  }

  forget(writer: ConversationWriter): void {
    this.#shares.delete(writer);
  }

  #flush(share: Share, size: number | undefined): void {
    const { writer, originals, collectors } = share;
    for (const collector of collectors.values()) {
      const isOfFile = collector.form === this.#form;
      const queued = collector.take(isOfFile ? size : undefined);
      if (queued !== undefined) writer.add({ ...queued, originals });
    }
    const { held } = share;
    share.held = [];
    for (const entry of held) writer.add(entry);
  }

  #shareOf(writer: ConversationWriter): Share {
    const known = this.#shares.get(writer);
    if (known !== undefined) return known;
    const originals = new ConversationOriginals({ ...this.#options, conversation: writer.id });
    const share = { writer, originals, collectors: new Map(), held: [] };
    this.#shares.set(writer, share);
    return share;
  }

  #collector(writer: ConversationWriter, form: OriginalForm): Collector {
    const share = this.#shareOf(writer);
    const known = share.collectors.get(form) ?? new Collector(form, () => this.#flush(share, undefined));
    share.collectors.set(form, known);
    return known;
  }
}

/** Neighbours become one. */
function addStretch(at: Stretch[], [start, bytes]: Stretch): void {
  const last = at.at(-1);
  if (last !== undefined && last[0] === start) return;
  if (last !== undefined && last[0] + last[1] === start) at[at.length - 1] = [last[0], last[1] + bytes];
  else at.push([start, bytes]);
}
