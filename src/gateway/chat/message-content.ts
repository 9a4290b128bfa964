/** The words and files of a message from the page, as channels store them. */
import { contentOf, fileBlock, isFileNote } from "../../channel/inbox/content.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import type { Block, Message } from "../../message/types.ts";
import type { Store } from "../../store/store.ts";
import { ATTACHMENTS, type Attachment } from "../wire/frames.ts";

export async function messageContent(
  store: Store,
  text: string,
  attachments: readonly Attachment[] = [],
): Promise<string | Block[]> {
  const bytes = new Map<string, Uint8Array>();
  for (const { blob } of attachments) bytes.set(blob, await bytesOf(store, blob));
  const sizeOf = (blob: string): number => bytes.get(blob)?.length ?? 0;
  const named = attachments.map(({ blob, mediaType, name = "file" }) => {
    return { name, mediaType, size: sizeOf(blob), ref: blob };
  });
  const found = contentOf({ text, attachments: named });
  if (found === undefined) throw invalid("A message needs words or files", "text");
  const { content, files } = found;
  if (typeof content === "string" || files.length === 0) return content;
  const read = async (ref: string): Promise<Uint8Array> => bytes.get(ref) ?? new Uint8Array();
  return [...content, ...(await Promise.all(files.map((file) => fileBlock(file, read))))];
}

/** Other words for a message. Its files stay. */
export function editedContent(text: string, { content: before }: Message): string | Block[] {
  const kept =
    typeof before === "string" ? [] : before.filter((block) => block.type !== "text" || isFileNote(block));
  const words = text.trim();
  if (kept.length > 0) return words === "" ? kept : [{ type: "text", text: words }, ...kept];
  if (words === "") throw invalid("A message needs words or files", "text");
  return words;
}

async function bytesOf(store: Store, hash: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const blob = await store.blob(hash);
  if (blob === undefined) {
    throw new ColloquyError("NOT_FOUND", "There is no such file: upload it first", { field: "attachments" });
  }
  for await (const part of blob) {
    size += part.length;
    if (size > ATTACHMENTS.bytesMax) throw invalid("A file can have at most 20 MB", "attachments");
    parts.push(part);
  }
  return Buffer.concat(parts);
}
