import { ColloquyError } from "../../errors.ts";
import type { BlobEncoding, BlobOperation, NewBlob } from "../operations.ts";
import type { BlobPart } from "../queries.ts";

interface KeptBlob {
  readonly size: number;
  readonly encoding: BlobEncoding;
  readonly data: Uint8Array;
  readonly at: string;
  /** How many entries refer to it. */
  uses: number;
}

interface Upload {
  readonly at: string;
  readonly pieces: Uint8Array[];
  length: number;
}

/** What stays of bytes that were taken away: how many blobs, and what they took. */
export interface Freed {
  readonly blobs: number;
  readonly bytes: number;
}

/** Bytes by their hash, and those that are still coming in. */
export class Blobs {
  readonly #kept = new Map<string, KeptBlob>();
  readonly #uploads = new Map<string, Upload>();

  has(hash: string): boolean {
    return this.#kept.has(hash);
  }

  put({ hash, size, encoding, data }: NewBlob, at: string): void {
    if (!this.has(hash)) this.#kept.set(hash, { size, encoding, data: data.slice(), at, uses: 0 });
  }

  /** One piece of an upload. Answers how many bytes there are. */
  take({ upload, position, data, at, keep }: BlobOperation): number {
    const taken = this.#uploads.get(upload) ?? { at, pieces: [], length: 0 };
    if (position > taken.length) {
      throw new ColloquyError(
        "CONFLICT",
        `The bytes ${taken.length} to ${position} of the blob are missing`,
        {
          field: "position",
          details: { length: taken.length },
        },
      );
    }
    // What is sent again is there already.
    const piece = data.slice(taken.length - position);
    taken.pieces.push(piece);
    taken.length += piece.length;
    if (keep === undefined) this.#uploads.set(upload, taken);
    else {
      this.put({ ...keep, data: Buffer.concat(taken.pieces) }, at);
      this.#uploads.delete(upload);
    }
    return taken.length;
  }

  part(hash: string, offset: number, length: number): BlobPart | undefined {
    const blob = this.#kept.get(hash);
    if (blob === undefined) return undefined;
    const { size, encoding, data } = blob;
    return { size, encoding, storedBytes: data.length, data: data.slice(offset, offset + length) };
  }

  use(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#count(hash, 1);
  }

  /** An entry for each hash has gone. What nothing refers to any more goes with it. */
  letGo(hashes: readonly string[]): Freed {
    for (const hash of hashes) this.#count(hash, -1);
    return this.#drop(new Set(hashes), ({ uses }) => uses === 0);
  }

  collect(before: string): Freed {
    const unfinished = [...this.#uploads].filter(([, { at }]) => at < before);
    for (const [upload] of unfinished) this.#uploads.delete(upload);
    const freed = this.#drop(this.#kept.keys(), ({ uses, at }) => uses === 0 && at < before);
    const bytes = unfinished.reduce((sum, [, { length }]) => sum + length, freed.bytes);
    return { blobs: freed.blobs + unfinished.length, bytes };
  }

  /** What these take, each once. */
  bytesOf(hashes: Iterable<string>): number {
    let bytes = 0;
    for (const hash of new Set(hashes)) bytes += this.#kept.get(hash)?.data.length ?? 0;
    return bytes;
  }

  get bytes(): number {
    return this.bytesOf(this.#kept.keys());
  }

  #count(hash: string, change: number): void {
    const blob = this.#kept.get(hash);
    if (blob !== undefined) blob.uses += change;
  }

  #drop(hashes: Iterable<string>, isGone: (blob: KeptBlob) => boolean): Freed {
    let [blobs, bytes] = [0, 0];
    for (const hash of hashes) {
      const blob = this.#kept.get(hash);
      if (blob === undefined || !isGone(blob)) continue;
      this.#kept.delete(hash);
      blobs++;
      bytes += blob.data.length;
    }
    return { blobs, bytes };
  }
}
