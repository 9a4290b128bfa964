/**
 * Finds the reader of a file. Usually its first record decides. If the beginning is damaged, so that a file
 * of lines looks like an array or like nothing, the first readable records decide.
 */
import { isJsonObject, type Json, type JsonObject } from "../../../util/json.ts";
import { bytesOf } from "../../sources/byte-source.ts";
import { readElements } from "../../sources/json/elements.ts";
import { parseRecords } from "../../sources/json/records.ts";
import { TOO_MANY } from "../../sources/json/value-count.ts";
import { readLines } from "../../sources/lines.ts";
import { problemOf } from "../../sources/problem.ts";
import { sniffHead } from "../../sources/sniff.ts";
import type { ByteSource, SourceLine } from "../../sources/types.ts";
import type { Candidates, WithDocument, WithLines } from "./candidates.ts";
import { documentFormat, linesFormat } from "./choose-format.ts";

/** How far to look for readable records after a beginning that is not recognized. */
const LINES_BYTES_MAX = 4 * 1024 * 1024;
const ELEMENTS_BYTES_MAX = 64 * 1024 * 1024;
const RECORDS_MAX = 20;
/** A damaged conversation may leave many messages before the next intact conversation. */
const ELEMENTS_MAX = 1000;

/** `damaged`: it seems to hold conversations, none of which can be read, or a record that is too large to look at. */
export type Reader =
  | { readonly kind: "lines"; readonly format: WithLines; readonly records: readonly JsonObject[] }
  | { readonly kind: "document"; readonly format: WithDocument }
  | { readonly kind: "damaged"; readonly offset: number | null; readonly reason: string }
  | { readonly kind: "database" | "unknown" | "empty" };

interface Candidate {
  readonly source: ByteSource;
  readonly path: string;
  readonly formats: Candidates;
}

/** An archive may be damaged further on. The part before the damage counts; without one, the damage is thrown. */
export async function readerFor(source: ByteSource, path: string, formats: Candidates): Promise<Reader> {
  const readable = new Readable(source);
  const reader = await readerOf({ source: readable, path, formats });
  const isFound = "format" in reader || reader.kind === "database";
  if (!isFound && readable.problem !== undefined) throw readable.problem;
  return reader;
}

async function readerOf(candidate: Candidate): Promise<Reader> {
  const { source, path, formats } = candidate;
  const { kind, records } = await sniffHead(source);
  if (kind === "sqlite") return { kind: "database" };
  if (kind === "empty") return { kind: "empty" };
  const isOfLines = kind === "lines" || kind === "object";
  const lines = isOfLines ? linesFormat(records, path, formats) : undefined;
  if (kind === "lines" && lines !== undefined) return { kind: "lines", format: lines, records };
  const document = records.length === 0 ? undefined : documentFormat(records.slice(0, 1), formats);
  const hidden = isOfLines ? undefined : await hiddenLines(candidate, document);
  if (hidden !== undefined) return { kind: "lines", ...hidden };
  // A single record is also a whole JSON document.
  if (document !== undefined) return { kind: "document", format: document };
  return lines === undefined ? readerAfterDamage(candidate) : { kind: "lines", format: lines, records };
}

/** A file of lines that looks like something else, because a byte at its beginning has changed. */
async function hiddenLines(
  { source, path, formats }: Candidate,
  document: WithDocument | undefined,
): Promise<{ readonly format: WithLines; readonly records: readonly JsonObject[] } | undefined> {
  const { objects, isSome, isMostly } = await firstLines(source);
  const format = isSome ? linesFormat(objects, path, formats) : undefined;
  if (format === undefined || !(isMostly || isDoubtful(document, format))) return undefined;
  return { format, records: objects };
}

/** A generic document is found in much that is damaged. */
function isDoubtful(document: WithDocument | undefined, lines: WithLines | undefined): boolean {
  return document?.isGeneric === true && lines?.isGeneric !== true;
}

async function readerAfterDamage({ source, path, formats }: Candidate): Promise<Reader> {
  const { objects, isSome, isMostly } = await firstLines(source);
  const lines = isSome ? linesFormat(objects, path, formats) : undefined;
  if (isMostly && lines !== undefined) return { kind: "lines", format: lines, records: objects };
  const { elements, isDamaged, tooLarge } = await firstElements(source, formats);
  const document = documentFormat(elements, formats);
  if (lines !== undefined && (document === undefined || isDoubtful(document, lines))) {
    return { kind: "lines", format: lines, records: objects };
  }
  if (document !== undefined) return { kind: "document", format: document };
  if (tooLarge !== undefined) return { kind: "damaged", offset: tooLarge, reason: TOO_MANY };
  // In the home of a tool that only writes lines, a document is not the tool's, whatever is in it.
  const mayMatter = formats.documents.length > 0 || !DOCUMENT.test(path);
  return isDamaged && mayMatter && !SOURCE_CODE.test(path)
    ? { kind: "damaged", offset: null, reason: UNREADABLE }
    : { kind: "unknown" };
}

interface FirstLines {
  readonly objects: readonly JsonObject[];
  /** Whether some lines, or most of them, hold exactly one object. */
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
      objects.push(...found.slice(0, RECORDS_MAX));
    }
    if (objects.length >= RECORDS_MAX) break;
  }
  const isSome = whole > 0;
  return { objects: objects.slice(0, RECORDS_MAX), isSome, isMostly: isSome && whole * 2 >= lines };
}

/** An element of an array follows white space or ends with a comma, so it is not a whole line. */
function objectsOf({ text = "" }: SourceLine): { found: JsonObject[]; isWhole: boolean } {
  const { values } = parseRecords(text);
  const found = values.map(({ value }) => value).filter(isJsonObject);
  return { found, isWhole: found.length > 0 && text.trimEnd().endsWith("}") && text.startsWith("{") };
}

const UNREADABLE = "damaged: it seems to hold conversations, but none can be read";

interface FirstElements {
  readonly elements: readonly JsonObject[];
  /** The part that cannot be read looks like a conversation. */
  readonly isDamaged: boolean;
  /** Where a record is that has too many values to be parsed. */
  readonly tooLarge: number | undefined;
}

async function firstElements(source: ByteSource, formats: Candidates): Promise<FirstElements> {
  const elements: JsonObject[] = [];
  let isDamaged = false;
  let tooLarge: number | undefined;
  const isElement = (value: Json): boolean =>
    isJsonObject(value) && documentFormat([value], formats) !== undefined;
  for await (const element of readElements(limited(source, ELEMENTS_BYTES_MAX), { isElement })) {
    if ("problem" in element) {
      isDamaged ||= CONVERSATION.test(element.text ?? "");
      if (element.problem === TOO_MANY) tooLarge ??= element.offset;
    } else if (isElement(element.value)) elements.push(element.value as JsonObject);
    if (elements.length >= ELEMENTS_MAX) break;
  }
  return { elements, isDamaged, tooLarge };
}

/** Programs and pages name the same properties, in braces, and are no conversations. */
const SOURCE_CODE = /\.(?:[cm]?[jt]sx?|css|html?|map|py|sh)(?:\.(?:gz|br|zst))?$/i;

const DOCUMENT = /\.json$/i;

/** Property names of conversations, which other unreadable files, such as settings with comments, do not have. */
const CONVERSATION = /"(?:messages|chat_messages|mapping|role|sender|conversation_?id|session_?id)"\s*:/i;

/** A source up to the first problem in it. */
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
    chunks: (from = 0) => bytesOf(source, from, Math.max(0, bytesMax - from)),
    close: () => source.close(),
  };
}
