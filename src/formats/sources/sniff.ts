/** Detects the kind of a file by its beginning. */
import { NEWLINE } from "../../disk/line-scan.ts";
import { isJsonObject, type JsonObject } from "../../util/json.ts";
import { firstBytes } from "./byte-source.ts";
import { readElements } from "./json/elements.ts";
import { cutLongStrings, giveBack } from "./json/long-strings.ts";
import { parseRecords } from "./json/records.ts";
import { readLines } from "./lines.ts";
import type { ByteSource, Head, HeadKind, SourceElement } from "./types.ts";

const HEAD_BYTES = 1024 * 1024;
/** How far a first record may reach that is longer than the head. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;
const RECORDS_MAX = 20;
const OPENING_BYTES = 1024;
/** A head is split into lines piece by piece, because its first records are enough. */
const PIECE_BYTES = 64 * 1024;

/** Reads about 1 MiB, or up to 64 MiB when the first record is longer than that. */
export async function sniffHead(source: ByteSource): Promise<Head> {
  const head = await firstBytes(source.chunks(), HEAD_BYTES);
  if (head.toString("latin1", 0, 16) === "SQLite format 3\0") return known("sqlite", []);
  const isWhole = head.length < HEAD_BYTES;
  const begin = beginOf(head);
  if (begin === -1) return known(isWhole ? "empty" : "other", []);
  const sign = String.fromCharCode(head[begin] ?? 0);
  const isFirstWhole = isWhole || head.includes(NEWLINE, begin);
  if (sign === "[" && !isFirstWhole) return known("array", await firstElement(source));
  if (sign !== "{" && !isFirstWhole) return known("other", []);
  const lines = isFirstWhole
    ? await firstLines(inMemory(head), HEAD_BYTES)
    : await firstLines(limited(source, RECORD_BYTES_MAX), RECORD_BYTES_MAX);
  // Lines of a document that is laid out may be values by themselves, but never the first one.
  if (lines.isFirstValue && (sign === "{" || lines.values > 1)) return asLines(lines);
  if (sign === "[") return known("array", await firstElement(source));
  if (sign === "{") return objectOrLines(source, lines, head.toString("utf8", begin));
  return lines.objects.length > 0 ? asLines(lines) : known("other", []);
}

/** The offset of the first character that says something. Nearly always it is among the first bytes. */
function beginOf(head: Buffer): number {
  for (const length of [OPENING_BYTES, head.length]) {
    const text = head.toString("utf8", 0, length);
    const begin = text.search(/[^\s\0\ufeff]/);
    // The last character may be cut.
    const isCut = begin === text.length - 1 && length < head.length;
    if (begin !== -1 && !isCut) return Buffer.byteLength(text.slice(0, begin));
  }
  return -1;
}

function known(kind: HeadKind, records: readonly JsonObject[], isAlone = false): Head {
  return { kind, records, isAlone };
}

interface FirstLines {
  readonly objects: JsonObject[];
  /** How many lines say something, how many of them have a value, and whether the first one has. */
  lines: number;
  values: number;
  isFirstValue: boolean;
  isAll: boolean;
}

/** Of a source limited to `bytesMax`: fewer bytes are the whole file. */
async function firstLines(source: ByteSource, bytesMax: number): Promise<FirstLines> {
  const found: FirstLines = { objects: [], lines: 0, values: 0, isFirstValue: false, isAll: false };
  let [isFirst, end] = [true, 0];
  for await (const batch of readLines(source)) {
    for (const line of batch) {
      end = line.offset + line.bytes;
      const text = line.text ?? shortText(line.raw);
      if (line.state === "blank" || (line.state === "ok" && text === "")) continue;
      const isOver = !isFirst && (line.offset > HEAD_BYTES || found.objects.length >= RECORDS_MAX);
      if (isOver) return found;
      count(found, text, isFirst);
      isFirst = false;
    }
  }
  return { ...found, isAll: end < bytesMax };
}

/** Enough to recognize it: the long strings of a line do not matter for that. */
function shortText(raw: Buffer | undefined): string {
  if (raw === undefined) return "";
  const { text } = cutLongStrings(raw);
  giveBack(raw);
  return text;
}

function count(found: FirstLines, text: string, isFirst: boolean): void {
  const { values } = parseRecords(text);
  found.lines++;
  if (values.length === 0) return;
  found.values++;
  if (isFirst) found.isFirstValue = true;
  const objects = values.map(({ value }) => value).filter(isJsonObject);
  found.objects.push(...objects.slice(0, RECORDS_MAX - found.objects.length));
}

function asLines({ objects, lines, isAll }: FirstLines): Head {
  return known("lines", objects, lines === 1 && objects.length === 1 && isAll);
}

/** The first line of an object is not a value: the object spans several lines, or the line is torn. */
async function objectOrLines(source: ByteSource, lines: FirstLines, text: string): Promise<Head> {
  const element = await firstElementOf(source);
  // An element found after the damage of a torn line does not begin where the file does.
  const isWhole = element?.text === undefined || text.startsWith(element.text.slice(0, text.length));
  if (isWhole && element !== undefined && isJsonObject(element.value)) {
    return known("object", [element.value], true);
  }
  return lines.objects.length > 0 ? asLines(lines) : known("object", []);
}

async function firstElement(source: ByteSource): Promise<readonly JsonObject[]> {
  const element = await firstElementOf(source);
  return element !== undefined && isJsonObject(element.value) ? [element.value] : [];
}

/** The first element of an array, or the object itself, if it can be had. */
async function firstElementOf(source: ByteSource): Promise<SourceElement | undefined> {
  for await (const element of readElements(limited(source, RECORD_BYTES_MAX))) {
    if ("value" in element) return element;
  }
  return undefined;
}

function inMemory(bytes: Buffer): ByteSource {
  return {
    async *chunks() {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
    },
    async close() {},
  };
}

function limited(source: ByteSource, bytesMax: number): ByteSource {
  return { chunks: () => upTo(source, bytesMax), close: () => source.close() };
}

async function* upTo(source: ByteSource, bytesMax: number): AsyncGenerator<Buffer> {
  let left = bytesMax;
  for await (const chunk of source.chunks()) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
