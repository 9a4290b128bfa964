/** Passes the lines of a file to its reader as records, and reports lines that are not records. */
import type { Ingest } from "../../store/write/ingest.ts";
import type { RecordReader } from "../contract/reader.ts";
import { bytesOf } from "../sources/byte-source.ts";
import { cutLongStrings, giveBack } from "../sources/json/long-strings.ts";
import { parseRecords } from "../sources/json/records.ts";
import type { ByteSource, SourceLine } from "../sources/types.ts";
import type { FileSink } from "./file-sink.ts";
import type { TextPlaceholders } from "./text-placeholders.ts";

export class LineReader {
  readonly #reader: RecordReader;
  readonly #sink: FileSink;
  readonly #placeholders: TextPlaceholders;
  /** Lines too long for memory, to be stored piece by piece. */
  readonly tooLong: SourceLine[] = [];
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
    if (line.state === "pending" && !this.#isComplete(line)) {
      this.pending = line;
      return undefined;
    }
    this.offset = line.offset + line.bytes;
    this.line = line.line + 1;
    if (line.state === "blank") return undefined;
    if (line.state === "too-long") this.tooLong.push(line);
    else if (line.text === undefined && line.raw !== undefined && line.flaw === undefined) {
      return this.#parseLong(line, line.raw);
    } else this.#parse(line);
    return undefined;
  }

  /** Keeps a long string in memory once, as bytes, and never as a string. */
  async #parseLong({ line, offset }: SourceLine, raw: Buffer): Promise<void> {
    const { text, cuts } = cutLongStrings(raw);
    let shown = text;
    for (const { token, bytes } of cuts) shown = shown.replace(token, await this.#placeholders.put(bytes));
    for (const { bytes } of cuts) giveBack(bytes);
    giveBack(raw);
    const { values, rest } = parseRecords(shown);
    for (const { value } of values) this.#reader.record({ value, line, offset });
    if (rest !== undefined) this.#sink.skip({ line, offset, text: rest.text }, rest.reason);
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
    for (const { value, text: own } of values) {
      this.#reader.record({ value, line: number, offset, text: own });
    }
    if (flaw === "invalid-utf8") {
      const bytes = line.raw?.toString("base64") ?? "";
      this.#sink.skip(
        { line: number, offset, text: `base64:${bytes}` },
        "not valid UTF-8: imported as far as possible, with the original bytes kept",
      );
    } else if (rest !== undefined) {
      this.#sink.skip({ line: number, offset, text: rest.text }, rest.reason);
    } else if (flaw !== undefined) {
      this.#sink.skip({ line: number, offset, text: "" }, "padded with zero bytes");
    }
  }

  /** The store takes a line that is too long for memory, piece by piece. */
  async keepTooLong(source: ByteSource, ingest: Ingest | undefined): Promise<void> {
    for (const { line, offset, bytes } of this.tooLong.splice(0)) {
      const reason = `longer than the maximum line length (${bytes} bytes); its bytes are kept`;
      this.#sink.tell({ line, offset }, reason);
      if (ingest === undefined) continue;
      const { hash, size } = await ingest.putBlob(bytesOf(source, offset, bytes));
      this.#placeholders.suspect([hash]);
      this.#sink.keepDamaged({ line, offset, damaged: reason, source: { type: "blob", hash, size } });
    }
  }
}

function textOf({ text, raw }: SourceLine): string {
  return text ?? raw?.toString() ?? "";
}
