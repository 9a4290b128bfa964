import type { Block, Message } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn, textIn } from "../../../util/values.ts";
import { contentOf, type OutputFile } from "./blocks.ts";
import type { Line } from "./line.ts";

const FLAGS = ["isMeta", "isVisibleInTranscriptOnly", "isApiErrorMessage"] as const;
const COUNTS = [
  ...["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
];

export function userMessage(line: Line, outputFile: OutputFile): Message {
  return {
    role: "user",
    content: plainIn(contentOf(line.message.content, line.uuid ?? "", outputFile)),
    ...extraOf([line]),
  };
}

/** A prompt is a string, or a list with one text: a copy of a session may have the other form. */
function plainIn(content: string | Block[]): string | Block[] {
  const [first] = content;
  if (typeof content === "string" || content.length !== 1 || typeof first === "string") return content;
  const isPlain = first?.type === "text" && Object.keys(first).length === 2;
  return isPlain ? String(first.text) : content;
}

/** One message from all lines of an answer. */
export function assistantMessage(lines: readonly Line[], outputFile: OutputFile): Message {
  const model = lastOf(lines, "model");
  const stopReason = lastOf(lines, "stop_reason");
  const usage = usageOf(lines);
  return {
    role: "assistant",
    content: joined(lines.map(({ message, uuid = "" }) => contentOf(message.content, uuid, outputFile))),
    ...defined({ model, usage, stopReason }),
    ...extraOf(lines),
  };
}

function joined(contents: readonly (string | Block[])[]): string | Block[] {
  const [first = ""] = contents;
  if (contents.length === 1) return first;
  return contents.flatMap((content): Block[] => {
    if (typeof content !== "string") return content;
    return content === "" ? [] : [{ type: "text", text: content }];
  });
}

function lastOf(lines: readonly Line[], member: string): string | undefined {
  return lines.map(({ message }) => textIn(message[member])).findLast((text) => text !== undefined);
}

/** Counts grow with each line of an answer, so their sum would be too high. */
function usageOf(lines: readonly Line[]): JsonObject | undefined {
  const usages = lines.map(({ message }) => objectIn(message.usage) ?? {});
  const counts = COUNTS.flatMap((member) => {
    const values = usages.flatMap((usage) => numberIn(usage[member]) ?? []);
    return values.length === 0 ? [] : [[member, Math.max(...values)] as const];
  });
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

function extraOf(lines: readonly Line[]): { readonly extra?: JsonObject } {
  const flags = FLAGS.filter((flag) => lines.some(({ value }) => value[flag] === true));
  const attachment = objectIn(lines[0]?.value.attachment);
  // The sub-agent of a result, which is a separate conversation.
  const agentId = filledIn(objectIn(lines[0]?.value.toolUseResult)?.agentId);
  const extra: JsonObject = {
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...defined({ agentId, attachment: attachment?.type }),
    ...(typeof attachment?.commandMode === "string" && { commandMode: attachment.commandMode }),
  };
  return Object.keys(extra).length === 0 ? {} : { extra: { "claude-code": extra } };
}
