/**
 * Sessions of goclaw, version 1: one message a line, without ids.
 *
 * The first line is mostly `{"_type":"metadata"}` without a version; with
 * version 2 the file is read by the reader of our own format.
 */
import type { Json, JsonObject } from "../../../util/json.ts";
import type { FormatDeclaration, LinesFormat } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type {
  ConversationSink,
  RecordReader,
  Sink,
  SourceRecord,
  Surroundings,
} from "../../contract/reader.ts";
import { filledIn, listIn, numberIn, objectIn, textIn, timeIn } from "../../contract/values.ts";
import { stemOf } from "../shared/file-name.ts";
import { flatMessage, isKnownRole } from "../shared/flat-message.ts";
import { FlatTools, wordOf } from "../shared/flat-tools.ts";

const NAME = "goclaw";

export const goclawLines: LinesFormat = {
  sniff: (records) => {
    const [first] = records;
    if (first?._type === "metadata") return isHeader(first);
    const isOwn = records.some((record) => isMessage(record) || isHeader(record));
    return isOwn && !records.some(({ parent_id: parent }) => parent !== undefined);
  },
  open: (sink, around, state) => new GoclawReader(sink, around, objectIn(state)),
};

export const goclaw: FormatDeclaration = {
  name: NAME,
  lines: goclawLines,
};

function isHeader({ _type: type, version }: JsonObject): boolean {
  return type === "metadata" && !((numberIn(version) ?? 1) >= 2);
}

function isMessage({ role, content, timestamp }: JsonObject): boolean {
  return filledIn(role) !== undefined && content !== undefined && timestamp !== undefined;
}

class GoclawReader implements RecordReader {
  readonly #sink: Sink;
  readonly #around: Surroundings;
  readonly #tools: FlatTools;
  readonly #early: SourceRecord[] = [];
  #sourceId: string | undefined;
  #position: number;
  #conversation: ConversationSink | undefined;

  constructor(sink: Sink, around: Surroundings, state: JsonObject | undefined) {
    this.#sink = sink;
    this.#around = around;
    this.#sourceId = textIn(state?.sourceId);
    this.#position = numberIn(state?.position) ?? 0;
    this.#tools = new FlatTools(listIn(state?.waiting).flatMap((id) => textIn(id) ?? []));
  }

  record(record: SourceRecord): void {
    const line = objectIn(record.value);
    if (line === undefined) {
      this.#sink.skip(record, "not an object");
      return;
    }
    if (line.role === undefined || line._type !== undefined) {
      this.#note(record, line);
      return;
    }
    const conversation = this.#open(line);
    const id = filledIn(line.id) ?? madeId(this.#sourceId as string, this.#position);
    this.#position++;
    if (!isKnownRole(line.role)) this.#sink.unknown(`role ${wordOf(line.role)}`);
    const message = flatMessage(line, id, this.#tools, NAME);
    conversation.add({ id, at: timeIn(line.timestamp), message, records: [record] });
  }

  end(): void {
    // A file without a message is still a conversation.
    if (this.#early.length > 0) this.#open({});
  }

  state(): Json | undefined {
    if (this.#sourceId === undefined) return undefined;
    return { sourceId: this.#sourceId, position: this.#position, waiting: this.#tools.waiting };
  }

  #note(record: SourceRecord, line: JsonObject): void {
    if (line._type !== "metadata") this.#sink.unknown(filledIn(line._type) ?? "no role");
    if (this.#conversation === undefined && this.#sourceId === undefined) this.#early.push(record);
    else this.#open({}).note(record);
  }

  /** File names are escaped session keys, which may repeat in two folders. The first message distinguishes them. */
  #open(first: JsonObject): ConversationSink {
    if (this.#conversation !== undefined) return this.#conversation;
    const { role = null, content = null, timestamp = null } = first;
    const print = madeId(JSON.stringify([role, content, timestamp])).slice(0, 12);
    this.#sourceId ??= `${stemOf(this.#around.path)}-${print}`;
    const header = this.#early.map(({ value }) => objectIn(value)).find((line) => line?._type === "metadata");
    const about = objectIn(header?.metadata);
    this.#conversation = this.#sink.conversation({
      sourceId: this.#sourceId,
      createdAt: timeIn(header?.created_at),
      ...(about === undefined ? {} : { about }),
    });
    for (const record of this.#early.splice(0)) this.#conversation.note(record);
    return this.#conversation;
  }
}
