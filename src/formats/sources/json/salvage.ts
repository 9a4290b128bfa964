/**
 * Finds the intact elements of a damaged array.
 *
 * A lost quote or bracket changes the meaning of everything after it. So after
 * the damage nothing is assumed: wherever an object begins, it is checked for
 * completeness, and the caller decides whether it is an element or only a part
 * of one. Everything else is returned as a problem, with its text.
 */
import type { Json } from "../../../util/json.ts";
import { problemOf } from "../problem.ts";
import type { ByteSource, ElementProblem, SourceElement } from "../types.ts";
import { scanValue } from "./scan-value.ts";
import { excessIn } from "./value-count.ts";

export interface SalvageOptions {
  readonly isElement: (value: Json) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Longer elements are not recovered after damage. */
const ELEMENT_BYTES_MAX = 64 * 1024 * 1024;
/** Deeper ones are refused, as everywhere else. */
const DEPTH_MAX = 1000;
const WINDOW_BYTES = 1024 * 1024;
/** Damage is reported in parts of this size. */
const PROBLEM_BYTES_MAX = 1024 * 1024;
/** How often each byte may be scanned without success before objects inside incomplete ones are skipped. */
const EFFORT_MAX = 8;

/** A cut escape or word is an error at its beginning. */
const TOKEN_MAX = 8;

/** Bytes between elements that are not damage. A byte order mark is three bytes. */
const GAP = /^[\s,[\]\0\xef\xbb\xbf]*$/;

/** The elements from `offset` on. Takes time proportional to the length of the file. */
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

/** The object that ends at `end`, if it is an element. */
function* taken(
  window: Window,
  end: number,
  isElement: SalvageOptions["isElement"],
): Generator<SourceElement | ElementProblem> {
  const start = window.at;
  const text = window.textOf(start, end);
  window.at = end;
  if (excessIn(text) !== undefined) return;
  const value: Json = JSON.parse(text);
  if (!isElement(value)) return;
  yield* window.tell(start);
  yield { value, offset: window.offset + start, bytes: end - start, text };
  window.told = end;
}

/** A part of the file with one character per byte, which is enough for the structure of JSON. */
class Window {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);
  text = "";
  /** Where the text begins in the file. */
  offset: number;
  /** The positions up to which the text was scanned and up to which it was reported. */
  at = 0;
  told = 0;
  /** The number of bytes read so far. */
  seen = 0;
  /** The problem that ended the file early. */
  problem: string | undefined;

  constructor(chunks: AsyncIterable<Buffer>, offset: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.offset = offset;
  }

  /** Move `at` to the next object, if there is one. */
  seek(): boolean {
    const start = this.text.indexOf("{", this.at);
    this.at = start === -1 ? this.text.length : start;
    return start !== -1;
  }

  /** An object that is incomplete at `end` may continue after the window. */
  async growFor(end: number): Promise<boolean> {
    const isCut = end > this.text.length - TOKEN_MAX;
    return isCut && this.text.length - this.at < ELEMENT_BYTES_MAX && (await this.grow());
  }

  /** Read about as much again as remains to be scanned, and drop what was reported. False at the end of the file. */
  async grow(): Promise<boolean> {
    const left = this.#bytes.subarray(this.told);
    const parts: Buffer[] = [left];
    const ahead = this.text.length - this.at;
    const wanted = left.length + Math.max(WINDOW_BYTES, Math.min(ahead, ELEMENT_BYTES_MAX - ahead));
    let length = left.length;
    while (length < wanted) {
      const chunk = await this.#next();
      if (chunk === undefined) break;
      // A copy, because the next chunk may reuse the same memory.
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

  /** Report the bytes before `end` that are not part of an element. */
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
