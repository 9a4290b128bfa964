/**
 * A flat message: text, with thinking, calls `{ id, name, params }`, results
 * and media beside it. Results may also be separate messages.
 */
import type { Block, Message } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord } from "../../contract/reader.ts";
import { filledIn, timeIn } from "../../contract/values.ts";
import {
  contentWith,
  type FlatTools,
  listOf,
  mediaBlock,
  roleOf,
  thinkingBlocks,
  wordOf,
} from "./flat-tools.ts";

export interface FlatTarget {
  readonly format: string;
  readonly sink: Sink;
  readonly conversation: ConversationSink;
  readonly tools: FlatTools;
}

const RESULT_ROLES: ReadonlySet<unknown> = new Set(["tool", "function", "toolResult"]);
const KNOWN_ROLES: ReadonlySet<unknown> = new Set([
  ...["user", "assistant", "system", "developer"],
  ...RESULT_ROLES,
]);

/** Adds one message, or two: results beside an answer are a message of the user here. */
export function addFlatMessage(line: JsonObject, record: SourceRecord, id: string, target: FlatTarget): void {
  const { sink, conversation, tools, format } = target;
  if (!KNOWN_ROLES.has(line.role)) sink.unknown(`role ${wordOf(line.role)}`);
  const at = timeIn(line.ts ?? line.timestamp);
  const { message, results } = flatMessage(line, id, tools, format);
  conversation.add({ id, at, message, records: [record] });
  if (results.length === 0) return;
  const answered = { role: "user", content: results } as const;
  conversation.add({ id: madeId(id, "results"), parent: id, at, message: answered, records: [] });
}

export interface FlatMessage {
  readonly message: Message;
  /** Results beside an answer. */
  readonly results: readonly Block[];
}

export function flatMessage(
  line: JsonObject,
  entryId: string,
  tools: FlatTools,
  format: string,
): FlatMessage {
  const { role, other } = roleOf(line.role);
  const media = listOf(line.media).map(mediaBlock);
  const beside = {
    ...defined({ model: filledIn(line.model_id) ?? filledIn(line.model) }),
    ...(other === undefined ? {} : { extra: { [format]: { role: other } } }),
  };
  if (RESULT_ROLES.has(line.role)) {
    const result = tools.result({ ...line, id: undefined }, line.content as Json | undefined);
    return { message: { role: "user", content: [result, ...media], ...beside }, results: [] };
  }
  const calls = listOf(line.tool_calls).map((call, index) =>
    tools.call(call, madeId(entryId, "call", index)),
  );
  const results = listOf(line.tool_results).map((result) => tools.result(result));
  const thinking = thinkingBlocks(line.thinking ?? line.thinking_content);
  const after = [...media, ...calls, ...(role === "assistant" ? [] : results)];
  const content = contentWith(line.content, thinking, after);
  return { message: { role, content, ...beside }, results: role === "assistant" ? results : [] };
}
