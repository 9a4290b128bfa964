/**
 * The turn items of files that hold no model items.
 *
 * In files that have both, turn items only repeat the model items for display.
 */
import type { Block } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { bareImage, contentOf, type OnUnknown } from "./content.ts";
import { type CodexItem, NO_ID, WEB_SEARCH } from "./items.ts";

/** The text of the user, if the item is a prompt. */
export function promptParts(item: JsonObject): readonly Json[] | undefined {
  return item.type === "UserMessage" ? listIn(item.content) : undefined;
}

export function readTurnItem(item: JsonObject, onUnknown: OnUnknown): readonly CodexItem[] {
  switch (item.type) {
    case "AgentMessage":
      return [{ side: "answer", part: "said", blocks: texts(item.content, onUnknown) }];
    case "Plan":
      return [
        { side: "answer", part: "said", blocks: texts([{ type: "text", text: item.text ?? "" }], onUnknown) },
      ];
    case "Reasoning":
      return thoughts([...listIn(item.summary_text), ...listIn(item.raw_content)]);
    case "ImageGeneration":
      return filledIn(item.result) === undefined ? [] : [said(bareImage(item.result as string))];
    case "CommandExecution":
      return called(item, "exec_command", { command: item.command }, item.aggregatedOutput);
    case "FileChange":
      return called(item, "apply_patch", { changes: item.changes }, item.stdout ?? item.stderr);
    case "McpToolCall":
    case "DynamicToolCall":
      return called(item, textIn(item.tool) ?? "unknown", item.arguments, item.result ?? item.contentItems);
    case "WebSearch":
      return called(item, WEB_SEARCH, item.action ?? { query: item.query }, undefined);
    default:
      if (!QUIET.has(item.type)) onUnknown(`turn item ${textIn(item.type) ?? "none"}`);
      return [];
  }
}

/** Known types without content for a message. */
const QUIET: ReadonlySet<unknown> = new Set([
  ...["HookPrompt", "CollabAgentToolCall", "SubAgentActivity", "ImageView", "Sleep", "ContextCompaction"],
  "UserMessage",
]);

function said(block: Block): CodexItem {
  return { side: "answer", part: "said", blocks: [block] };
}

function texts(content: Json | undefined, onUnknown: OnUnknown): readonly Block[] {
  const said = contentOf(content, onUnknown);
  return typeof said === "string" ? [{ type: "text", text: said }] : said;
}

function thoughts(parts: readonly Json[]): readonly CodexItem[] {
  const blocks = parts.flatMap((part): Block[] =>
    filledIn(part) === undefined ? [] : [{ type: "thinking", thinking: part }],
  );
  return blocks.length === 0 ? [] : [{ side: "answer", part: "thought", blocks }];
}

/** A call and its result, if it has one: both are in one item. */
function called(
  item: JsonObject,
  name: string,
  input: Json | undefined,
  output: Json | undefined,
): readonly CodexItem[] {
  const id = filledIn(item.id) ?? NO_ID;
  const use: Block = { type: "tool_use", id, name, input: objectIn(input) ?? {} };
  const call: CodexItem = { side: "answer", part: "call", blocks: [use] };
  if (output === undefined || output === null) return [call];
  const failed = item.status === "failed" || item.status === "declined" || item.success === false;
  const block: Block = {
    type: "tool_result",
    tool_use_id: id,
    content: resultText(output),
    ...(failed && { is_error: true }),
  };
  return [call, { side: "output", block }];
}

function resultText(output: Json): string {
  if (typeof output === "string") return output;
  const parts = objectsIn(objectIn(output)?.content ?? output).flatMap(({ text }) => textIn(text) ?? []);
  return parts.length > 0 ? parts.join("\n") : JSON.stringify(output);
}
