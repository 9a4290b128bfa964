/**
 * The marks of purged conversations, one a line, each with its checksum.
 *
 * Lines are only appended, under the lock. A line that a crash cut off was
 * never acknowledged and is overwritten; one that cannot be read is passed over.
 */
import { join } from "node:path";
import type { FileIo, FileStat } from "../../../disk/file-io.ts";
import { refuseHardLinks } from "../../../disk/hard-links.ts";
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
    const { lines } = this.#lines();
    return lines.flatMap((line, index) => (markIn(line) === undefined ? [index + 1] : []));
  }

  /** Without the lines that cannot be read. */
  rewrite(random: Random): void {
    const lines = this.#read().map((purged) => sealObject({ purged }));
    replaceFile(this.path, Buffer.concat(lines), { io: this.#io, random });
  }

  #append(file: number, lines: readonly Buffer[]): void {
    const stat = this.#io.statOpen(file);
    refuseHardLinks(this.path, stat);
    const { end } = this.#lines();
    if (end < stat.size) this.#io.truncate(file, end);
    const bytes = Buffer.concat(lines);
    const count = this.#io.write(file, bytes, end);
    if (count !== bytes.length) throw unavailable(`Cannot write ${this.path}: the disk is probably full`);
    this.#io.sync(file);
  }

  /** Read again when another process has added to it. */
  #read(): readonly string[] {
    const now = this.#io.stat(this.path);
    if (now?.size !== this.#seen?.size || now?.inode !== this.#seen?.inode) {
      this.#marks = [...new Set(this.#lines().lines.flatMap((line) => markIn(line) ?? []))].sort();
      this.#seen = now;
    }
    return this.#marks;
  }

  /** The complete lines, and where the last one ends. */
  #lines(): { lines: Buffer[]; end: number } {
    const io = this.#io;
    if (io.stat(this.path) === undefined) return { lines: [], end: 0 };
    const bytes = withFile(io, this.path, "read", (file) => readChunk(io, file, 0, io.statOpen(file).size));
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      if (end > start) lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    return { lines, end: start };
  }
}

function markIn(line: Buffer): string | undefined {
  return checkSum(line) === "right" ? JSON.parse(line.toString("utf8")).purged : undefined;
}
