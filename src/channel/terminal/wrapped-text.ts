/**
 * Text on lines that fit a terminal, printed as it arrives.
 *
 * A word is printed before its end is known. If it turns out not to fit, it is erased and printed again on the next
 * line; nothing above the current line is touched. The last column stays free, because terminals differ in where the
 * cursor is after it.
 */
import { charactersOf, widthOf } from "../../util/text-width.ts";
import type { Paint, Style } from "./paint.ts";

interface Part {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** What begins each line of a wrapped paragraph. */
export interface Indent extends Part {
  readonly width: number;
}

export const NO_INDENT: Indent = { text: "", styles: [], width: 0 };

const PARTS = /\n| +|[^\n ]+/g;

export class WrappedText {
  readonly #columns: () => number;
  readonly #paint: Paint;
  #indent = NO_INDENT;
  /** The current word, as far as it is known, and where it begins. */
  #word: Part[] = [];
  #wordStart = 0;
  #column = 0;

  constructor(columns: () => number, paint: Paint) {
    this.#columns = columns;
    this.#paint = paint;
  }

  /** Whether something is on the current line. */
  get isInLine(): boolean {
    return this.#column > 0;
  }

  get columns(): number {
    return Math.max(2, this.#columns() - 1);
  }

  /** For the lines that follow the current one in this paragraph. */
  indent(indent: Indent): void {
    this.#indent = indent.width < this.columns / 2 ? indent : NO_INDENT;
  }

  /** What to print for this text. */
  write(text: string, styles: readonly Style[] = []): string {
    let out = "";
    for (const [part] of text.matchAll(PARTS)) {
      if (part === "\n") out += this.#newLine();
      else if (part.startsWith(" ")) out += this.#space(part, styles);
      else out += this.#inWord({ text: part, styles });
    }
    return out;
  }

  /** Text that is not wrapped, such as code. */
  writeWhole(text: string, styles: readonly Style[]): string {
    const newline = text.lastIndexOf("\n");
    const last = text.slice(newline + 1);
    this.#column = (newline === -1 ? this.#column : 0) + widthOf(last);
    this.#word = [];
    this.#wordStart = this.#column;
    return text
      .split("\n")
      .map((line) => this.#paint(styles, line))
      .join("\n");
  }

  #newLine(): string {
    this.#indent = NO_INDENT;
    this.#word = [];
    this.#column = this.#wordStart = 0;
    return "\n";
  }

  #space(text: string, styles: readonly Style[]): string {
    this.#word = [];
    const fits = this.#column + text.length <= this.columns;
    if (fits) this.#column += text.length;
    this.#wordStart = this.#column;
    return fits ? this.#paint(styles, text) : "";
  }

  #inWord(part: Part): string {
    this.#word.push(part);
    const width = this.#wordWidth();
    if (this.#wordStart + width <= this.columns) {
      this.#column = this.#wordStart + width;
      return this.#paint(part.styles, part.text);
    }
    const shown = this.#column - this.#wordStart;
    if (this.#wordStart > this.#indent.width && width + this.#indent.width <= this.columns) {
      const back = shown === 0 ? "" : `\u001b[${shown}D\u001b[K`;
      const start = this.#startLine();
      this.#column += width;
      return back + start + this.#word.map((one) => this.#paint(one.styles, one.text)).join("");
    }
    return this.#broken(part);
  }

  /** A word that is longer than a line. */
  #broken({ text, styles }: Part): string {
    let out = "";
    let line = "";
    for (const character of charactersOf(text)) {
      const width = widthOf(character);
      if (this.#column + width > this.columns) {
        out += this.#paint(styles, line) + this.#startLine();
        line = "";
      }
      line += character;
      this.#column += width;
    }
    this.#word = [{ text: line, styles }];
    return out + this.#paint(styles, line);
  }

  #startLine(): string {
    const { text, styles, width } = this.#indent;
    this.#column = this.#wordStart = width;
    return `\n${this.#paint(styles, text)}`;
  }

  #wordWidth(): number {
    return widthOf(this.#word.map(({ text }) => text).join(""));
  }
}
