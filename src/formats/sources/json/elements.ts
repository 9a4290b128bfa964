/** The elements of a JSON array that is too long to parse at once. */
import { isUtf8 } from "node:buffer";
import type { Json } from "../../../util/json.ts";
import { problemOf } from "../problem.ts";
import type { ByteSource, ElementProblem, Recorded, SourceElement } from "../types.ts";
import { type Piece, Pieces } from "./pieces.ts";
import { parseRecords } from "./records.ts";
import { salvageElements } from "./salvage.ts";
import { TOO_MANY, VALUES_MAX, valuesIn } from "./value-count.ts";

export const ELEMENT_BYTES_MAX: number = 256 * 1024 * 1024;
/** The text of longer elements is not kept beside their value. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024;
const PROBLEM_TEXT_MAX = 1024 * 1024;
const HELD_MAX = 1000;

export interface ElementsOptions {
  readonly signal?: AbortSignal | undefined;
  /** Larger elements are passed over and reported. Default 256 MiB. */
  readonly elementBytesMax?: number | undefined;
  /**
   * Whether a value is an element and not only a part of one. With it the
   * elements after a lost quote or bracket are found, too.
   */
  readonly isElement?: ((value: Json) => boolean) | undefined;
  /** An element that was read in several chunks has no memory of its own then. */
  readonly recorded?: Recorded | undefined;
}

/**
 * The elements of the array that a file is, one at a time, or the one object
 * that it is. A damaged element is a problem, and so is what is missing at
 * the end; the elements around it are returned. Never throws because of what the
 * file says.
 */
export async function* readElements(
  source: ByteSource,
  options: ElementsOptions = {},
): AsyncGenerator<SourceElement | ElementProblem> {
  const { isElement, signal } = options;
  if (isElement === undefined) {
    for await (const { found } of readPieces(source, options)) yield* found;
    return;
  }
  // A value that is not an element may be a part of a damaged one, as turns out later.
  let held: Cut[] = [];
  let values = 0;
  for await (const cut of readPieces(source, options)) {
    if (isDamaged(cut)) {
      const offset = Math.min(...[...held, cut].map(({ piece }) => piece.offset));
      return yield* salvageElements(source, offset, { isElement, signal });
    }
    held.push(cut);
    const isSure = cut.found.some((item) => "value" in item && isElement(item.value));
    if (!isSure) values += valuesOf(cut);
    if (!isSure && held.length < HELD_MAX && values < VALUES_MAX) continue;
    for (const { found } of held) yield* found;
    held = [];
    values = 0;
  }
  for (const { found } of held) yield* found;
}

/** A piece of the file, and what is in it. */
interface Cut {
  readonly piece: Piece;
  readonly found: readonly Found[];
}

type Found = SourceElement | ElementProblem;

async function* readPieces(source: ByteSource, options: ElementsOptions): AsyncGenerator<Cut> {
  const pieces = new Pieces(options.elementBytesMax ?? ELEMENT_BYTES_MAX, options.recorded);
  try {
    for await (const chunk of source.chunks()) {
      options.signal?.throwIfAborted();
      for (const piece of pieces.push(chunk)) yield { piece, found: [...elementsIn(piece)] };
    }
  } catch (error) {
    // The values read before are intact; the file itself ended early.
    if (problemOf(error) === undefined) throw error;
    const piece = { offset: pieces.offset, length: 0, bytes: undefined, reason: (error as Error).message };
    yield { piece, found: [...elementsIn(piece)] };
  }
  for (const piece of pieces.end()) yield { piece, found: [...elementsIn(piece)] };
}

/** Those in memory. Without its text an element is large. */
function valuesOf({ found }: Cut): number {
  return found.reduce((sum, item) => {
    if (!("value" in item)) return sum;
    if (item.text === undefined) return VALUES_MAX;
    const { listed, opened } = valuesIn(item.text);
    return sum + Math.max(1, listed, opened);
  }, 0);
}

/** Whether the text after a piece may have been misread. No element is a list. */
function isDamaged({ piece, found }: Cut): boolean {
  const isBad = (item: Found): boolean =>
    "problem" in item ? !INTACT.has(item.problem) : Array.isArray(item.value);
  return piece.length > 0 && found.some(isBad);
}

const INVALID_UTF8 = "invalid-utf8";

/** Problems of elements that begin and end where they seem to. */
const INTACT: ReadonlySet<string> = new Set([INVALID_UTF8, TOO_MANY]);

function* elementsIn({ offset, length, bytes, reason }: Piece): Generator<Found> {
  if (bytes === undefined) {
    return yield { problem: reason ?? "is longer than the limit for an element", offset, bytes: length };
  }
  // Undecodable bytes are replaced and reported: a conversation with a gap is better than none.
  if (!isUtf8(bytes)) yield { problem: INVALID_UTF8, offset, bytes: length };
  const text = bytes.toString("utf8");
  if (reason !== undefined) return yield { problem: reason, offset, bytes: length, ...shortText(text) };
  const { values, rest } = parseRecords(text);
  for (const { value, text } of values) {
    yield { value, offset, bytes: length, ...(text.length <= TEXT_BYTES_MAX && { text }) };
  }
  if (rest !== undefined) yield { problem: rest.reason, offset, bytes: length, ...shortText(rest.text) };
}

function shortText(text: string): { readonly text?: string } {
  return text === "" || text.length > PROBLEM_TEXT_MAX ? {} : { text };
}
