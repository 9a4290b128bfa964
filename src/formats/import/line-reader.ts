/** Passes the lines of a file to its reader as records, and reports lines that are not records. */
import type { RecordReader } from "../contract/reader.ts";
import { cutLongStrings } from "../sources/json/long-strings.ts";
import { parseRecords } from "../sources/json/records.ts";
import type { ParsedValue, SourceLine } from "../sources/types.ts";
import type { FileSink } from "./file-sink.ts";
import type { TextPlaceholders } from "./text-placeholders.ts";

export class LineReader {
  readonly #reader: RecordReader;
  readonly #sink: FileSink;
  readonly #placeholders: TextPlaceholders;
  /** Where the next import continues. */
  offset: number;
  line: number;
  /** The last line, if it is incomplete. */
  pending: SourceLine | undefined;

  constructor(
    reader: RecordReader,
    sink: FileSink,
    placeholders: TextPlaceholders,
    from: { readonly offset: number; readonly line: number },
  ) {
    this.#placeholders = placeholders;
    this.#reader = reader;
    this.#sink = sink;
    this.offset = from.offset;
    this.line = from.line;
  }

  /** Returns a promise for a line with long strings, which are stored before it is parsed. */
  read(line: SourceLine): Promise<void> | undefined {
    // An earlier import has read it; its reader held it, and its bytes were not kept.
    if (line.offset < this.offset) {
      this.#sink.originals.stream.add(line.offset, line.bytes, line.state === "blank", line.line);
      return undefined;
    }
    if (line.state === "pending" && !isComplete(line)) {
      this.pending = line;
      return undefined;
    }
    this.offset = line.offset + line.bytes;
    // A newline that is written later does not begin another line.
    this.line = line.state === "pending" ? line.line : line.line + 1;
    this.#sink.originals.stream.add(line.offset, line.bytes, line.state === "blank", line.line);
    if (line.state === "blank") return undefined;
    if (line.state === "too-long") this.#tooLong(line);
    else if (line.text === undefined && line.raw !== undefined && line.flaw === undefined) {
      return this.#parseLong(line, line.raw);
    } else this.#parse(line);
    return undefined;
  }

  /** A long string is never in memory beside its line. */
  async #parseLong(whole: SourceLine, raw: Buffer): Promise<void> {
    const { line, offset, bytes: length } = whole;
    const { text, cuts } = cutLongStrings(raw);
    let shown = text;
    for (const { token, pieces } of cuts) shown = shown.replace(token, await this.#placeholders.put(pieces));
    const { values, rest } = parseRecords(shown);
    // Where each of several values begins is only known of the whole text.
    if (values.length > 1) return this.#parse({ ...whole, raw: undefined, text: raw.toString() });
    for (const { value } of values) this.#reader.record({ value, line, offset, bytes: length });
    if (rest !== undefined) this.#sink.skip({ line, offset }, rest.reason);
  }

  #parse(line: SourceLine): void {
    const { line: number, flaw } = line;
    const text = textOf(line);
    const { values, rest } = parseRecords(text);
    const starts = startsOf(line, text, values);
    // Each conversation keeps its own records, and no others that were written to the same line.
    if (starts.length > 1) this.#sink.originals.stream.split(line.offset, starts);
    const end = line.offset + line.bytes;
    for (const [index, { value }] of values.entries()) {
      const offset = starts[index] ?? line.offset;
      this.#reader.record({ value, line: number, offset, bytes: (starts[index + 1] ?? end) - offset });
    }
    const offset = starts.at(-1) ?? line.offset;
    if (flaw === "invalid-utf8") {
      const reason = "not valid UTF-8: imported as far as possible, with the original bytes kept";
      this.#sink.skip({ line: number, offset }, reason);
    } else if (rest !== undefined) {
      this.#sink.skip({ line: number, offset }, rest.reason);
    } else if (flaw !== undefined) {
      this.#sink.skip({ line: number, offset }, "padded with zero bytes");
    }
  }

  #tooLong({ line, offset, bytes }: SourceLine): void {
    const reason = `longer than the maximum line length (${bytes} bytes); its bytes are kept`;
    this.#sink.skip({ line, offset }, reason);
  }
}

/** The last line may lack its newline and be complete nevertheless. */
function isComplete(line: SourceLine): boolean {
  if (line.flaw !== undefined) return false;
  const { values, rest } = parseRecords(textOf(line));
  return rest === undefined && values.length > 0;
}

/** Whether no record of it is complete. */
export function isTorn(line: SourceLine): boolean {
  return line.state === "pending" && parseRecords(textOf(line)).values.length === 0;
}

/** The first line of a file may have one, which is not in its text. */
const MARK_BYTES = 3;

/** Where the values of a line begin in the file: the first one with the line, and none if that cannot be told. */
function startsOf(line: SourceLine, text: string, values: readonly ParsedValue[]): number[] {
  if (values.length < 2 || line.flaw !== undefined) return [];
  const isMarked = line.line === 1 && line.bytes - Buffer.byteLength(text) >= MARK_BYTES;
  let offset = line.offset + (isMarked ? MARK_BYTES : 0);
  let before = 0;
  return values.map(({ start }, index) => {
    offset += Buffer.byteLength(text.slice(before, start));
    before = start;
    return index === 0 ? line.offset : offset;
  });
}

function textOf({ text, raw }: SourceLine): string {
  return text ?? raw?.toString() ?? "";
}
