/**
 * Notices that a file was rewritten in place while it was read. What was read is then of two files, and a line
 * may begin in one of them and end in the other.
 */
import { crc32 } from "node:zlib";
import { bytesOf } from "./byte-source.ts";
import { problem, problemOf } from "./problem.ts";
import type { ByteSource } from "./types.ts";

interface Chunk {
  readonly offset: number;
  readonly bytes: number;
  readonly sum: number;
}

export class ReadCheck {
  readonly #source: ByteSource;
  readonly #path: string;
  /** The first chunk, and those since the last check. */
  #chunks: Chunk[] = [];
  #isRewritten = false;

  constructor(source: ByteSource, path: string) {
    this.#source = source;
    this.#path = path;
  }

  /** The same source. What is read of it is checked later. */
  get source(): ByteSource {
    const source = this.#source;
    // An archive has checksums.
    if (source.wasWritten === undefined) return source;
    const note = (chunk: Chunk): unknown => this.#chunks.push(chunk);
    return {
      async *chunks(from = 0) {
        let offset = from;
        for await (const chunk of source.chunks(from)) {
          note({ offset, bytes: chunk.length, sum: crc32(chunk) });
          offset += chunk.length;
          yield chunk;
        }
      },
      close: () => source.close(),
    };
  }

  /** Throws `changed` if the file no longer has the bytes that were read. It may have more, or have been cut. */
  async check(): Promise<void> {
    const chunks = this.#chunks;
    // What is read next has to fit to the last one.
    this.#chunks = [...new Set([...chunks.slice(0, 1), ...chunks.slice(-1)])];
    if (this.#source.wasWritten?.() === true) this.#isRewritten ||= !(await this.#hasAll(chunks));
    if (this.#isRewritten) {
      throw problem(
        "changed",
        `${this.#path} was rewritten while it was read. The next import reads it again`,
      );
    }
  }

  async #hasAll(chunks: readonly Chunk[]): Promise<boolean> {
    for (const { offset, bytes, sum } of chunks) {
      const now = await this.#sumOf(offset, bytes);
      if (now === undefined) return true;
      if (now !== sum) return false;
    }
    return true;
  }

  /** `undefined` if it was cut before that. */
  async #sumOf(offset: number, length: number): Promise<number | undefined> {
    let sum = 0;
    let found = 0;
    try {
      for await (const piece of bytesOf(this.#source, offset, length)) {
        sum = crc32(piece, sum);
        found += piece.length;
      }
    } catch (error) {
      if (problemOf(error) !== "shrunk") throw error;
    }
    return found === length ? sum : undefined;
  }
}
