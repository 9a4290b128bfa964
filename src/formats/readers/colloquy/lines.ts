import { lineTimeIn, readFlatLine, resultsId } from "../../../message/apis/flat-line.ts";
import { FlatTools } from "../../../message/apis/flat-tools.ts";
import type { Block } from "../../../message/types.ts";
import { checkSum } from "../../../transcript/lines.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { isoTime } from "../../../util/time.ts";
import { filledIn, objectIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type {
  ConversationSink,
  RecordReader,
  Sink,
  SourceRecord,
  Surroundings,
} from "../../contract/reader.ts";
import { stemOf } from "../shared/file-name.ts";
import { statedIn } from "../shared/stated.ts";
import { BranchNames } from "./branch-names.ts";
import { addColloquyEntry, ownId } from "./entry.ts";
import { OddParents } from "./odd-parents.ts";

const HELD_CHARS_MAX = 32 * 1024 * 1024;

/** Lines of version 2, also mixed with legacy ones, which have no ids. */
export class ColloquyLinesReader implements RecordReader {
  readonly #sink: Sink;
  readonly #around: Surroundings;
  readonly #tools = new FlatTools();
  #header: SourceRecord | undefined;
  #conversation: ConversationSink | undefined;
  #sourceId = "";
  #position = 0;
  #sums = false;
  readonly #names = new BranchNames();
  readonly #odd = new OddParents();
  readonly #held: { readonly entry: JsonObject; readonly record: SourceRecord | undefined }[] = [];
  /** By the id of an answer, the message with the results that were beside it: the next one follows that. */
  readonly #answered = new Map<string, string>();
  #heldChars = 0;

  constructor(sink: Sink, around: Surroundings) {
    this.#sink = sink;
    this.#around = around;
  }

  record(record: SourceRecord): void {
    const line = objectIn(record.value);
    if (line === undefined) {
      this.#sink.skip(record, "not an object");
      return;
    }
    if (line._type === "metadata") {
      this.#metadata(line, record);
      return;
    }
    const damage = this.#damageOf(record);
    if (damage !== undefined) {
      this.#sink.skip(record, damage);
      return;
    }
    this.#entry(line, record, this.#open(line));
  }

  end(): void {
    if (this.#header !== undefined) this.#open({});
    this.#addHeld();
    const tree = this.#names.tree();
    if (tree !== undefined) this.#conversation?.update({ tree });
  }

  /** The tree may be as long as the file: it is counted again. */
  state(): Json | undefined {
    return undefined;
  }

  #metadata(line: JsonObject, record: SourceRecord): void {
    if (this.#conversation !== undefined) {
      this.#conversation.note(record);
      return;
    }
    this.#header = record;
    this.#sums = line.sum === "crc32";
    if (filledIn(line.id) !== undefined) this.#open({});
  }

  /** Where the first line announces checksums, a line without one is bad. */
  #damageOf({ text }: SourceRecord): string | undefined {
    if (!this.#sums || text === undefined) return undefined;
    const sum = checkSum(Buffer.from(text.trimEnd()));
    if (sum === "right") return undefined;
    return sum === "none" ? "no checksum" : "checksum does not match";
  }

  #open(first: JsonObject): ConversationSink {
    if (this.#conversation !== undefined) return this.#conversation;
    const header = objectIn(this.#header?.value) ?? {};
    const { role = null, content = null, timestamp = null } = first;
    const print = madeId(JSON.stringify([role, content, timestamp])).slice(0, 12);
    this.#sourceId = filledIn(header.id) ?? `${stemOf(this.#around.path)}-${print}`;
    this.#conversation = this.#sink.conversation({
      sourceId: this.#sourceId,
      id: ownId(this.#sourceId),
      ...statedIn(header),
      ...(this.#sums ? { verbatim: true } : {}),
    });
    if (this.#header !== undefined) this.#conversation.note(this.#header);
    this.#header = undefined;
    return this.#conversation;
  }

  #entry(line: JsonObject, record: SourceRecord, conversation: ConversationSink): void {
    const kind = textIn(line._type) ?? "message";
    const id = filledIn(line.id) ?? madeId(this.#sourceId, this.#position);
    this.#position++;
    const ms = lineTimeIn(line);
    const at = ms === undefined ? undefined : isoTime(ms);
    this.#names.count({ ...line, id, kind, at });
    if (kind === "message" && line.role === undefined) {
      this.#sink.unknown("no role");
      conversation.note(record);
      return;
    }
    const { message, results } = kind === "message" ? this.#message(line, id) : NO_MESSAGE;
    const { attached: beside, ...own } = objectIn(line.data) ?? {};
    const { branch, parent_id: parent } = line;
    const data = beside === undefined ? line.data : own;
    const parentId = typeof parent === "string" ? (this.#answered.get(parent) ?? parent) : parent;
    const entry: JsonObject = { id, kind, at, parentId, branch, data, message };
    for (const bytes of Object.values(objectIn(line.attached ?? beside) ?? {})) {
      if (typeof bytes === "string") conversation.blob(bytes);
    }
    this.#held.push({ entry, record });
    if (results.length > 0) {
      const answer = { role: "user", content: results as Json };
      this.#answered.set(id, resultsId(id));
      const entry = { id: resultsId(id), kind, at, parentId: id, branch, message: answer };
      this.#held.push({ entry, record: undefined });
    }
    this.#heldChars += record.bytes ?? 0;
    if (this.#heldChars > HELD_CHARS_MAX) this.#addHeld();
  }

  /** Entries are held until the final names of their branches are known; in a long file, only the first ones. */
  #addHeld(): void {
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    const held = this.#held.splice(0);
    for (const { entry } of held) this.#odd.count(entry);
    for (const { entry, record } of held) {
      addColloquyEntry(entry, record, {
        sink: this.#sink,
        conversation,
        verbatim: this.#sums,
        odd: this.#odd,
        branchName: (branch) => this.#names.of(branch),
      });
    }
  }

  /** Other programs write thinking, calls, results and media beside the text. */
  #message(line: JsonObject, id: string): Converted {
    if (this.#sums) return { message: line, results: [] };
    const { message, results } = readFlatLine(line, id, this.#tools, "colloquy");
    const { role, content, model, extra } = message;
    const whole = {
      ...line,
      ...defined({ model }),
      ...{ role, content: content as Json },
      ...(extra === undefined ? {} : { extra: { ...objectIn(line.extra), ...extra } }),
    };
    return { message: whole, results };
  }
}

interface Converted {
  readonly message: JsonObject | undefined;
  readonly results: readonly Block[];
}

const NO_MESSAGE: Converted = { message: undefined, results: [] };
