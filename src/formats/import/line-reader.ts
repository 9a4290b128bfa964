/** From the lines of a file to the records of a reader, and to the report where a line is none. */
import type { Ingest } from "../../store/write/ingest.ts";
import type { RecordReader } from "../contract/reader.ts";
import { cutLongStrings, giveBack } from "../sources/json/long-strings.ts";
import { parseRecords } from "../sources/json/records.ts";
import type { ByteSource, SourceLine } from "../sources/types.ts";
import type { FileSink } from "./file-sink.ts";
import type { StandIns } from "./text-placeholders.ts";

export class LineFeed {
  readonly #reader: RecordReader;
  readonly #sink: FileSink;
  readonly #standIns: StandIns;
  /** Lines that are too long to be held, to be kept piece by piece. */
  readonly tooLong: SourceLine[] = [];
  /** Where the next import goes on. */
  offset: number;
  line: number;
  /** The last line, when it is not complete. */
  pending: SourceLine | undefined;

  constructor(
    reader: RecordReader,
    sink: FileSink,
    standIns: StandIns,
    from: { readonly offset: number; readonly line: number },
  ) {
    this.#standIns = standIns;
    this.#reader = reader;
    this.#sink = sink;
    this.offset = from.offset;
    this.line = from.line;
  }

  /** A promise for a line whose long texts have to be put away before it is parsed. */
  take(line: SourceLine): Promise<void> | undefined {
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

  /** So that a long text is in memory once, as bytes, and never as a string. */
  async #parseLong({ line, offset }: SourceLine, raw: Buffer): Promise<void> {
    const { text, cuts } = cutLongStrings(raw);
    let shown = text;
    for (const { token, bytes } of cuts) shown = shown.replace(token, await this.#standIns.put(bytes));
    for (const { bytes } of cuts) giveBack(bytes);
    giveBack(raw);
    const { values, rest } = parseRecords(shown);
    for (const { value } of values) this.#reader.record({ value, line, offset });
    if (rest !== undefined) this.#sink.skip({ line, offset, text: rest.text }, rest.reason);
  }

  /** The end of a file may lack its newline and be whole all the same. */
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
        "not valid UTF-8: read as far as it goes, its bytes are kept",
      );
    } else if (rest !== undefined) {
      this.#sink.skip({ line: number, offset, text: rest.text }, rest.reason);
    } else if (flaw !== undefined) {
      this.#sink.skip({ line: number, offset, text: "" }, "padded with zero bytes");
    }
  }

  /** Too long for memory, not for the store: the bytes go there piece by piece. */
  async keepTooLong(source: ByteSource, ingest: Ingest | undefined): Promise<void> {
    for (const { line, offset, bytes } of this.tooLong.splice(0)) {
      const reason = `longer than a line may be (${bytes} bytes); its bytes are kept`;
      this.#sink.tell({ line, offset }, reason);
      if (ingest === undefined) continue;
      const { hash, size } = await ingest.putBlob(bytesOf(source, offset, bytes));
      this.#sink.keepDamaged({ line, offset, damaged: reason, source: { type: "blob", hash, size } });
    }
  }
}

function textOf({ text, raw }: SourceLine): string {
  return text ?? raw?.toString() ?? "";
}

async function* bytesOf(source: ByteSource, offset: number, length: number): AsyncGenerator<Buffer> {
  let missing = length;
  for await (const chunk of source.chunks(offset)) {
    yield chunk.subarray(0, missing);
    missing -= Math.min(missing, chunk.length);
    if (missing === 0) return;
  }
}
