import { checkSum } from "../../transcript/lines.ts";
import { describeBranches } from "../../tree/branches.ts";
import { branchById, fold, MAIN, PLAIN, type Tree } from "../../tree/tree.ts";
import type { Json, JsonObject } from "../../util/json.ts";
import type { ConversationSink, RecordReader, Sink, SourceRecord, Surroundings } from "../import/contract.ts";
import { madeId } from "../import/ids.ts";
import { filledIn, numberIn, objectIn, textIn, timeIn } from "../import/values.ts";
import { addColloquyEntry } from "./colloquy-entry.ts";
import { FlatTools, stemOf } from "./flat-tools.ts";
import { goclawMessage } from "./goclaw-message.ts";

/** Lines of version 2, also mixed with older ones, which have no ids. */
export class ColloquyLinesReader implements RecordReader {
  readonly #sink: Sink;
  readonly #around: Surroundings;
  readonly #tools = new FlatTools();
  #header: SourceRecord | undefined;
  #conversation: ConversationSink | undefined;
  #sourceId = "";
  #position = 0;
  #sums = false;
  #tree: Tree = PLAIN;
  #lastSeq = 0;
  #last: string | null = null;
  #undone: string[] = [];

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
    const conversation = this.#conversation;
    if (conversation === undefined || this.#lastSeq === 0) return;
    const branches = describeBranches(this.#tree, this.#lastSeq, this.#last);
    const active = branches.find((branch) => branch.active);
    conversation.update({
      tree: {
        branches: branches.map(({ name, head }) => ({ name, head })),
        active: active?.name ?? "main",
        undone: this.#undone,
      },
    });
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
      key: filledIn(header.key),
      title: filledIn(header.title),
      model: filledIn(header.model),
      channel: filledIn(header.channel),
      createdAt: timeIn(header.created_at),
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
    this.#count(line, id, kind);
    if (kind === "message" && line.role === undefined) {
      this.#sink.unknown("no role");
      conversation.note(record);
      return;
    }
    const entry: JsonObject = {
      id,
      kind,
      at: line.timestamp,
      parentId: line.parent_id,
      branch: line.branch,
      data: line.data,
      message: kind === "message" ? this.#message(line, id) : undefined,
    };
    for (const bytes of Object.values(objectIn(line.attached) ?? {})) {
      if (typeof bytes === "string") conversation.blob(bytes);
    }
    addColloquyEntry(entry, record, {
      sink: this.#sink,
      conversation,
      verbatim: this.#sums,
      branchName: (branch) => branchById(this.#tree, branch)?.name,
    });
  }

  /** Other programs write calls and media beside the text. */
  #message(line: JsonObject, id: string): JsonObject {
    const isFlat = [line.tool_calls, line.tool_call_id, line.media].some((member) => member !== undefined);
    if (!isFlat && line.role !== "tool") return line;
    return { ...line, ...goclawMessage(line, id, this.#tools, "colloquy") } as unknown as JsonObject;
  }

  /** The tree, for the names of its branches. Only our own lines have numbers. */
  #count(line: JsonObject, id: string, kind: string): void {
    const seq = numberIn(line.seq);
    if (seq === undefined) return;
    const branch = numberIn(line.branch) ?? MAIN;
    const data = line.data;
    this.#tree = fold(
      this.#tree,
      { seq, id, kind, at: textIn(line.timestamp) ?? "", branch, data },
      this.#last,
    );
    if (branch >= 0) this.#last = id;
    this.#lastSeq = seq;
    const { type, compaction } = objectIn(data) ?? {};
    if (kind === "info" && type === "undo-compaction" && typeof compaction === "string")
      this.#undone.push(compaction);
  }
}
