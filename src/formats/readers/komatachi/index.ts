/** Conversations of Komatachi: Anthropic messages without times, with `metadata.json` beside them. */
import { type Json, type JsonObject, someDefined } from "../../../util/json.ts";
import { objectIn, objectsIn, parsedIn } from "../../../util/values.ts";
import type { Describe, FormatWith } from "../../contract/format.ts";
import { areChatLines, areMostly, isChatMessage } from "../shared/chat-messages.ts";
import { type FlatLines, FlatReader, withFingerprint } from "../shared/flat-reader.ts";
import { statedIn } from "../shared/stated.ts";

const LINES: FlatLines = {
  format: "komatachi",
  // Every file has the same name, and folders may.
  sourceId: (path, first) => withFingerprint(path.split(/[\\/]/).at(-2) ?? "conversation", first),
};

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set([
  ...["text", "tool_use", "tool_result", "thinking", "redacted_thinking", "document"],
]);

export const komatachi: FormatWith<"lines"> = {
  name: LINES.format,
  lines: {
    // A message whose content is a string could also be OpenAI's: then the path decides.
    sniff: (records, path) =>
      (areMostly(records, isBare) && records.some(({ content }) => isAnthropic(content))) ||
      (PATH.test(path) && areChatLines(records, isChatMessage)),
    open: (sink, around, state) => new FlatReader(LINES, sink, around, state),
  },
  companions: /\/metadata\.json$/,
  sideFile: { names: () => ["metadata.json"], read: describeConversation },
};

/** The file of every conversation has this name, in a separate folder. */
const PATH = /(?:^|[\\/])transcript\.jsonl(?:\.\w+)?$/;

/** What `metadata.json` adds. */
function describeConversation(text: string): Describe {
  const meta = objectIn(parsedIn(text)) ?? {};
  const { compactionCount, updatedAt = meta.updated_at } = meta;
  const about = someDefined({ compactionCount, updatedAt });
  return (start) => ({ ...start, ...statedIn(meta), about });
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
