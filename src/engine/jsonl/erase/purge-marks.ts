/**
 * The marks of purged conversations, one a line, each with its checksum.
 *
 * Lines are only appended, under the lock. A line that a crash cut off is
 * followed by a whole one, and one that cannot be read is passed over.
 */
import { join } from "node:path";
import type { FileIo, FileStat } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { unavailable } from "../../../errors.ts";
import { checkSum, sealObject } from "../../../transcript/lines.ts";
import type { Random } from "../../../util/uuid.ts";
import { MARKS_FILE } from "../folder/names.ts";

const NEWLINE = 0x0a;

export class PurgeMarks {
  readonly path: string;
  readonly #io: FileIo;
  readonly #folder: string;
  #marks: readonly string[] = [];
  #seen: FileStat | undefined;

  constructor(io: FileIo, folder: string) {
    this.#io = io;
    this.#folder = folder;
    this.path = join(folder, MARKS_FILE);
  }

  /** In order. */
  from(mark: string, limit: number): string[] {
    const marks = this.#read();
    const start = marks.findIndex((known) => known >= mark);
    return start === -1 ? [] : marks.slice(start, start + limit);
  }

  /** Make them durable, those that are new. */
  add(marks: readonly string[]): void {
    const known = new Set(this.#read());
    const fresh = [...new Set(marks)].filter((mark) => !known.has(mark));
    if (fresh.length === 0) return;
    const lines = fresh.map((purged) => sealObject({ purged }));
    const isNew = this.#io.stat(this.path) === undefined;
    withFile(this.#io, this.path, isNew ? "create" : "write", (file) => this.#append(file, lines));
    if (isNew) this.#io.syncFolder(this.#folder);
  }

  /** The numbers of lines that cannot be read. */
  unreadable(): number[] {
    return this.#lines().flatMap((line, index) => (markIn(line) === undefined ? [index + 1] : []));
  }

  /** Without the lines that cannot be read. */
  rewrite(random: Random): void {
    const lines = this.#read().map((purged) => sealObject({ purged }));
    replaceFile(this.path, Buffer.concat(lines), { io: this.#io, random });
  }

  #append(file: number, lines: readonly Buffer[]): void {
    const { size } = this.#io.statOpen(file);
    const isCut = size > 0 && readChunk(this.#io, file, size - 1, 1)[0] !== NEWLINE;
    const bytes = Buffer.concat([Buffer.from(isCut ? "\n" : ""), ...lines]);
    const count = this.#io.write(file, bytes, size);
    if (count !== bytes.length) throw unavailable(`Cannot write ${this.path}: the disk is probably full`);
    this.#io.sync(file);
  }

  /** Read again when another process has added to it. */
  #read(): readonly string[] {
    const now = this.#io.stat(this.path);
    if (now?.size !== this.#seen?.size || now?.inode !== this.#seen?.inode) {
      this.#marks = [...new Set(this.#lines().flatMap((line) => markIn(line) ?? []))].sort();
      this.#seen = now;
    }
    return this.#marks;
  }

  #lines(): Buffer[] {
    const io = this.#io;
    if (io.stat(this.path) === undefined) return [];
    const bytes = withFile(io, this.path, "read", (file) => readChunk(io, file, 0, io.statOpen(file).size));
    const lines: Buffer[] = [];
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, start);
      const stop = end === -1 ? bytes.length : end;
      if (stop > start) lines.push(bytes.subarray(start, stop));
      start = stop + 1;
    }
    return lines;
  }
}

function markIn(line: Buffer): string | undefined {
  return checkSum(line) === "right" ? JSON.parse(line.toString("utf8")).purged : undefined;
}
