/** The words of a message, which are stored at once, and its files, which are downloaded afterwards. */
import { setTimeout as sleep } from "node:timers/promises";
import { asColloquyError } from "../../errors.ts";
import type { Block } from "../../message/types.ts";
import { bytesText } from "../../util/bytes-text.ts";
import type { Attachment, Channel, ChannelMessage } from "../channel.ts";
import { isPermanent } from "./delivery.ts";

const FILES_MAX = 10;
const FILE_BYTES_MAX = 20 * 1024 * 1024;
const REF_CHARS_MAX = 2000;
const TEXT_CHARS_MAX = 100_000;
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const ATTEMPTS_MAX = 3;
const RETRY_MS = 500;

export interface MessageContent {
  readonly content: string | Block[];
  /** To be downloaded. */
  readonly files: readonly Attachment[];
}

/** `undefined` for a message without any. Every file is named; those that a model cannot read are not downloaded. */
export function contentOf({
  text,
  attachments = [],
}: Pick<ChannelMessage, "text" | "attachments">): MessageContent | undefined {
  const words = text.trim();
  if (attachments.length === 0) return words === "" ? undefined : { content: words, files: [] };
  const blocks: Block[] = words === "" ? [] : [{ type: "text", text: words }];
  const files: Attachment[] = [];
  for (const { name, mediaType, size, ref } of attachments.slice(0, FILES_MAX)) {
    const file = { name, mediaType: plainType(mediaType), size, ref };
    const unread = whyUnread(file);
    blocks.push(note(`${named(file)}${unread === undefined ? "" : ` ${unread}`}`));
    if (unread === undefined) files.push(file);
  }
  const left = attachments.length - FILES_MAX;
  if (left > 0) blocks.push(note(`${left} more files were not read`));
  return { content: blocks, files };
}

/** Whether it names a file, or is the text of one. */
export function isFileNote({ type, text }: Block): boolean {
  return type === "text" && String(text).startsWith("[file ");
}

/** A file that cannot be loaded is only named: the message itself must be answered. */
export async function fileBlock(file: Attachment, download: Channel["download"]): Promise<Block> {
  try {
    const bytes = await bytesOf(file.ref, download);
    if (bytes.length > FILE_BYTES_MAX) return note(`${named(file)} ${TOO_LARGE}`);
    const { mediaType, name } = file;
    if (isText(mediaType)) return note(`file ${name}`, bytes.toString("utf8").slice(0, TEXT_CHARS_MAX));
    const source = { type: "base64", media_type: mediaType, data: bytes.toString("base64") } as const;
    return IMAGES.has(mediaType) ? { type: "image", source } : { type: "document", source, title: name };
  } catch {
    return note(`${named(file)} could not be downloaded`);
  }
}

async function bytesOf(ref: string, download: Channel["download"]): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return Buffer.from((await download?.(ref)) as Uint8Array);
    } catch (error) {
      const isLast = attempt === ATTEMPTS_MAX || isPermanent(asColloquyError(error, "Cannot download"));
      if (isLast) throw error;
      await sleep(RETRY_MS * attempt);
    }
  }
}

const TOO_LARGE = "is too large and was not read";

function whyUnread({ mediaType, size, ref }: Attachment): string | undefined {
  const isKnown = isText(mediaType) || IMAGES.has(mediaType) || mediaType === "application/pdf";
  if (!isKnown || ref.length > REF_CHARS_MAX) return "was not read";
  return size > FILE_BYTES_MAX ? TOO_LARGE : undefined;
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

function plainType(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}

function named({ name, mediaType, size }: Attachment): string {
  return `file ${name} (${mediaType}, ${bytesText(size)})`;
}

function note(what: string, content?: string): Block {
  return { type: "text", text: content === undefined ? `[${what}]` : `[${what}]\n${content}` };
}
