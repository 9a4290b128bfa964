/** A file that lines are added to, and that is replaced when it is long: it is written for years, and strangers can make a gateway write lines. */
import { close, closeSync, fstatSync, open, openSync, renameSync, write, writeSync } from "node:fs";
import { rename } from "node:fs/promises";
import { promisify } from "node:util";
import { unavailable } from "../errors.ts";
import { ensurePrivate } from "./permissions.ts";

const BYTES_MAX = 10_000_000;

const [opened, closed, written] = [promisify(open), promisify(close), promisify(write)];

export class LogFile {
  readonly #path: string;
  readonly #bytesMax: number;
  #file: number;
  #bytes: number;

  /** Refuses a file that others can read and that cannot be closed to them. */
  constructor(path: string, bytesMax: number = BYTES_MAX) {
    this.#path = path;
    this.#bytesMax = bytesMax;
    for (const place of [path, `${path}.1`]) {
      const open = ensurePrivate(place);
      if (open?.repaired === false) throw unavailable(open.message);
    }
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  /** A line that cannot be written is lost: a full disk must not end the work that is noted. */
  write(line: string): void {
    try {
      if (this.#isFullFor(line)) this.#replace();
      this.#bytes += writeSync(this.#file, line);
    } catch {
      // There is no other place to say so.
    }
  }

  /** How many of these lines can be written together, at least one: the others belong into the next file. */
  fitting(lines: readonly string[]): number {
    let chars = this.#isFullFor(lines[0] ?? "") ? 0 : this.#bytes;
    const end = lines.findIndex((line, index) => {
      chars += line.length;
      return index > 0 && chars > this.#bytesMax;
    });
    return end < 0 ? lines.length : end;
  }

  /** As `write`, but this thread does not wait for the disk. One call at a time, with lines that fit. */
  async add(text: string): Promise<void> {
    try {
      if (this.#isFullFor(text)) await this.#replaceLater();
      this.#bytes += (await written(this.#file, text)).bytesWritten;
    } catch {
      // There is no other place to say so.
    }
  }

  #isFullFor(text: string): boolean {
    return this.#bytes > 0 && this.#bytes + text.length > this.#bytesMax;
  }

  /** The former file is kept, the one before it is not. */
  #replace(): void {
    renameSync(this.#path, `${this.#path}.1`);
    const next = openSync(this.#path, "a", 0o600);
    closeSync(this.#file);
    this.#start(next);
  }

  async #replaceLater(): Promise<void> {
    await rename(this.#path, `${this.#path}.1`);
    const next = await opened(this.#path, "a", 0o600);
    const former = this.#file;
    this.#start(next);
    await closed(former);
  }

  #start(file: number): void {
    this.#file = file;
    this.#bytes = 0;
  }
}
