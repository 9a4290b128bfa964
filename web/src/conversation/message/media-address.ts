import { useContext } from "preact/hooks";
import type { Block, MessageEntry } from "../../../../src/message/types.ts";
import { blobAddress } from "../requests.ts";
import { InConversation } from "./blob.tsx";
import { blobAt } from "./words.ts";

export interface MediaSource {
  readonly kind: unknown;
  readonly mediaType: string;
  readonly data: unknown;
  readonly url: unknown;
}

export function sourceOf(block: Block): MediaSource {
  const { type, media_type, data, url } = (block.source ?? {}) as Readonly<Record<string, unknown>>;
  return { kind: type, mediaType: typeof media_type === "string" ? media_type : "", data, url };
}

/** Where the bytes of an image or document are: in a blob, or in the message itself. */
export function useMediaAddress(entry: MessageEntry, block: Block, index: number): string | undefined {
  const conversation = useContext(InConversation);
  const { kind, mediaType, data } = sourceOf(block);
  const blob = blobAt(entry, "content", index, "source", "data");
  if (blob) return blobAddress({ conversation, entry: entry.id, hash: blob.hash }, mediaType);
  const isInline = kind === "base64" && typeof data === "string" && data !== "";
  return isInline && /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? `data:${mediaType};base64,${data}` : undefined;
}
