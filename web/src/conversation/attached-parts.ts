/** Files of a message. A model reads them as text between brackets and as blocks; a reader sees each file once. */
import type { Block } from "../../../src/message/types.ts";

export interface AttachedFile {
  readonly name: string;
  readonly mediaType: string;
  /** In words, such as `190 kB`. */
  readonly size: string;
  /** Why the model did not read it. */
  readonly problem: string | null;
  /** What the model reads, and where it is in the message. */
  readonly content: { readonly block: Block; readonly index: number } | null;
}

const NAMED = /^\[file (.+) \(([^\s,()]+), ([\d.,]+ ?\w+)\)(?: ([^\n]+))?\]$/;

/** By the place of the note that names the file; `null` where a block belongs to a file that was named before. */
export function attachedFiles(blocks: readonly Block[]): ReadonlyMap<number, AttachedFile | null> {
  const files = new Map<number, AttachedFile | null>();
  const unclaimed: number[] = [];
  for (const [index, block] of blocks.entries()) {
    const [, name = "", mediaType = "", size = "", problem = null] = NAMED.exec(textOf(block)) ?? [];
    if (name !== "") {
      files.set(index, { name, mediaType, size, problem, content: null });
      if (problem === null) unclaimed.push(index);
      continue;
    }
    const place = unclaimed[0];
    const file = place === undefined ? undefined : files.get(place);
    if (place === undefined || !file || !isContentOf(block, file)) continue;
    unclaimed.shift();
    files.set(place, { ...file, content: { block, index } });
    files.set(index, null);
  }
  return files;
}

/** The text of a file, without the line that names it. */
export function fileText(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

function isContentOf(block: Block, { name, mediaType }: AttachedFile): boolean {
  if (block.type === "image") return mediaType.startsWith("image/");
  if (block.type === "document") return block.title === name;
  // A large text is in a blob.
  const text = textOf(block);
  return block.type === "text" && (text === "" || text.startsWith(`[file ${name}]\n`));
}

function textOf(block: Block): string {
  return block.type === "text" ? String(block.text) : "";
}
