/**
 * Cuts a text into messages while it is being written.
 *
 * A chunk depends only on the text up to its limit and two more units, so that it is the same whether the text came at
 * once or letter by letter. What was returned is never returned again.
 */
import { lastBoundary } from "./boundary.ts";
import { bestBreak, type Stretch } from "./breaks.ts";
import { closesFence, closingOf, type Fence, openingOf, opensFence } from "./fence.ts";
import { type ChunkSettings, type Cuts, cutsOf } from "./settings.ts";

/** A message to send. */
export interface Chunk {
  /** What to send. */
  readonly text: string;
  /** The start of `text` that is not in the source: a line that opens a block of code again. Mostly empty. */
  readonly prefix: string;
  /** The end of `text` that is not in the source: a line that closes a block of code. Mostly empty. */
  readonly suffix: string;
}

/** Where a chunk ends, and the block of code that is cut there. */
interface Cut {
  readonly at: number;
  readonly inside?: Fence | undefined;
}

/** To know whether a character ends at the limit. */
const LOOKAHEAD = 2;
/** As much of a cut line as is kept, to recognise the line of a fence. */
const HEAD_MAX = 256;

const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BACKTICK = 0x60;
const TILDE = 0x7e;

export class Chunker {
  readonly #cuts: Cuts;
  /** What has not been returned. */
  #text = "";
  #prefix = "";
  /** The start of the line in which the text begins, if that has been returned. */
  #head = "";
  /** How far the text has been read: the start of a line, and what is known there. */
  #line = 0;
  #fence: Fence | undefined;
  #isAfterBlank = false;
  /** Where the prose, or the code of the open block, begins that ends with the lines that were read. */
  #since = 0;
  #prose: Stretch[] = [];

  constructor(settings: ChunkSettings = {}) {
    this.#cuts = cutsOf(settings);
  }

  /** Add text. Returns the chunks that are complete. */
  push(text: string): Chunk[] {
    this.#text += text;
    const isUndecided = this.#text.length < this.#room + LOOKAHEAD && !this.#isAfterBlank;
    return isUndecided && !text.includes("\n") ? [] : this.#take(false);
  }

  /** The text is complete. Returns the last chunks; afterwards a new text can begin. */
  end(): Chunk[] {
    const chunks = this.#take(true);
    if (this.#text !== "") chunks.push(this.#chunk(this.#text, ""));
    this.#text = this.#prefix = this.#head = "";
    this.#begin(undefined);
    return chunks;
  }

  /** How much of the source fits into this chunk. */
  get #room(): number {
    return this.#cuts.max - this.#prefix.length;
  }

  #take(isEnd: boolean): Chunk[] {
    const chunks: Chunk[] = [];
    const text = this.#text;
    let start = 0;
    for (;;) {
      const view = text.slice(start, start + this.#room + LOOKAHEAD);
      const cut = this.#paragraph(view) ?? (this.#isFull(view, isEnd) ? this.#forced(view) : undefined);
      if (cut === undefined) break;
      chunks.push(this.#cut(view, cut));
      start += cut.at;
    }
    this.#text = text.slice(start);
    return chunks;
  }

  #isFull(view: string, isEnd: boolean): boolean {
    return isEnd ? view.length > this.#room : view.length === this.#room + LOOKAHEAD;
  }

  /** Read lines up to the first paragraph that is long enough, or to the limit. */
  #paragraph(view: string): Cut | undefined {
    const { min, atParagraphs } = this.#cuts;
    for (;;) {
      const mark = firstMark(view, this.#line);
      const code = view.charCodeAt(mark);
      const isParagraph =
        this.#isAfterBlank && this.#fence === undefined && code !== NEWLINE && mark < view.length;
      if (atParagraphs && isParagraph && this.#line >= min && this.#line <= this.#room) {
        return { at: this.#line };
      }
      const newline = code === NEWLINE ? mark : view.indexOf("\n", mark);
      if (newline === -1 || newline >= this.#room) return undefined;
      const head = this.#line === 0 ? this.#head : "";
      this.#isAfterBlank = code === NEWLINE && head.trim() === "";
      if (head !== "" || code === BACKTICK || code === TILDE) {
        this.#readMarked(head + view.slice(this.#line, newline), newline + 1);
      }
      this.#line = newline + 1;
    }
  }

  #readMarked(line: string, next: number): void {
    if (this.#fence !== undefined) {
      if (!closesFence(this.#fence, line)) return;
      this.#fence = undefined;
    } else {
      this.#fence = opensFence(line, this.#cuts.max);
      if (this.#fence === undefined) return;
      this.#prose.push({ from: this.#since, to: this.#line });
    }
    this.#since = next;
  }

  /** The best place up to the limit: outside of code if possible. */
  #forced(view: string): Cut {
    const { min } = this.#cuts;
    const fence = this.#fence;
    const room = this.#room;
    const added = fence === undefined ? 0 : closingOf(fence, false).length;
    // A block that is closed at once would be empty.
    const last: Stretch = { from: added === 0 ? this.#since : this.#since + 1, to: room };
    const within = (to: number) => (stretch: Stretch) => ({
      from: Math.max(Math.min(min, to), stretch.from),
      to: Math.min(to, stretch.to),
    });
    const prose = fence === undefined ? [...this.#prose, last] : this.#prose;
    const outside = bestBreak(view, prose.map(within(room)).filter(isPlace), this.#cuts);
    if (outside !== undefined) return { at: outside };
    if (fence === undefined) return { at: lastBoundary(view, room) };
    const roomInside = room - added;
    // The line that closes the block is not left alone in the next chunk.
    const to = startsWith(view, this.#line, fence) ? this.#line - 1 : roomInside;
    const code = [to, roomInside].map((end) => within(Math.min(end, roomInside))(last)).find(isPlace);
    if (code === undefined) return { at: lastBoundary(view, Math.min(room, this.#since - 1)) };
    return { at: bestBreak(view, [code], this.#cuts) ?? lastBoundary(view, roomInside), inside: fence };
  }

  #cut(view: string, { at, inside }: Cut): Chunk {
    const isAtLineStart = view[at - 1] === "\n";
    const suffix = inside === undefined ? "" : closingOf(inside, isAtLineStart);
    const chunk = this.#chunk(view.slice(0, at), suffix);
    const lineStart = view.lastIndexOf("\n", at - 1) + 1;
    this.#head = isAtLineStart
      ? ""
      : ((lineStart === 0 ? this.#head : "") + view.slice(lineStart, at)).slice(0, HEAD_MAX);
    this.#prefix = inside === undefined ? "" : openingOf(inside);
    this.#begin(inside);
    return chunk;
  }

  #begin(fence: Fence | undefined): void {
    this.#fence = fence;
    this.#line = this.#since = 0;
    this.#isAfterBlank = false;
    this.#prose = [];
  }

  #chunk(source: string, suffix: string): Chunk {
    return { text: this.#prefix + source + suffix, prefix: this.#prefix, suffix };
  }
}

function startsWith(view: string, from: number, { marker }: Fence): boolean {
  return view.startsWith(marker, firstMark(view, from));
}

function isPlace({ from, to }: Stretch): boolean {
  return from <= to;
}

/** The first character of a line that is not a space. */
function firstMark(view: string, from: number): number {
  let at = from;
  for (;;) {
    const code = view.charCodeAt(at);
    if (code !== SPACE && code !== TAB && code !== RETURN) return at;
    at++;
  }
}
