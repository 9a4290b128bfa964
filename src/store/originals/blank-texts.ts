/** Overwrites words in the bytes of an original with spaces. Every other byte keeps its place. */
import type { Stretch } from "./announcement.ts";

/** Texts that must not be read any more. */
export class ErasedTexts {
  /** A string of the source that is equal to one of these, or part of it, or has it as a part. */
  readonly #texts: ReadonlySet<string>;
  readonly #long: readonly string[];

  constructor(texts: Iterable<string>) {
    this.#texts = new Set([...texts].filter((text) => text.length >= EQUAL_CHARS_MIN));
    this.#long = [...this.#texts].filter((text) => text.length >= PART_CHARS_MIN);
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  has(text: string): boolean {
    if (this.#texts.has(text)) return true;
    if (text.length < PART_CHARS_MIN) return false;
    return this.#long.some((long) =>
      long.length <= text.length ? text.includes(long) : long.includes(text),
    );
  }

  /** As they are written outside of JSON, such as in a damaged line. */
  *plain(): Generator<string> {
    for (const text of this.#long) {
      yield text;
      const escaped = JSON.stringify(text).slice(1, -1);
      if (escaped !== text) yield escaped;
    }
  }
}

/** A shorter text is in every conversation. */
const EQUAL_CHARS_MIN = 3;
/** As a part of a longer string, a shorter text means nothing. */
const PART_CHARS_MIN = 16;
/** JSON in a string of JSON, and so on. */
const DEPTH_MAX = 4;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
const NEWLINE = 0x0a;

/** A copy without the texts and without these stretches, whose positions are in `bytes`; `undefined`: it has none. */
export function blanked(
  bytes: Buffer,
  texts: ErasedTexts,
  stretches: readonly Stretch[],
): Buffer | undefined {
  let copy: Buffer | undefined;
  const blank = (from: number, to: number): void => {
    copy ??= Buffer.from(bytes);
    for (let at = from; at < to; at++) if (copy[at] !== NEWLINE) copy[at] = SPACE;
  };
  for (const [start, length] of stretches) blank(start, Math.min(bytes.length, start + length));
  if (!texts.isEmpty) {
    for (const [from, to, inner] of stringsWith(bytes, texts, 0)) {
      blank(from, to);
      if (inner !== undefined) copy?.write(inner, from, "utf8");
    }
    for (const text of texts.plain()) {
      const length = Buffer.byteLength(text);
      for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + length))
        blank(at, at + length);
    }
  }
  return copy?.equals(bytes) === true ? undefined : copy;
}

type Found = readonly [from: number, to: number, instead: string | undefined];

/** The string values of JSON, without their quotes, that hold one of the texts. */
function* stringsWith(bytes: Buffer, texts: ErasedTexts, depth: number): Generator<Found> {
  for (let open = bytes.indexOf(QUOTE); open !== -1; ) {
    const end = stringEnd(bytes, open + 1);
    if (!isName(bytes, end + 1)) {
      const text = decoded(bytes, open, end);
      if (texts.has(text)) yield [open + 1, end, nested(text, texts, end - open - 1, depth)];
      else if (/^\s*[[{]/.test(text)) {
        const instead = nested(text, texts, end - open - 1, depth);
        if (instead !== undefined) yield [open + 1, end, instead];
      }
    }
    open = bytes.indexOf(QUOTE, end + 1);
  }
}

/** JSON within a string, without the texts, if it is shorter than the string was. */
function nested(text: string, texts: ErasedTexts, bytesMax: number, depth: number): string | undefined {
  if (depth >= DEPTH_MAX || !/^\s*[[{]/.test(text)) return undefined;
  const inner = Buffer.from(text);
  let copy: Buffer | undefined;
  for (const [from, to, instead] of stringsWith(inner, texts, depth + 1)) {
    copy ??= Buffer.from(inner);
    copy.fill(SPACE, from, to);
    if (instead !== undefined) copy.write(instead, from, "utf8");
  }
  if (copy === undefined) return undefined;
  const escaped = JSON.stringify(copy.toString()).slice(1, -1);
  return Buffer.byteLength(escaped) <= bytesMax ? escaped : undefined;
}

function decoded(bytes: Buffer, open: number, end: number): string {
  const text = bytes.toString("utf8", open + 1, end);
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/** The closing quote of a string, or the end of its line: a string that was cut off does not go on. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE || byte === NEWLINE) return at;
  }
  return bytes.length;
}

function isName(bytes: Buffer, from: number): boolean {
  let at = from;
  while (at < bytes.length && (bytes[at] as number) <= SPACE) at++;
  return bytes[at] === COLON;
}
