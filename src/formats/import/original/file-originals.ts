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

/** A file may have a million conversations, and few of them go on after they were released. */
const RELEASED_MAX = 1000;

/** How a file is read. */
export interface FileForm {
  readonly form: OriginalForm;
  /** Where reading begins. */
  readonly from: number;
  readonly keepsRows: boolean;
}

/** What is used of the writer of a conversation. */
type Writer = Pick<ConversationWriter, "id" | "start" | "add">;

interface Share {
  readonly writer: Writer;
  readonly originals: ConversationOriginals;
  readonly collectors: Map<OriginalForm, Collector>;
  /** Entries that wait until the bytes that they were made of are in the queue before them. */
  held: QueuedEntry[];
  /** Rows that are kept, so that further entries of theirs keep nothing again. */
  readonly rows: WeakSet<SourceRecord>;
  /** There are enough rows for one announcement. They leave together with all entries that were made of them. */
  isFull: boolean;
}

export class FileOriginals {
  readonly stream: FileStream;
  readonly #form: OriginalForm;
  readonly #options: Omit<ConversationOriginalsOptions, "conversation">;
  readonly #shares: Map<Writer, Share> = new Map();
  /** Of conversations that were released, by their ids: they go on where they were. */
  readonly #released: Map<string, ConversationOriginals> = new Map();
  readonly #keepsRows: boolean;
  /** Where the element begins that is being read. */
  element: number | undefined;

  /**
   * `keepsRows`: records without an offset are not in the file, or not as text. `fallback` has the conversation that
   * keeps what stands before the first one, if that is too much to wait for it.
   */
  constructor(
    { form, from, keepsRows }: FileForm,
    options: Omit<ConversationOriginalsOptions, "conversation">,
    fallback: () => Writer,
  ) {
    this.#form = form;
    this.#keepsRows = keepsRows;
    this.#options = options;
    this.stream = new FileStream(from, () => this.#collector(fallback(), form));
  }

  /** Records of a conversation. Returns where they are. */
  claim(writer: Writer, records: readonly SourceRecord[]): Pick<QueuedEntry, "form" | "at"> {
    this.#passRows(writer, records);
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
  claimBytes(writer: Writer, offset: number, isDamage: boolean): void {
    const keeps = isDamage || writer.start.verbatim !== true;
    this.stream.claim(offset, keeps ? this.#collector(writer, this.#form) : NOBODY);
  }

  /** A text that has no place in the file, or a damaged row. */
  keepRow(writer: Writer, row: Json): void {
    if (this.#keepsRows) this.#collector(writer, "rows").keepRow(row);
  }

  /** A whole file beside this one. */
  keepBeside(writer: Writer, { name, bytes }: Beside): void {
    if (writer.start.verbatim === true) return;
    const file = posix.join(posix.dirname(this.#options.file.replaceAll("\\", "/")), name);
    const collector = new Collector("document", () => {});
    collector.keep([0, bytes.length], bytes, true);
    const queued = collector.take(bytes.length);
    if (queued !== undefined) writer.add({ ...queued, file, originals: this.#shareOf(writer).originals });
  }

  /** A row, or a part of the element. */
  #claimUnplaced(writer: Writer, record: SourceRecord): OriginalForm | undefined {
    if (writer.start.verbatim === true) return undefined;
    if (this.element !== undefined) this.claimBytes(writer, this.element, false);
    if (!this.#keepsRows) return this.#form;
    const { rows } = this.#shareOf(writer);
    const { value, row = value } = record;
    if (!rows.has(record)) this.#collector(writer, "rows").keepRow(row);
    rows.add(record);
    return "rows";
  }

  /** Before other rows than those of the last entry: a call and its result are made of the same one. */
  #passRows(writer: Writer, records: readonly SourceRecord[]): void {
    const share = this.#shares.get(writer);
    if (share?.isFull !== true || records.every((record) => share.rows.has(record))) return;
    this.#flush(share, undefined);
  }

  add(queued: Omit<QueuedEntry, "originals">, writer: Writer): void {
    const share = this.#shareOf(writer);
    share.held.push({ ...queued, originals: share.originals });
    if (writer.start.verbatim === true) this.#flush(share, undefined);
  }

  /** Nothing more comes for now. `size`: the file was read to its end. */
  flush(writer: Writer, size: number | undefined): void {
    const share = this.#shares.get(writer);
    if (share === undefined) return;
    // Perhaps nothing was added but that the file has ended.
    if (size !== undefined && share.originals.continues(this.#form)) this.#collector(writer, this.#form);
    this.#flush(share, size);
  }

  resume(writer: Writer, saved: Json | undefined, isContinued: boolean): void {
    this.#shareOf(writer).originals.resume(saved, isContinued);
  }

  save(writer: Writer): JsonObject | undefined {
    return this.#shareOf(writer).originals.save();
  }

  /** The conversation is completed, and may be added to again, by another writer. */
  release(writer: Writer): void {
    const share = this.#shares.get(writer);
    if (share === undefined) return;
    this.#shares.delete(writer);
    this.#released.set(writer.id, share.originals);
    const [oldest] = this.#released.keys();
    if (this.#released.size > RELEASED_MAX && oldest !== undefined) this.#released.delete(oldest);
  }

  /** `end`: only these bytes of the file are kept so far, and entries that were made of others have to wait. */
  #flush(share: Share, size: number | undefined, end: number = Number.POSITIVE_INFINITY): void {
    const { writer, originals, collectors } = share;
    share.isFull = false;
    const { held } = share;
    const first = held.findIndex(({ at }) => at.some(([start, bytes]) => start + bytes > end));
    const waiting = first === -1 ? [] : held.splice(first);
    for (const collector of collectors.values()) {
      const isOfFile = collector.form === this.#form;
      const queued = collector.take(isOfFile ? size : undefined);
      if (queued !== undefined) writer.add({ ...queued, originals, waiting: [...waiting] });
    }
    share.held = waiting;
    for (const entry of held) writer.add(entry);
  }

  #shareOf(writer: Writer): Share {
    const known = this.#shares.get(writer);
    if (known !== undefined) return known;
    const released = this.#released.get(writer.id);
    this.#released.delete(writer.id);
    const originals = released ?? new ConversationOriginals({ ...this.#options, conversation: writer.id });
    const share: Share = {
      ...{ writer, originals, collectors: new Map(), held: [] },
      ...{ rows: new WeakSet(), isFull: false },
    };
    this.#shares.set(writer, share);
    return share;
  }

  #collector(writer: Writer, form: OriginalForm): Collector {
    const share = this.#shareOf(writer);
    const known = share.collectors.get(form);
    if (known !== undefined) return known;
    const collector = new Collector(form, (end) => {
      if (form === "rows") share.isFull = true;
      else this.#flush(share, undefined, end);
    });
    share.collectors.set(form, collector);
    return collector;
  }
}

/** Neighbours become one. */
function addStretch(at: Stretch[], [start, bytes]: Stretch): void {
  const last = at.at(-1);
  if (last !== undefined && last[0] === start) return;
  if (last !== undefined && last[0] + last[1] === start) at[at.length - 1] = [last[0], last[1] + bytes];
  else at.push([start, bytes]);
}
