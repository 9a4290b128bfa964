/** Markdown on a terminal while it is being written: what was printed is never printed again. */
import { type Span, takeInline } from "./inline-markdown.ts";
import { type LineKind, lineKind } from "./line-kind.ts";
import type { Paint, Style } from "./paint.ts";
import { isTableLine, tableLines } from "./table-block.ts";
import { NO_INDENT, WrappedText } from "./wrapped-text.ts";

/** A longer start of a line is text, whatever it could become. */
const START_MAX = 500;
const RULE_COLUMNS_MAX = 40;
const TABLE_LINES_MAX = 200;

export class MarkdownStream {
  readonly #out: WrappedText;
  #pending = "";
  #isLineStart = true;
  /** The style of the line that is being written. */
  #styles: readonly Style[] = [];
  /** The character before the text of the line that waits. */
  #before = "";
  /** The marker of the open block of code. */
  #fence: string | undefined;
  #table: string[] = [];

  constructor(columns: () => number, paint: Paint) {
    this.#out = new WrappedText(columns, paint);
  }

  /** What to print for more text. */
  push(text: string): string {
    this.#pending += text;
    return this.#read(false);
  }

  /** What is left, and a line break if the text did not end with one. */
  end(): string {
    const rest = this.#read(true) + this.#endTable();
    const last = this.#out.isInLine ? this.#out.write("\n") : "";
    this.#isLineStart = true;
    this.#fence = undefined;
    return rest + last;
  }

  #read(isEnd: boolean): string {
    let out = "";
    for (;;) {
      const newline = this.#pending.indexOf("\n");
      const isWhole = newline !== -1 || isEnd;
      const line = newline === -1 ? this.#pending : this.#pending.slice(0, newline);
      if (newline === -1 && line === "") return out;
      const read = this.#isLineStart ? this.#startLine(line, isWhole) : this.#inLine(line, isWhole);
      if (read === undefined) return out;
      out += read.out;
      if (newline === -1) {
        this.#pending = read.rest;
        return out;
      }
      out += this.#endLine(read.silent === true);
      this.#pending = this.#pending.slice(newline + 1);
    }
  }

  #endLine(isSilent: boolean): string {
    this.#isLineStart = true;
    this.#styles = [];
    this.#before = "";
    return isSilent ? "" : this.#out.write("\n");
  }

  /** `undefined` while it is not known what the line is. */
  #startLine(line: string, isWhole: boolean): Read | undefined {
    if (this.#fence !== undefined) return this.#codeLine(line, isWhole, this.#fence);
    const kind = lineKind(line, isWhole || line.length > START_MAX);
    if (kind === undefined) return undefined;
    if (kind.kind === "table" && isTableLine(line) && this.#table.length < TABLE_LINES_MAX) {
      this.#table.push(line);
      return { out: "", rest: "", silent: true };
    }
    const before = this.#endTable();
    this.#isLineStart = false;
    const { start, out } = this.#begin(line, kind);
    const inline = start < 0 ? { out: "", rest: "" } : this.#inLine(line.slice(start), isWhole);
    return { out: before + out + inline.out, rest: inline.rest };
  }

  /** The start of a line, as it is shown, and how much of the line that is; -1 for all of it. */
  #begin(line: string, kind: LineKind): { readonly out: string; readonly start: number } {
    const out = this.#out;
    switch (kind.kind) {
      case "fence":
        this.#fence = kind.marker;
        return { out: out.writeWhole(line, ["dim"]), start: -1 };
      case "rule":
        return { out: out.write("─".repeat(Math.min(RULE_COLUMNS_MAX, out.columns)), ["dim"]), start: -1 };
      case "heading":
        this.#styles = ["bold"];
        return { out: "", start: kind.start };
      case "item": {
        const bullet = /\d/.test(kind.bullet) ? kind.bullet : "•";
        const text = `${kind.indent}${bullet} `;
        const shown = out.write(kind.indent) + out.write(bullet, ["bold"]) + out.write(" ");
        out.indent({ text: " ".repeat(text.length), styles: [], width: text.length });
        return { out: shown, start: kind.start };
      }
      case "quote": {
        const text = "│ ".repeat(kind.depth);
        const shown = out.write(text, ["dim"]);
        out.indent({ text, styles: ["dim"], width: text.length });
        return { out: shown, start: kind.start };
      }
      default: {
        const [spaces = ""] = /^ */.exec(line) ?? [];
        const shown = out.write(spaces);
        out.indent(spaces === "" ? NO_INDENT : { text: spaces, styles: [], width: spaces.length });
        return { out: shown, start: spaces.length };
      }
    }
  }

  #inLine(text: string, isWhole: boolean): Read {
    if (this.#fence !== undefined) return { out: this.#out.writeWhole(text, ["cyan"]), rest: "" };
    const { spans, rest } = takeInline(text, isWhole, this.#styles, this.#before);
    this.#before = text.charAt(text.length - rest.length - 1) || this.#before;
    return { out: this.#print(spans), rest };
  }

  #codeLine(line: string, isWhole: boolean, marker: string): Read | undefined {
    const text = line.trim();
    const isMarker = text === marker.charAt(0).repeat(text.length);
    if (isMarker && !isWhole && text.length < START_MAX) return undefined;
    this.#isLineStart = false;
    if (!isMarker || text.length < marker.length) {
      return { out: this.#out.writeWhole(line, ["cyan"]), rest: "" };
    }
    this.#fence = undefined;
    return { out: this.#out.writeWhole(line, ["dim"]), rest: "" };
  }

  #endTable(): string {
    const lines = this.#table;
    if (lines.length === 0) return "";
    this.#table = [];
    const aligned = tableLines(lines, this.#out.columns);
    const shown =
      aligned?.map((spans) => this.#print(spans)) ?? lines.map((line) => this.#out.writeWhole(line, []));
    return shown.map((line) => line + this.#out.write("\n")).join("");
  }

  #print(spans: readonly Span[]): string {
    return spans.map(({ text, styles }) => this.#out.write(text, styles)).join("");
  }
}

interface Read {
  readonly out: string;
  /** What waits for more text of the line. */
  readonly rest: string;
  /** The line is shown later. */
  readonly silent?: true;
}
