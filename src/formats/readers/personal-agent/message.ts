import type { Message } from "../../../message/types.ts";
import type { JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord } from "../../contract/reader.ts";
import { filledIn, timeIn } from "../../contract/values.ts";
import { isKnownRole } from "../shared/flat-message.ts";
import { contentWith, type FlatTools, listOf, roleOf, thinkingBlocks, wordOf } from "../shared/flat-tools.ts";

interface Target {
  readonly sink: Sink;
  readonly conversation: ConversationSink;
  readonly tools: FlatTools;
}

/**
 * One line, as one message or two: an answer there holds its calls and their
 * results, which are a message of the user here.
 */
export function addPersonalAgentMessage(
  line: JsonObject,
  record: SourceRecord,
  id: string,
  target: Target,
): void {
  const { sink, conversation, tools } = target;
  if (!isKnownRole(line.role)) sink.unknown(`role ${wordOf(line.role)}`);
  const { role, other } = roleOf(line.role);
  const at = timeIn(line.ts ?? line.timestamp);
  const model = filledIn(line.model_id) ?? filledIn(line.model);
  const calls = listOf(line.tool_calls).map((call, index) => tools.call(call, madeId(id, "call", index)));
  const results = listOf(line.tool_results).map((result) => tools.result(result));
  const thinking = thinkingBlocks(line.thinking ?? line.thinking_content);
  const mine = role === "assistant" ? calls : [...calls, ...results];
  const message: Message = {
    role,
    content: contentWith(line.content, thinking, mine),
    ...(model === undefined ? {} : { model }),
    ...(other === undefined ? {} : { extra: { "personal-agent": { role: other } } }),
  };
  conversation.add({ id, at, message, records: [record] });
  if (role !== "assistant" || results.length === 0) return;
  conversation.add({
    id: madeId(id, "results"),
    parent: id,
    at,
    message: { role: "user", content: results },
    records: [],
  });
}
