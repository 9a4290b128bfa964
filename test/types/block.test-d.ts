/** A known block is narrowed by its type. `tsc` is the test. */
import { type Block, isKnownBlock, type JsonObject } from "../../src/index.ts";

export function byType(block: Block): string {
  if (!isKnownBlock(block)) return block.type;
  switch (block.type) {
    case "text":
      return block.text;
    case "tool_use":
      return block.name + Object.keys(block.input satisfies JsonObject).join();
    case "tool_result":
      return typeof block.content === "string" ? block.content : block.tool_use_id;
    case "thinking":
      return block.thinking + (block.signature ?? "");
    case "redacted_thinking":
      return block.data;
    default:
      return block.type satisfies "image" | "document";
  }
}
