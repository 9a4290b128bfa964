/** Replaces blocks that refer to files beside the source by the content of those files. */
import type { Block, Message } from "../../../message/types.ts";
import { isPlainObject, type JsonObject } from "../../../util/json.ts";
import { mediaTypeOf } from "../../contract/media-types.ts";
import type { FileSource, Surroundings } from "../../contract/reader.ts";
import type { PreparedEntry, ReadEntry } from "./stored-entry.ts";

const FILE_BYTES_MAX = 48 * 1024 * 1024;

/** Prepares an entry: at once, unless it refers to files, which have to be read. */
export function attachFiles(
  read: ReadEntry,
  unresolved: (reference: string) => void,
): PreparedEntry | Promise<PreparedEntry> {
  const { entry, origin } = read;
  const { message, data, flags = [] } = entry;
  const prepared: PreparedEntry = { ...read, id: entry.id, message, data, flags };
  if (message === undefined || entry.verbatim === true || !hasFiles(message.content)) return prepared;
  return withFiles(message, origin.around, unresolved).then((whole) => ({ ...prepared, message: whole }));
}

function hasFiles(content: Message["content"]): boolean {
  return Array.isArray(content) && content.some((block) => hasFile(block));
}

function hasFile(block: unknown): boolean {
  if (!isPlainObject(block)) return false;
  if (block.type === "tool_result" && Array.isArray(block.content)) return block.content.some(hasFile);
  return isFileSource(block.source);
}

function isFileSource(value: unknown): value is FileSource & JsonObject {
  return isPlainObject(value) && value.type === "file" && typeof value.name === "string";
}

/** A file that does not exist leaves its block, marked as missing. */
async function withFiles(
  message: Message,
  around: Surroundings,
  unresolved: (reference: string) => void,
): Promise<Message> {
  const fill = async (block: unknown): Promise<unknown> => {
    if (!isPlainObject(block)) return block;
    if (block.type === "tool_result" && Array.isArray(block.content)) {
      return { ...block, content: await Promise.all(block.content.map(fill)) };
    }
    return isFileSource(block.source) ? filled(block, block.source, around, unresolved) : block;
  };
  const content = await Promise.all((message.content as readonly Block[]).map(fill));
  return { ...message, content: content as Block[] };
}

async function filled(
  block: Record<string, unknown>,
  source: FileSource,
  around: Surroundings,
  unresolved: (reference: string) => void,
): Promise<unknown> {
  const bytes = await around.read(source.name, FILE_BYTES_MAX);
  if (bytes === undefined) {
    unresolved(`file ${source.name}`);
    return { ...block, missing: true };
  }
  if (block.type === "text") return { ...block, text: bytes.toString() };
  const media = source.media_type ?? typeOf(bytes, source.name);
  return {
    ...block,
    source: { type: "base64", media_type: media, data: bytes.toString("base64"), name: source.name },
  };
}

/** Whether files of the message were not found: by this, or by the reader, which looks for some itself. */
export function lacksFiles({ entry, message }: PreparedEntry): boolean {
  return entry.lacksFiles === true || (Array.isArray(message?.content) && message.content.some(isLacking));
}

function isLacking(block: unknown): boolean {
  if (!isPlainObject(block)) return false;
  return block.missing === true || (Array.isArray(block.content) && block.content.some(isLacking));
}

const SIGNATURES: readonly (readonly [string, string])[] = [
  ["89504e47", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["47494638", "image/gif"],
  ["25504446", "application/pdf"],
];
/** The first bytes count more than the name. */
function typeOf(bytes: Buffer, name: string): string {
  const start = bytes.subarray(0, 4).toString("hex");
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  return known?.[1] ?? mediaTypeOf(name) ?? "application/octet-stream";
}
