import type { ColloquyError } from "../../errors.ts";
import { type Position, wrongAt } from "./nodes.ts";

/**
 * Spaces, line ends and comments.
 *
 * Regular expressions instead of loops: a config is read once, right after the
 * start, when loops over characters are not compiled yet.
 */
const TRIVIA = /(?:[\s\ufeff]+|\/\/[^\n\r\u2028\u2029]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;
const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

/** Walks through a JSON5 text and knows the line it is on. */
export class Scanner {
  readonly text: string;
  readonly #file: string;
  offset = 0;
  #lineStarts: readonly number[] | undefined;
  #line = 0;

  constructor(text: string, file: string) {
    this.text = text;
    this.#file = file;
  }

  get position(): Position {
    this.#lineStarts ??= lineStartsOf(this.text);
    const starts = this.#lineStarts;
    if ((starts[this.#line] as number) > this.offset) this.#line = 0;
    while ((starts[this.#line + 1] ?? Number.POSITIVE_INFINITY) <= this.offset) this.#line++;
    const column = this.offset - (starts[this.#line] as number) + 1;
    return { offset: this.offset, line: this.#line + 1, column };
  }

  get current(): string {
    return this.text[this.offset] ?? "";
  }

  get atEnd(): boolean {
    return this.offset >= this.text.length;
  }

  takeIf(character: string): boolean {
    if (this.current !== character) return false;
    this.offset++;
    return true;
  }

  skip(count: number): void {
    this.offset += count;
  }

  /** Skip spaces, line ends and comments. */
  skipTrivia(): void {
    TRIVIA.lastIndex = this.offset;
    TRIVIA.test(this.text);
    this.offset = TRIVIA.lastIndex;
    if (this.current !== "/") return;
    throw this.text[this.offset + 1] === "*"
      ? this.fail("This comment has no end")
      : this.fail('A single "/" is not a comment: write // or /* … */');
  }

  fail(what: string, at: Position = this.position): ColloquyError {
    return wrongAt(what, this.#file, at);
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  LINE_END.lastIndex = 0;
  while (LINE_END.test(text)) starts.push(LINE_END.lastIndex);
  return starts;
}

export function isLineEnd(character: string): boolean {
  return character === "\n" || character === "\r" || character === "\u2028" || character === "\u2029";
}

export function isSpace(character: string): boolean {
  return /^\s$/.test(character) && !isLineEnd(character);
}
