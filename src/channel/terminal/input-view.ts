/** Shows the text that a user is typing, on as many rows as it needs, and the cursor in it. */
import { charactersOf, widthOf } from "../../util/text-width.ts";
import { safeText } from "../../util/visible-text.ts";
import type { EditedText } from "./edited-text.ts";

interface Place {
  readonly row: number;
  readonly column: number;
}

/** The rows on the screen. */
interface Drawn {
  readonly text: string;
  readonly cursor: Place;
  readonly widths: readonly number[];
  readonly isAtEnd: boolean;
}

const NOTHING: Drawn = { text: "", cursor: { row: 0, column: 0 }, widths: [0], isAtEnd: false };

export class InputView {
  readonly #columns: () => number;
  readonly #prompt: string;
  readonly #promptWidth: number;
  readonly #shownPrompt: (prompt: string) => string;
  #drawn = NOTHING;

  constructor(columns: () => number, prompt: string, shownPrompt: (prompt: string) => string) {
    this.#columns = columns;
    this.#prompt = prompt;
    this.#promptWidth = widthOf(prompt);
    this.#shownPrompt = shownPrompt;
  }

  /** What to print to show this instead of what was shown before. */
  show(state: EditedText): string {
    return this.#typed(state) ?? this.#redrawn(state);
  }

  /** The same after the terminal has become wider or narrower, and has wrapped the rows anew. */
  resized(state: EditedText): string {
    const { cursor, widths } = this.#drawn;
    const columns = Math.max(1, this.#columns());
    const above = widths
      .slice(0, cursor.row)
      .reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0);
    const row = above + Math.floor(cursor.column / columns);
    this.#drawn = { ...this.#drawn, cursor: { row, column: 0 } };
    return this.#redrawn(state);
  }

  /** The same on an empty screen. */
  cleared(state: EditedText): string {
    this.#drawn = NOTHING;
    return this.#redrawn(state);
  }

  /** What to print to leave the text on the screen, and continue below it. */
  leave(): string {
    const { cursor, widths } = this.#drawn;
    const down = widths.length - 1 - cursor.row;
    this.#drawn = NOTHING;
    return `${down > 0 ? `\u001b[${down}B` : ""}\r\n`;
  }

  /** Only letters more at the end: nothing else has to be drawn. */
  #typed({ text, cursor }: EditedText): string | undefined {
    const before = this.#drawn;
    const more = text.slice(before.text.length);
    const isMore = before.isAtEnd && cursor === text.length && text.startsWith(before.text);
    if (!isMore || !/^[ -~]+$/.test(more)) return undefined;
    const column = before.cursor.column + more.length;
    if (column >= this.#width) return undefined;
    this.#drawn = {
      text,
      cursor: { row: before.cursor.row, column },
      widths: before.widths.with(-1, column),
      isAtEnd: true,
    };
    return more;
  }

  /** The last column stays free, because terminals differ in where the cursor is after it. */
  get #width(): number {
    return Math.max(this.#promptWidth + 2, this.#columns() - 1);
  }

  #redrawn({ text, cursor }: EditedText): string {
    const indent = " ".repeat(this.#promptWidth);
    const rows = [this.#shownPrompt(this.#prompt)];
    const widths = [this.#promptWidth];
    let place: Place | undefined;
    let at = 0;
    const last = (): number => widths.at(-1) ?? 0;
    const nextRow = (): void => {
      rows.push(indent);
      widths.push(this.#promptWidth);
    };
    for (const character of charactersOf(text)) {
      const isBreak = character.endsWith("\n");
      const shown = isBreak ? "" : safeText(character);
      const width = widthOf(shown);
      if (last() + width > this.#width) nextRow();
      if (at === cursor) place = { row: rows.length - 1, column: last() };
      if (isBreak) nextRow();
      rows[rows.length - 1] += shown;
      widths[widths.length - 1] = last() + width;
      at += character.length;
    }
    if (last() >= this.#width) nextRow();
    const end: Place = { row: rows.length - 1, column: last() };
    place ??= end;
    const out = `${toStart(this.#drawn.cursor)}\u001b[J${rows.join("\r\n")}${up(end.row - place.row)}\u001b[${place.column + 1}G`;
    this.#drawn = { text, cursor: place, widths, isAtEnd: cursor === text.length };
    return out;
  }
}

function toStart({ row }: Place): string {
  return `\r${up(row)}`;
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}
