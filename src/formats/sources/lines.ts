/** Splits bytes into lines, many at a time. */
import { isAscii, isUtf8 } from "node:buffer";
import { LINE_BYTES_MAX, NEWLINE } from "../../disk/line-scan.ts";
import { type Begun, begun } from "./gathered.ts";
import type { ByteSource, LineFlaw, LineState, LinesOptions, SourceLine } from "./types.ts";

/** Longer lines have no text: see `cutLongStrings`. */
export const LONG_LINE_BYTES: number = 4 * 1024 * 1024;
/** The size of a batch, however large the chunks of a source are: each line of a byte takes a hundred in memory. */
const BATCH_BYTES = 64 * 1024;

const RETURN = 0x0d;
const SPACE = 0x20;
const BYTE_ORDER_MARK = "\ufeff";

/**
 * The lines of a source, split at the byte 0x0A and at nothing else: U+2028
 * and a lone carriage return are part of a line. Lines read before a
 * problem comes before it is thrown.
 */
export async function* readLines(
  source: ByteSource,
  options: LinesOptions = {},
): AsyncGenerator<readonly SourceLine[]> {
  const splitter = new Splitter(options);
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of source.chunks(options.from?.offset ?? 0)) {
      for (let at = 0; at < chunk.length; at += BATCH_BYTES) {
        options.signal?.throwIfAborted();
        const lines = splitter.split(chunk.subarray(at, at + BATCH_BYTES));
        // What is read of a line that is too long can then be let go of.
        if (lines.length > 0 || splitter.isTooLong) yield lines;
      }
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    failure = { error };
  }
  const last = splitter.end();
  if (last !== undefined) yield [last];
  if (failure !== undefined) throw failure.error;
}

/** How lines are decoded. Most are ASCII, which is several times as fast. */
type Decoding = "latin1" | "utf8" | "careful";

class Splitter {
  readonly #begun: Begun;
  #offset: number;
  #line: number;

  constructor({ from, lineBytesMax = LINE_BYTES_MAX, recorded }: LinesOptions) {
    this.#begun = begun(lineBytesMax, recorded, () => this.#offset);
    this.#offset = from?.offset ?? 0;
    this.#line = from?.line ?? 1;
  }

  get isTooLong(): boolean {
    return this.#begun.isOver;
  }

  /** The lines that end in these bytes. */
  split(bytes: Buffer): SourceLine[] {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const lines: SourceLine[] = [];
    let start = 0;
    if (end > 0) {
      if (this.#begun.length > 0) {
        start = bytes.indexOf(NEWLINE) + 1;
        this.#begun.add(bytes.subarray(0, start));
        lines.push(this.#gathered("ok"));
      }
      this.#whole(bytes, start, end, lines);
    }
    if (end < bytes.length) this.#begun.add(bytes.subarray(end));
    return lines;
  }

  end(): SourceLine | undefined {
    return this.#begun.length === 0 ? undefined : this.#gathered("pending");
  }

  #whole(bytes: Buffer, from: number, end: number, lines: SourceLine[]): void {
    const decoding = decodingOf(bytes.subarray(from, end));
    for (let start = from; start < end; ) {
      const next = bytes.indexOf(NEWLINE, start) + 1;
      lines.push(this.#made(bytes, start, next, decoding, "ok"));
      start = next;
    }
  }

  #gathered(state: "ok" | "pending"): SourceLine {
    const { length } = this.#begun;
    const bytes = this.#begun.take();
    if (bytes === undefined) return this.#counted(length, "too-long", undefined, undefined, undefined);
    return this.#made(bytes, 0, length, length > LONG_LINE_BYTES ? "careful" : decodingOf(bytes), state);
  }

  /** One line: the bytes from `start` to `next`, including its newline if it has one. */
  #made(bytes: Buffer, start: number, next: number, decoding: Decoding, state: LineState): SourceLine {
    let end = next;
    if (state === "ok") end -= next - start > 1 && bytes[next - 2] === RETURN ? 2 : 1;
    if (state === "ok" && isBlank(bytes, start, end)) {
      return this.#counted(next - start, "blank", undefined, undefined, undefined);
    }
    if (decoding === "latin1") {
      return this.#counted(next - start, state, bytes.toString("latin1", start, end), undefined, undefined);
    }
    if (decoding === "utf8") {
      return this.#counted(
        next - start,
        state,
        unmarked(bytes.toString("utf8", start, end)),
        undefined,
        undefined,
      );
    }
    const { text, raw, flaw } = looked(bytes.subarray(start, end));
    return this.#counted(next - start, state, text, raw, flaw);
  }

  #counted(
    bytes: number,
    state: LineState,
    text: string | undefined,
    raw: Buffer | undefined,
    flaw: LineFlaw | undefined,
  ): SourceLine {
    const offset = this.#offset;
    this.#offset += bytes;
    return { line: this.#line++, offset, bytes, state, text, raw, flaw };
  }
}

function decodingOf(bytes: Buffer): Decoding {
  if (bytes.includes(0)) return "careful";
  if (isAscii(bytes)) return "latin1";
  return isUtf8(bytes) ? "utf8" : "careful";
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bytes[at] === SPACE || bytes[at] === 0x09 || bytes[at] === RETURN)) at++;
  return at === end;
}

function unmarked(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** A line that is long, or near NUL bytes or invalid UTF-8. */
function looked(line: Buffer): Pick<SourceLine, "text" | "raw" | "flaw"> {
  const filled = withoutNuls(line);
  const isPadded = filled.length < line.length;
  const flaw = isPadded ? "nul-padded" : isUtf8(filled) ? undefined : "invalid-utf8";
  if (line.length > LONG_LINE_BYTES) return { text: undefined, raw: withoutMark(filled), flaw };
  const text = unmarked(filled.toString("utf8"));
  // A copy, so that the bytes around it can be freed.
  return { text, raw: flaw === undefined ? undefined : Buffer.from(line), flaw };
}

function withoutNuls(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length];
  while (start < end && bytes[start] === 0) start++;
  while (end > start && bytes[end - 1] === 0) end--;
  return bytes.subarray(start, end);
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
