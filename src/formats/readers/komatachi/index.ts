/** Conversations of Komatachi: Anthropic messages without times, with `metadata.json` beside them. */
import type { Block, Message } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import type { Describe, FormatDeclaration, LinesFormat } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type {
  ConversationSink,
  RecordReader,
  Sink,
  SourceRecord,
  Surroundings,
} from "../../contract/reader.ts";
import {
  defined,
  filledIn,
  numberIn,
  objectIn,
  objectsIn,
  parsedIn,
  textIn,
  timeIn,
} from "../../contract/values.ts";
import { areChatLines, areMostly, isChatMessage } from "../shared/chat-messages.ts";
import { contentWith, roleOf } from "../shared/flat-tools.ts";

const NAME = "komatachi";

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set([
  ...["text", "tool_use", "tool_result", "thinking", "redacted_thinking", "document"],
]);

export const komatachiLines: LinesFormat = {
  // A message whose content is a string could also be OpenAI's: then the path decides.
  sniff: (records, path) =>
    (areMostly(records, isBare) && records.some(({ content }) => isAnthropic(content))) ||
    (PATH.test(path) && areChatLines(records, isChatMessage)),
  open: (sink, around, state) => new KomatachiReader(sink, around, objectIn(state)),
};

export const komatachi: FormatDeclaration = {
  name: NAME,
  lines: komatachiLines,
  companions: /\/metadata\.json$/,
  sideFile: { names: () => ["metadata.json"], read: describeConversation },
};

/** The file of every conversation has this name, in a separate folder. */
const PATH = /(?:^|[\\/])transcript\.jsonl(?:\.\w+)?$/;

/** What `metadata.json` adds. */
function describeConversation(text: string): Describe {
  const meta = objectIn(parsedIn(text)) ?? {};
  const about = defined({ compactionCount: meta.compactionCount, updatedAt: meta.updatedAt });
  return (start) => ({
    ...start,
    model: filledIn(meta.model),
    createdAt: timeIn(meta.createdAt),
    ...(Object.keys(about).length === 0 ? {} : { about }),
  });
}

function isBare(record: JsonObject): boolean {
  const { role, content, timestamp, ts, tool_calls: calls } = record;
  if (role !== "user" && role !== "assistant") return false;
  return content !== undefined && timestamp === undefined && ts === undefined && calls === undefined;
}

function isAnthropic(content: Json | undefined): boolean {
  const blocks = objectsIn(content);
  // Text alone is a part of OpenAI's, too.
  return blocks.some(({ type }) => ANTHROPIC_BLOCKS.has(type) && type !== "text");
}

class KomatachiReader implements RecordReader {
  readonly #sink: Sink;
  readonly #around: Surroundings;
  #sourceId: string | undefined;
  #position: number;
  #conversation: ConversationSink | undefined;

  constructor(sink: Sink, around: Surroundings, state: JsonObject | undefined) {
    this.#sink = sink;
    this.#around = around;
    this.#sourceId = textIn(state?.sourceId);
    this.#position = numberIn(state?.position) ?? 0;
  }

  record(record: SourceRecord): void {
    const line = objectIn(record.value);
    if (line === undefined) {
      this.#sink.skip(record, "not an object");
      return;
    }
    const conversation = this.#open(line);
    if (line.role === undefined) {
      this.#sink.unknown(filledIn(line.type) ?? "no role");
      conversation.note(record);
      return;
    }
    const id = madeId(this.#sourceId as string, this.#position);
    this.#position++;
    conversation.add({ id, message: messageOf(line), records: [record] });
  }

  end(): void {}

  state(): Json | undefined {
    return this.#sourceId === undefined ? undefined : { sourceId: this.#sourceId, position: this.#position };
  }

  /** Every conversation has the same file name, and folders may: the first message distinguishes them. */
  #open(first: JsonObject): ConversationSink {
    const folder = this.#around.path.split(/[\\/]/).at(-2) ?? "conversation";
    this.#sourceId ??= `${folder}-${madeId(JSON.stringify(first)).slice(0, 12)}`;
    this.#conversation ??= this.#sink.conversation({ sourceId: this.#sourceId });
    return this.#conversation;
  }
}

function messageOf(line: JsonObject): Message {
  const { role, other } = roleOf(line.role);
  const content = contentWith(line.content, [], []) as string | readonly Block[];
  return { role, content, ...(other === undefined ? {} : { extra: { [NAME]: { role: other } } }) };
}
