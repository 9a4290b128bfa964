/** The words of a message, wherever they are stored. */
import type { BlobRef, Entry, MessageEntry } from "../../../../src/message/types.ts";
import { readBlobText } from "../requests.ts";
import { attachedTo, blocksOf } from "../rows.ts";

/** The blob that belongs at this place of the message. */
export function blobAt(entry: Entry, ...place: readonly (string | number)[]): BlobRef | undefined {
  return entry.blobs?.find(
    ({ path }) => path.length === place.length && path.every((part, at) => part === place[at]),
  );
}

/** The blob that has a text of the message, if it is too large to be in it. */
export function textBlob(entry: MessageEntry, index: number): BlobRef | undefined {
  return blobAt(entry, "content", index, "text") ?? blobAt(entry, "content");
}

/** What a reader would copy: without thinking, tools and files. */
export async function wordsOf(conversation: string, entry: MessageEntry): Promise<string> {
  const files = attachedTo(entry);
  const texts = blocksOf(entry).flatMap((block, index) => {
    if (block.type !== "text" || files.has(index)) return [];
    const blob = block.text === "" ? textBlob(entry, index) : undefined;
    return [blob ? readBlobText({ conversation, entry: entry.id, hash: blob.hash }) : String(block.text)];
  });
  return (await Promise.all(texts)).join("\n\n");
}
