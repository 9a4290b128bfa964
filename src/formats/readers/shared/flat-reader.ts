import { FlatTools } from "../../../message/apis/flat-tools.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type {
  ConversationSink,
  RecordReader,
  Sink,
  SourceConversation,
  SourceRecord,
  Surroundings,
} from "../../contract/reader.ts";
import { addFlatMessage } from "./flat-message.ts";

export interface FlatLines {
  readonly format: string;
  /** The id of a conversation, given the path of its file and its first message. */
  sourceId(path: string, first: JsonObject): string;
  /** Facts from the records before the first message. */
  describe?(early: readonly JsonObject[]): Omit<SourceConversation, "sourceId">;
}

/** Reads files of one flat message a line. A message without an id gets one made from its position. */
export class FlatReader implements RecordReader {
  readonly #lines: FlatLines;
  readonly #sink: Sink;
  readonly #path: string;
  readonly #tools: FlatTools;
  readonly #early: SourceRecord[] = [];
  #sourceId: string | undefined;
  #position: number;
  #conversation: ConversationSink | undefined;

  constructor(lines: FlatLines, sink: Sink, { path }: Surroundings, state: Json | undefined) {
    const saved = objectIn(state);
    this.#lines = lines;
    this.#sink = sink;
    this.#path = path;
    this.#sourceId = textIn(saved?.sourceId);
    this.#position = numberIn(saved?.position) ?? 0;
    this.#tools = new FlatTools(listIn(saved?.waiting).flatMap((id) => textIn(id) ?? []));
    if (this.#sourceId !== undefined) this.#open({});
  }

  record(record: SourceRecord): void {
    const line = objectIn(record.value);
    if (line === undefined) this.#sink.skip(record, "not an object");
    else if (line.role === undefined || line._type !== undefined) this.#note(record, line);
    else {
      const [conversation, sourceId] = this.#open(line);
      const id = filledIn(line.id) ?? madeId(sourceId, this.#position);
      this.#position++;
      const { format } = this.#lines;
      addFlatMessage(line, record, id, { format, sink: this.#sink, conversation, tools: this.#tools });
    }
  }

  end(): void {
    // A file without a message is still a conversation.
    if (this.#early.length > 0) this.#open({});
  }

  state(): Json | undefined {
    if (this.#sourceId === undefined) return undefined;
    return { sourceId: this.#sourceId, position: this.#position, waiting: this.#tools.waiting };
  }

  #note(record: SourceRecord, { _type, type }: JsonObject): void {
    if (_type !== "metadata") this.#sink.unknown(filledIn(_type) ?? filledIn(type) ?? "no role");
    if (this.#sourceId === undefined) this.#early.push(record);
    else this.#open({})[0].note(record);
  }

  #open(first: JsonObject): readonly [ConversationSink, sourceId: string] {
    this.#sourceId ??= this.#lines.sourceId(this.#path, first);
    if (this.#conversation === undefined) {
      const facts = this.#lines.describe?.(objectsIn(this.#early.map(({ value }) => value))) ?? {};
      this.#conversation = this.#sink.conversation({ ...facts, sourceId: this.#sourceId });
      for (const record of this.#early.splice(0)) this.#conversation.note(record);
    }
    return [this.#conversation, this.#sourceId];
  }
}

/** Distinguishes conversations whose files have the same name, by their first message. */
export function withFingerprint(name: string, ...first: readonly Json[]): string {
  return `${name}-${madeId(JSON.stringify(first)).slice(0, 12)}`;
}
