/** Passes the lines of a file to its reader as records, and reports lines that are not records. */
import type { RecordReader } from "../contract/reader.ts";
import { cutLongStrings } from "../sources/json/long-strings.ts";
import { parseRecords } from "../sources/json/records.ts";
import type { SourceLine } from "../sources/types.ts";
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
    if (line.state === "pending" && !this.#isComplete(line)) {
      this.pending = line;
      return undefined;
    }
    this.offset = line.offset + line.bytes;
    this.line = line.line + 1;
    this.#sink.originals.stream.add(line.offset, line.bytes, line.state === "blank", line.line);
    if (line.state === "blank") return undefined;
    if (line.state === "too-long") this.#tooLong(line);
    else if (line.text === undefined && line.raw !== undefined && line.flaw === undefined) {
      return this.#parseLong(line, line.raw);
    } else this.#parse(line);
    return undefined;
  }

  /** A long string is never in memory beside its line. */
  async #parseLong({ line, offset, bytes: length }: SourceLine, raw: Buffer): Promise<void> {
    const { text, cuts } = cutLongStrings(raw);
    let shown = text;
    for (const { token, pieces } of cuts) shown = shown.replace(token, await this.#placeholders.put(pieces));
    const { values, rest } = parseRecords(shown);
    for (const { value } of values) this.#reader.record({ value, line, offset, bytes: length });
    if (rest !== undefined) this.#sink.skip({ line, offset }, rest.reason);
  }

  /** The last line may lack its newline and be complete nevertheless. */
  #isComplete(line: SourceLine): boolean {
    if (line.flaw !== undefined) return false;
    const { values, rest } = parseRecords(textOf(line));
    return rest === undefined && values.length > 0;
  }

  #parse(line: SourceLine): void {
    const { line: number, offset, flaw } = line;
    const text = textOf(line);
    const { values, rest } = parseRecords(text);
    for (const { value } of values) this.#reader.record({ value, line: number, offset, bytes: line.bytes });
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

function textOf({ text, raw }: SourceLine): string {
  return text ?? raw?.toString() ?? "";
}
