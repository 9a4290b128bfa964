import { isKnownRole, lineTimeIn, readFlatLine, resultsId } from "../../../message/apis/flat-line.ts";
import { type FlatTools, wordOf } from "../../../message/apis/flat-tools.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { ConversationSink, Sink, SourceRecord } from "../../contract/reader.ts";

export interface FlatTarget {
  readonly format: string;
  readonly sink: Sink;
  readonly conversation: ConversationSink;
  readonly tools: FlatTools;
}

/** Adds one message, or two: results beside an answer are a message of the user here. */
export function addFlatMessage(line: JsonObject, record: SourceRecord, id: string, target: FlatTarget): void {
  const { sink, conversation, tools, format } = target;
  if (!isKnownRole(line.role)) sink.unknown(`role ${wordOf(line.role)}`);
  const at = lineTimeIn(line);
  const { message, results } = readFlatLine(line, id, tools, format);
  conversation.add({ id, at, message, records: [record] });
  if (results.length === 0) return;
  const answered = { role: "user", content: results } as const;
  conversation.add({ id: resultsId(id), parent: id, at, message: answered, records: [] });
}
