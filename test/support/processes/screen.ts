/** What a terminal of a given width shows: text, line breaks, and the few orders that we use. */
import { widthOf } from "../../../src/util/text-width.ts";

const ESC = "\\u001b";
const ORDER = new RegExp(`${ESC}\\[(\\??[0-9;]*)([A-Za-z])|${ESC}\\][^\\u0007]*\\u0007|([\\s\\S])`, "gu");

export class Screen {
  readonly #columns: number;
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): this {
    for (const [, amount, order, character] of text.matchAll(ORDER)) {
      if (character !== undefined) this.#put(character);
      else if (order !== undefined) this.#obey(order, amount ?? "");
    }
    return this;
  }

  /** Without the spaces at the ends of lines. */
  get lines(): string[] {
    return this.#rows.map((row) =>
      Array.from(row, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
  }

  get text(): string {
    return this.lines.join("\n").trimEnd();
  }

  get cursor(): { readonly row: number; readonly column: number } {
    return { row: this.#row, column: this.#column };
  }

  #put(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#go(this.#row + 1, 0);
    else if (character >= " ") {
      if (this.#column >= this.#columns) this.#go(this.#row + 1, 0);
      const row = this.#rows[this.#row] as string[];
      const width = widthOf(character);
      if (width === 0) row[this.#column - 1] += character;
      else row[this.#column] = character;
      // The second half of a wide character.
      if (width === 2) row[this.#column + 1] = "";
      this.#column += width;
    }
  }

  #obey(order: string, amount: string): void {
    const count = Number(amount) || 1;
    if (order === "A") this.#go(Math.max(0, this.#row - count), this.#column);
    else if (order === "B") this.#go(this.#row + count, this.#column);
    else if (order === "C") this.#column += count;
    else if (order === "D") this.#column = Math.max(0, this.#column - count);
    else if (order === "G") this.#column = count - 1;
    else if (order === "K") this.#rows[this.#row]?.splice(this.#column);
    else if (order === "J") {
      this.#rows[this.#row]?.splice(this.#column);
      this.#rows.splice(this.#row + 1);
    }
  }

  #go(row: number, column: number): void {
    while (this.#rows.length <= row) this.#rows.push([]);
    this.#row = row;
    this.#column = column;
  }
}
