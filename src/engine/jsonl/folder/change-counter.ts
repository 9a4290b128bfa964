import type { FileIo } from "../../../disk/file-io.ts";

/**
 * Tells processes whether a conversation was created, moved or changed in its
 * metadata since they last looked, without reading the folder again.
 *
 * The number is odd during such a change, so that a reader, which takes no lock,
 * never trusts what it read in the middle of one. A writer that dies leaves it
 * odd, and all processes read the folder until the next change. The counter only
 * saves work and is never synced: no process survives a power cut to compare it.
 */
export class ChangeCounter {
  readonly #io: FileIo;
  readonly #path: string;
  readonly #buffer = Buffer.alloc(8);
  #file: number | undefined;

  constructor(io: FileIo, path: string) {
    this.#io = io;
    this.#path = path;
  }

  /** `undefined` during a change, or if the counter is unreadable. */
  stable(): number | undefined {
    const value = this.#read();
    return value !== undefined && value % 2 === 0 ? value : undefined;
  }

  /** Make a change, under the lock. */
  during<T>(change: () => T): T {
    // Lost or damaged: start with a number that no process has seen.
    const before = this.#read() ?? 2 * Date.now();
    const odd = before + 1 + (before % 2);
    this.#write(odd);
    try {
      return change();
    } finally {
      this.#write(odd + 1);
    }
  }

  close(): void {
    if (this.#file !== undefined) this.#io.close(this.#file);
    this.#file = undefined;
  }

  #read(): number | undefined {
    if (this.#file === undefined) {
      if (this.#io.stat(this.#path) === undefined) return undefined;
      this.#file = this.#io.open(this.#path, "read");
    }
    if (this.#io.read(this.#file, this.#buffer, 0) !== 8) return undefined;
    const value = Number(this.#buffer.readBigUInt64LE());
    return value < Number.MAX_SAFE_INTEGER - 8 ? value : undefined;
  }

  #write(value: number): void {
    this.close();
    this.#file = this.#io.open(this.#path, this.#io.stat(this.#path) === undefined ? "create" : "write");
    this.#buffer.writeBigUInt64LE(BigInt(value));
    this.#io.write(this.#file, this.#buffer, 0);
  }
}
