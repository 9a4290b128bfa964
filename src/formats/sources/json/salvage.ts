/**
 * The elements of a damaged array that are still whole.
 *
 * A quote or a bracket that was lost changes the meaning of all that comes
 * behind it. So from the damage on nothing is taken for granted: wherever an
 * object begins it is tried whether it is complete, and whoever reads them
 * says whether it is an element or only a part of one. What is neither is
 * given as a problem, with its text.
 */
import type { Json } from "../../../util/json.ts";
import { problemOf } from "../problem.ts";
import type { ByteSource, ElementProblem, SourceElement } from "../types.ts";
import { scanValue } from "./scan-value.ts";

export interface SalvageOptions {
  readonly isElement: (value: Json) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Longer elements are not looked for behind damage. */
const ELEMENT_BYTES_MAX = 64 * 1024 * 1024;
/** Deeper ones are refused, as everywhere. */
const DEPTH_MAX = 1000;
const WINDOW_BYTES = 1024 * 1024;
/** Damage is told in parts of this size. */
const PROBLEM_BYTES_MAX = 1024 * 1024;
/** How often each byte may be read in vain, before objects within incomplete ones are given up. */
const EFFORT_MAX = 8;

/** An escape or a word that is cut is wrong where it begins. */
const TOKEN_MAX = 8;

/** What stands between elements and is no damage. A byte order mark is three bytes. */
const GAP = /^[\s,[\]\0\xef\xbb\xbf]*$/;

/** The elements from `offset` on. Takes time in proportion to the length of the file. */
export async function* salvageElements(
  source: ByteSource,
  offset: number,
  { isElement, signal }: SalvageOptions,
): AsyncGenerator<SourceElement | ElementProblem> {
  const window = new Window(source.chunks(offset), offset);
  let effort = 0;
  for (;;) {
    signal?.throwIfAborted();
    if (window.seek()) {
      const { end, error } = scanValue(window.text, window.at, DEPTH_MAX);
      if (error === undefined) yield* taken(window, end, isElement);
      else if (!(await window.growFor(end))) {
        effort += end - window.at;
        const isTired = effort > EFFORT_MAX * (window.seen + WINDOW_BYTES);
        window.at = Math.max(window.at + 1, isTired ? end - 2 : 0);
      }
    } else if (!(await window.grow())) break;
    if (window.at - window.told >= PROBLEM_BYTES_MAX) yield* window.tell(window.at);
  }
  yield* window.tell(window.text.length);
  if (window.problem !== undefined) yield { problem: window.problem, offset: window.offset, bytes: 0 };
}

/** The object that goes up to `end`, if it is an element. */
function* taken(
  window: Window,
  end: number,
  isElement: SalvageOptions["isElement"],
): Generator<SourceElement | ElementProblem> {
  const start = window.at;
  const text = window.textOf(start, end);
  const value: Json = JSON.parse(text);
  window.at = end;
  if (!isElement(value)) return;
  yield* window.tell(start);
  yield { value, offset: window.offset + start, text };
  window.told = end;
}

/** A part of the file, with one character a byte: what the structure of JSON is made of has no other bytes. */
class Window {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);
  text = "";
  /** Where the text begins in the file. */
  offset: number;
  /** Up to where it was looked at, and up to where everything was told. */
  at = 0;
  told = 0;
  /** How many bytes there were so far. */
  seen = 0;
  /** What ended the file too early. */
  problem: string | undefined;

  constructor(chunks: AsyncIterable<Buffer>, offset: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.offset = offset;
  }

  /** Whether another object begins; then `at` is there. */
  seek(): boolean {
    const start = this.text.indexOf("{", this.at);
    this.at = start === -1 ? this.text.length : start;
    return start !== -1;
  }

  /** An object that is incomplete at `end` may go on behind the window. */
  async growFor(end: number): Promise<boolean> {
    const isCut = end > this.text.length - TOKEN_MAX;
    return isCut && this.text.length - this.at < ELEMENT_BYTES_MAX && (await this.grow());
  }

  /** Reads about as much as there is still to look at. Places move by what was told. False at the end of the file. */
  async grow(): Promise<boolean> {
    const left = this.#bytes.subarray(this.told);
    const parts: Buffer[] = [left];
    const ahead = this.text.length - this.at;
    const wanted = left.length + Math.max(WINDOW_BYTES, Math.min(ahead, ELEMENT_BYTES_MAX - ahead));
    let length = left.length;
    while (length < wanted) {
      const chunk = await this.#next();
      if (chunk === undefined) break;
      // A copy, because the next chunk may come in the same place.
      parts.push(Buffer.from(chunk));
      length += chunk.length;
    }
    if (length === left.length) return false;
    this.seen += length - left.length;
    this.#bytes = Buffer.concat(parts, length);
    this.text = this.#bytes.toString("latin1");
    this.offset += this.told;
    this.at -= this.told;
    this.told = 0;
    return true;
  }

  async #next(): Promise<Buffer | undefined> {
    try {
      const next = await this.#chunks.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      if (problemOf(error) === undefined) throw error;
      this.problem = (error as Error).message;
      return undefined;
    }
  }

  textOf(start: number, end: number): string {
    return this.#bytes.toString("utf8", start, end);
  }

  /** What stands before an element and was none. */
  *tell(end: number): Generator<ElementProblem> {
    if (GAP.test(this.text.slice(this.told, end))) this.told = end;
    while (this.told < end) {
      const next = Math.min(end, this.told + PROBLEM_BYTES_MAX);
      const text = this.textOf(this.told, next);
      yield { problem: "not valid JSON", offset: this.offset + this.told, bytes: next - this.told, text };
      this.told = next;
    }
  }
}
