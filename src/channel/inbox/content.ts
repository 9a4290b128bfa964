/** The words and files of a message, as blocks. */
import type { Block } from "../../message/types.ts";
import { bytesText } from "../../util/bytes-text.ts";
import type { Attachment, ChannelMessage } from "../channel.ts";

const FILES_MAX = 10;
const FILE_BYTES_MAX = 20 * 1024 * 1024;
const TEXT_CHARS_MAX = 100_000;
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** `undefined` for a message without any. Large parts are stored as blobs. */
export async function contentOf({
  text,
  attachments = [],
}: ChannelMessage): Promise<string | Block[] | undefined> {
  const words = text.trim();
  if (attachments.length === 0) return words === "" ? undefined : words;
  const blocks: Block[] = words === "" ? [] : [{ type: "text", text: words }];
  for (const file of attachments.slice(0, FILES_MAX)) blocks.push(await blockOf(file));
  const left = attachments.length - FILES_MAX;
  if (left > 0) blocks.push(note(`${left} more files were not read`));
  return blocks;
}

/** A file that models cannot read, or that cannot be loaded, is only named: the message itself must not be lost. */
async function blockOf(file: Attachment): Promise<Block> {
  const { name, size } = file;
  const mediaType = (file.mediaType.split(";")[0] ?? "").trim().toLowerCase();
  const what = `file ${name} (${mediaType}, ${bytesText(size)})`;
  const isText = mediaType.startsWith("text/") || mediaType === "application/json";
  if (!isText && !IMAGES.has(mediaType) && mediaType !== "application/pdf")
    return note(`${what} was not read`);
  if (size > FILE_BYTES_MAX) return note(`${what} is too large and was not read`);
  try {
    const bytes = Buffer.from(await file.read());
    if (bytes.length > FILE_BYTES_MAX) return note(`${what} is too large and was not read`);
    if (isText) return note(`file ${name}`, bytes.toString("utf8").slice(0, TEXT_CHARS_MAX));
    const source = { type: "base64", media_type: mediaType, data: bytes.toString("base64") } as const;
    if (mediaType !== "application/pdf") return { type: "image", source };
    return { type: "document", source, title: name };
  } catch {
    return note(`${what} could not be downloaded`);
  }
}

function note(what: string, content?: string): Block {
  return { type: "text", text: content === undefined ? `[${what}]` : `[${what}]\n${content}` };
}
