/** A file that lines are added to, and that is replaced when it is long: it is written for years, and strangers can make a gateway write lines. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { unavailable } from "../errors.ts";
import { ensurePrivate } from "./permissions.ts";

const BYTES_MAX = 10_000_000;

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
      if (this.#bytes > 0 && this.#bytes + line.length > this.#bytesMax) this.#replace();
      this.#bytes += writeSync(this.#file, line);
    } catch {
      // There is no other place to say so.
    }
  }

  /** The former file is kept, the one before it is not. */
  #replace(): void {
    renameSync(this.#path, `${this.#path}.1`);
    const next = openSync(this.#path, "a", 0o600);
    closeSync(this.#file);
    this.#file = next;
    this.#bytes = 0;
  }
}
