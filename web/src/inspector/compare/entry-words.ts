/** An entry as short parts of text: enough to compare two branches, without drawing tools and images. */
import type { Block, Entry } from "../../../../src/message/types.ts";
import { attachedFiles } from "../../conversation/attached-parts.ts";

interface EntryPart {
  readonly kind: "text" | "aside";
  readonly text: string;
}

export interface EntryWords {
  readonly id: string;
  readonly who: string;
  readonly at: string;
  readonly parts: readonly EntryPart[];
}

/** `null` for entries that are not on the path of a reader, such as changes of the tree. */
export function entryWords(entry: Entry): EntryWords | null {
  const { id, at } = entry;
  if (entry.kind === "message") {
    const { role, content } = entry.message;
    const parts = typeof content === "string" ? [text(content)] : blockParts(role, content);
    return { id, at, who: role, parts: parts.filter((part) => part.text !== "") };
  }
  if (entry.kind === "compaction") return { id, at, who: "summary", parts: [text(entry.data.summary)] };
  if (entry.kind === "branch_summary")
    return { id, at, who: "summary", parts: [text(String(entry.data.summary))] };
  return null;
}

/** Whether two messages say the same. */
export function sameWords(one: EntryWords, other: EntryWords | undefined): boolean {
  return one.who === other?.who && JSON.stringify(one.parts) === JSON.stringify(other.parts);
}

/** A file is named once, not as the model reads it. */
function blockParts(role: string, blocks: readonly Block[]): readonly EntryPart[] {
  const files = role === "user" ? attachedFiles(blocks) : new Map<number, null>();
  return blocks.flatMap((block, index) => {
    const file = files.get(index);
    if (file === null) return [];
    return [file ? aside(`File ${file.name} · ${file.size}`) : partOf(block)];
  });
}

function partOf(block: Block): EntryPart {
  switch (block.type) {
    case "text":
      return text(String(block.text));
    case "tool_use":
      return aside(`Calls ${block.name}`);
    case "tool_result":
      return aside(block.is_error === true ? "A tool failed" : "A tool answered");
    case "thinking":
    case "redacted_thinking":
      return aside("Thinking");
    default:
      return aside(block.type === "image" ? "An image" : `A part of type ${block.type}`);
  }
}

const text = (words: string): EntryPart => ({ kind: "text", text: words });
const aside = (words: string): EntryPart => ({ kind: "aside", text: words });
