/** A legacy transcript, read as the log that its migration would write. */

import type { FileIo, FileStat } from "../../../disk/file-io.ts";
import { LINE_BYTES_MAX, linesForward, NEWLINE, readChunk } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { decodeMetadata, type Metadata } from "../../../transcript/metadata.ts";
import { LegacyConverter, type LegacyProblem } from "./convert.ts";
import { hasSums, type LegacyFacts, type LegacyFiles, readFacts } from "./source.ts";

/** The conversion of a legacy file as of the last look at it. */
interface Converted {
  /** The legacy file. */
  readonly source: FileStat;
  /** The end of the last complete line of the legacy file. */
  readonly end: number;
  readonly size: number;
  readonly problems: readonly LegacyProblem[];
  /** Dropped to save memory; another conversion returns the same result. */
  made: { readonly bytes: Buffer; readonly converter: LegacyConverter | undefined } | undefined;
}

export class LegacyFile {
  readonly files: LegacyFiles;
  readonly facts: LegacyFacts;
  /** The stem of the conversation in the store. */
  readonly stem: string;
  readonly #io: FileIo;
  #converted: Converted | undefined;
  /** Increases when the legacy file changed other than by appending: it is another file for readers then. */
  #generation = 0n;

  constructor(io: FileIo, files: LegacyFiles, facts: LegacyFacts, stem: string) {
    this.#io = io;
    this.files = files;
    this.facts = facts;
    this.stem = stem;
  }

  /** Of the log. `undefined` if the legacy file is gone, because another process has migrated it. */
  stat(): FileStat | undefined {
    const converted = this.#current(false);
    if (converted === undefined) return undefined;
    const { source, size } = converted;
    const inode = (source.inode << 32n) | this.#generation;
    return { size, inode, modifiedNs: source.modifiedNs, isFolder: false, links: source.links };
  }

  log(): Buffer | undefined {
    return this.#current(true)?.made?.bytes;
  }

  metadata(): Buffer {
    return Buffer.from(`${JSON.stringify(this.facts.metadata)}\n`);
  }

  /** As `metadata` of the file as it is now. Its id, key and creation time stay the same. */
  describe(): Partial<Metadata> {
    const { metadata } = readFacts(this.#io, this.files) ?? this.facts;
    const { id, key, created_at } = this.facts.metadata;
    const read = decodeMetadata(Buffer.from(JSON.stringify({ ...metadata, id, key, created_at })));
    return typeof read === "string" ? {} : read;
  }

  get problems(): readonly LegacyProblem[] {
    return this.#current(false)?.problems ?? [];
  }

  /** The number of bytes after the last readable line: of a writer that is at work, or was killed. */
  get pendingBytes(): number {
    const converted = this.#current(false);
    return converted === undefined ? 0 : converted.source.size - converted.end;
  }

  forget(): void {
    if (this.#converted !== undefined) this.#converted.made = undefined;
  }

  #current(withBytes: boolean): Converted | undefined {
    const now = this.#io.stat(this.files.log);
    if (now === undefined) return undefined;
    const known = this.#converted;
    const isSame = known !== undefined && sameFile(known.source, now);
    // Another process has migrated it in place.
    if (
      !isSame &&
      known?.source.inode !== now.inode &&
      !this.facts.isCurrent &&
      hasSums(this.#io, this.files.log)
    )
      return undefined;
    if (!isSame || (withBytes && known.made === undefined)) this.#converted = this.#convert(known, isSame);
    return this.#converted;
  }

  #convert(known: Converted | undefined, isSame: boolean): Converted {
    return withFile(this.#io, this.files.log, "read", (file) => {
      if (this.facts.isCurrent) {
        if (known !== undefined && !isSame) this.#generation++;
        return this.#copied(file);
      }
      const goesOn = known?.made !== undefined && !isSame && this.#onlyGrew(file, known);
      if (known !== undefined && !isSame && !goesOn) this.#generation++;
      return this.#read(file, goesOn ? known : undefined);
    });
  }

  /** A writer may have continued after a last line without a newline. */
  #onlyGrew(file: number, { source, end }: Converted): boolean {
    const now = this.#io.statOpen(file);
    if (now.inode !== source.inode || now.size <= source.size) return false;
    const [last, next] = readChunk(this.#io, file, Math.max(0, end - 1), 2);
    return end === 0 || last === NEWLINE || next === NEWLINE;
  }

  #copied(file: number): Converted {
    const source = this.#io.statOpen(file);
    const whole = readChunk(this.#io, file, 0, source.size);
    const end = whole.lastIndexOf(NEWLINE) + 1;
    const bytes = whole.subarray(0, end);
    return { source, end, size: end, problems: [], made: { bytes, converter: undefined } };
  }

  #read(file: number, known: Converted | undefined): Converted {
    const source = this.#io.statOpen(file);
    const { size } = source;
    const converter = known?.made?.converter ?? new LegacyConverter(this.files.name, this.facts.header);
    let end = known?.end ?? 0;
    for (const raw of linesForward(this.#io, file, end, size)) {
      converter.add(raw);
      end = raw.end;
    }
    // A readable line without a newline is complete.
    if (end < size && size - end <= LINE_BYTES_MAX) {
      const rest = readChunk(this.#io, file, end, size - end);
      if (isWhole(rest)) {
        converter.add({ start: end, end: size, bytes: rest });
        end = size;
      }
    }
    const made = converter.take();
    const bytes = known?.made === undefined ? made : Buffer.concat([known.made.bytes, made]);
    const { problems } = converter;
    return { source, end, size: bytes.length, problems, made: { bytes, converter } };
  }
}

function sameFile(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.inode === b.inode && a.modifiedNs === b.modifiedNs;
}

function isWhole(line: Buffer): boolean {
  try {
    JSON.parse(line.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
