import type { FileIo } from "../../../disk/file-io.ts";

/**
 * Tells processes whether conversations were created, moved or given other
 * metadata since they last looked, without reading the folder again.
 *
 * The number is odd while such a change is under way, so that a reader, who
 * takes no lock, never trusts what it saw in the middle of one. A writer that
 * dies there leaves it odd: everybody reads the folder until the next change.
 * It only spares work and is never synced; after a power cut nobody remembers
 * an older value.
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

  /** `undefined` when a change is under way, or nothing can be told. */
  stable(): number | undefined {
    const value = this.#read();
    return value !== undefined && value % 2 === 0 ? value : undefined;
  }

  /** Do a change. Only under the lock. */
  during<T>(change: () => T): T {
    // Lost or damaged: start where nobody has been.
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
