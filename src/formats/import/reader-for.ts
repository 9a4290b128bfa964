/**
 * Which reader a file is given to. Mostly its first record says it. Where the
 * beginning is damaged, so that a file of lines looks like an array or like
 * nothing, the first records that can still be read say it.
 */
import { isPlainObject, type Json, type JsonObject } from "../../util/json.ts";
import type { DocumentFormat, LinesFormat } from "../contract/reader.ts";
import { readElements } from "../sources/json/elements.ts";
import { parseRecords } from "../sources/json/records.ts";
import { readLines } from "../sources/lines.ts";
import { problemOf } from "../sources/problem.ts";
import { sniffHead } from "../sources/sniff.ts";
import type { ByteSource, SourceLine } from "../sources/types.ts";
import { documentFormat, firstDocumentFormat, linesFormat } from "./choose-format.ts";

/** How far a beginning that says nothing is looked behind. */
const LINES_BYTES_MAX = 4 * 1024 * 1024;
const ELEMENTS_BYTES_MAX = 64 * 1024 * 1024;
const RECORDS_MAX = 20;
/** A damaged conversation may leave many messages before the next conversation that is whole. */
const ELEMENTS_MAX = 1000;

/** `damaged`: it holds conversations, it seems, and none of them can be read. */
export type Reader = LinesFormat | DocumentFormat | "database" | "damaged" | "unknown" | "empty";

/** An archive may be damaged further on. What can be read of it counts; only when that is nothing, it is thrown. */
export async function readerFor(
  source: ByteSource,
  path: string,
  wanted: string | undefined,
): Promise<Reader> {
  const readable = new Readable(source);
  const reader = await readerOf(readable, path, wanted);
  if (typeof reader !== "object" && reader !== "database" && readable.problem !== undefined) {
    throw readable.problem;
  }
  return reader;
}

async function readerOf(source: ByteSource, path: string, wanted: string | undefined): Promise<Reader> {
  const { kind, records } = await sniffHead(source);
  if (kind === "sqlite") return "database";
  if (kind === "empty") return "empty";
  const [first] = records;
  const isOfLines = kind === "lines" || kind === "object";
  const lines = isOfLines ? linesFormat(records, path, wanted) : undefined;
  if (kind === "lines" && lines !== undefined) return lines;
  const document = first === undefined ? undefined : documentFormat(first, wanted);
  const hidden = isOfLines ? undefined : await hiddenLines(source, path, wanted, document);
  // One record alone is a whole JSON document as well.
  return hidden ?? document ?? lines ?? behindDamage(source, path, wanted);
}

/** A file of lines that seems to be something else, because a byte at its beginning is another one. */
async function hiddenLines(
  source: ByteSource,
  path: string,
  wanted: string | undefined,
  document: DocumentFormat | undefined,
): Promise<LinesFormat | undefined> {
  const { objects, isSome, isMostly } = await firstLines(source);
  const lines = isSome ? linesFormat(objects, path, wanted) : undefined;
  return isMostly || isDoubtful(document, lines) ? lines : undefined;
}

/** A plain chat is found in much that is damaged. */
function isDoubtful(document: DocumentFormat | undefined, lines: LinesFormat | undefined): boolean {
  return document?.name === PLAIN_CHAT && lines?.name !== PLAIN_CHAT;
}

const PLAIN_CHAT = "openai-chat";

async function behindDamage(
  source: ByteSource,
  path: string,
  wanted: string | undefined,
): Promise<LinesFormat | DocumentFormat | "damaged" | "unknown"> {
  const { objects, isSome, isMostly } = await firstLines(source);
  const lines = isSome ? linesFormat(objects, path, wanted) : undefined;
  if (isMostly && lines !== undefined) return lines;
  const { elements, isDamaged } = await firstElements(source, wanted);
  const document = firstDocumentFormat(elements, wanted);
  const found = isDoubtful(document, lines) ? (lines ?? document) : (document ?? lines);
  return found ?? (isDamaged ? "damaged" : "unknown");
}

interface FirstLines {
  readonly objects: readonly JsonObject[];
  /** Some lines are one object each, or most are. */
  readonly isSome: boolean;
  readonly isMostly: boolean;
}

async function firstLines(source: ByteSource): Promise<FirstLines> {
  const objects: JsonObject[] = [];
  let [lines, whole] = [0, 0];
  for await (const batch of readLines(limited(source, LINES_BYTES_MAX))) {
    for (const line of batch) {
      const { found, isWhole } = objectsOf(line);
      if (line.state === "blank") continue;
      lines++;
      if (isWhole) whole++;
      objects.push(...found);
    }
    if (objects.length >= RECORDS_MAX) break;
  }
  const isSome = whole > 0;
  return { objects: objects.slice(0, RECORDS_MAX), isSome, isMostly: isSome && whole * 2 >= lines };
}

/** An element of an array has a comma behind it or space before it, and is no line of its own. */
function objectsOf({ text = "" }: SourceLine): { found: JsonObject[]; isWhole: boolean } {
  const { values } = parseRecords(text);
  const found = values.map(({ value }) => value).filter(isObject);
  return { found, isWhole: found.length > 0 && text.trimEnd().endsWith("}") && text.startsWith("{") };
}

interface FirstElements {
  readonly elements: readonly JsonObject[];
  /** What cannot be read looks like a conversation. */
  readonly isDamaged: boolean;
}

async function firstElements(source: ByteSource, wanted: string | undefined): Promise<FirstElements> {
  const elements: JsonObject[] = [];
  let isDamaged = false;
  const isElement = (value: Json): boolean => isObject(value) && documentFormat(value, wanted) !== undefined;
  for await (const element of readElements(limited(source, ELEMENTS_BYTES_MAX), { isElement })) {
    if ("problem" in element) isDamaged ||= CONVERSATION.test(element.text ?? "");
    else if (isElement(element.value)) elements.push(element.value as JsonObject);
    if (elements.length >= ELEMENTS_MAX) break;
  }
  return { elements, isDamaged };
}

/** Names of members that conversations have, and settings with comments, say, have not. */
const CONVERSATION = /"(?:messages|chat_messages|mapping|role|sender|conversation_?id|session_?id)"\s*:/i;

/** The part of a source that comes before what is wrong with it. */
class Readable implements ByteSource {
  readonly #source: ByteSource;
  problem: unknown;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async *chunks(from = 0): AsyncGenerator<Buffer> {
    try {
      yield* this.#source.chunks(from);
    } catch (error) {
      if (problemOf(error) === undefined) throw error;
      this.problem = error;
    }
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

function limited(source: ByteSource, bytesMax: number): ByteSource {
  return {
    chunks: (from = 0) => upTo(source.chunks(from), bytesMax - from),
    close: () => source.close(),
  };
}

async function* upTo(chunks: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let left = bytesMax;
  if (left <= 0) return;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

function isObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}
