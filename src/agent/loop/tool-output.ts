/** What a model sees of the output of a tool. */
import type { Block, ToolResultBlock } from "../../message/types.ts";
import { assertJson, isPlainObject, type JsonObject } from "../../util/json.ts";
import type { ToolOutput } from "../tools/tool.ts";

/** Of images and other blocks, as JSON. */
const BLOCKS_CHARS_MAX = 16 * 1024 * 1024;

export function toolResult(id: string, output: ToolOutput, charsMax: number): ToolResultBlock {
  if (output === undefined) return result(id, "(no output)");
  if (typeof output === "string") return result(id, cut(output, charsMax) || "(no output)");
  assertJson(output, "output");
  if (!Array.isArray(output)) return result(id, cut(JSON.stringify(output), charsMax));
  return result(id, cutBlocks(output, charsMax));
}

export function errorResult(id: string, message: string, charsMax = 10_000): ToolResultBlock {
  return { ...result(id, cut(message, charsMax)), is_error: true };
}

function result(id: string, content: string | readonly Block[]): ToolResultBlock {
  return { type: "tool_result", tool_use_id: id, content: content as string | readonly JsonObject[] };
}

/** The limit is for all texts together. */
function cutBlocks(blocks: readonly unknown[], charsMax: number): Block[] {
  let left = charsMax;
  const kept = blocks.map((block): Block => {
    if (!isPlainObject(block) || typeof block.type !== "string") {
      throw new TypeError("The tool returned a list that is not a list of blocks");
    }
    if (block.type !== "text" || typeof block.text !== "string") return block as Block;
    const text = cut(block.text, left);
    left = Math.max(0, left - text.length);
    return { ...block, type: "text", text };
  });
  if (JSON.stringify(kept).length > BLOCKS_CHARS_MAX) {
    throw new RangeError(`The tool returned more than ${BLOCKS_CHARS_MAX} bytes of images or other blocks`);
  }
  return kept;
}

/** Beginning and end are kept: the end of a listing, or of an error, says how it ended. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = Math.floor(charsMax / 4);
  const head = text.slice(0, charsMax - end).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - end).replace(/^[\udc00-\udfff]/, "");
  return `${head}\n[… ${text.length - charsMax} of ${text.length} characters were cut here …]\n${tail}`;
}
