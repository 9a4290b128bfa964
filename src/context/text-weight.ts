/**
 * The weight of a text, in sixteenths of a token.
 *
 * An estimate by the kind of character, not a tokenizer: integers that add up,
 * so that a text can be cut at a weight without weighing it again. The text is
 * read as UTF-8, two bytes at a time, because the first byte of a character
 * already determines its kind, and encoding into a buffer is several times
 * faster than reading a string character by character.
 */

/** One token. */
export const TOKEN_WEIGHT = 16;

const LOWER_CASE = 4;
const UPPER_CASE = 6;
const DIGIT = 7;
const SPACE = 3;
const LINE_BREAK = 8;
const SYMBOL = 10;
const TWO_BYTES = 8;
const THREE_BYTES = 16;
const FOUR_BYTES = 40;

/** The most a UTF-16 unit can weigh: a character of four bytes has two of them. */
export const CHAR_WEIGHT_MAX: number = FOUR_BYTES / 2;

function asciiWeight(code: number): number {
  if (code >= 97 && code <= 122) return LOWER_CASE;
  if (code >= 65 && code <= 90) return UPPER_CASE;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 32) return SPACE;
  return code < 32 ? LINE_BREAK : SYMBOL;
}

function byteWeight(byte: number): number {
  if (byte < 0x80) return asciiWeight(byte);
  if (byte < 0xc0) return 0; // a continuation byte; the first byte carries the weight
  if (byte < 0xe0) return TWO_BYTES;
  return byte < 0xf0 ? THREE_BYTES : FOUR_BYTES;
}

function codePointWeight(code: number): number {
  if (code < 0x80) return asciiWeight(code);
  if (code < 0x800) return TWO_BYTES;
  return code < 0x10000 ? THREE_BYTES : FOUR_BYTES;
}

const CHUNK_CHARS = 16_384;
const WEIGHTLESS_BYTE = 0x80;
const encoder = new TextEncoder();
let tables: { bytes: Uint8Array<ArrayBuffer>; pairs: Uint16Array; weights: Uint8Array } | undefined;

/** Built on first use: most commands weigh nothing. */
function makeTables(): NonNullable<typeof tables> {
  const single = Uint8Array.from({ length: 256 }, (_, byte) => byteWeight(byte));
  const weights = new Uint8Array(65_536);
  for (let pair = 0; pair < weights.length; pair++) {
    weights[pair] = (single[pair >> 8] as number) + (single[pair & 0xff] as number);
  }
  const bytes = new Uint8Array(CHUNK_CHARS * 3 + 8);
  return { bytes, pairs: new Uint16Array(bytes.buffer), weights };
}

export function weighText(text: string): number {
  if (text.length <= CHUNK_CHARS) return weighChunk(text);
  let weight = 0;
  let from = 0;
  while (from < text.length) {
    const to = from + CHUNK_CHARS + (isPairAt(text, from + CHUNK_CHARS - 1) ? 1 : 0);
    weight += weighChunk(text.slice(from, to));
    from = to;
  }
  return weight;
}

function weighChunk(text: string): number {
  tables ??= makeTables();
  const { bytes, pairs, weights } = tables;
  const { written } = encoder.encodeInto(text, bytes);
  bytes[written] = WEIGHTLESS_BYTE;
  const end = (written + 1) >> 1;
  let weight = 0;
  for (let at = 0; at < end; at++) weight += weights[pairs[at] as number] as number;
  return weight;
}

/** Length of the longest prefix of at most `weight`. Surrogate pairs stay whole. */
export function headLength(text: string, weight: number): number {
  let length = 0;
  let rest = weight;
  while (length < text.length) {
    const code = text.codePointAt(length) as number;
    rest -= codePointWeight(code);
    if (rest < 0) break;
    length += code > 0xffff ? 2 : 1;
  }
  return length;
}

/** Length of the longest suffix of at most `weight`. */
export function tailLength(text: string, weight: number): number {
  let start = text.length;
  let rest = weight;
  while (start > 0) {
    const width = isPairAt(text, start - 2) ? 2 : 1;
    rest -= codePointWeight(text.codePointAt(start - width) as number);
    if (rest < 0) break;
    start -= width;
  }
  return text.length - start;
}

function isPairAt(text: string, index: number): boolean {
  return index >= 0 && (text.codePointAt(index) ?? 0) > 0xffff;
}
