import { newBytes } from "../blob-rules.ts";
import type { BlobEncoding, BlobOperation, CollectOperation, NewBlob } from "../operations.ts";
import type { BlobPart } from "../queries.ts";
import { type Freed, freedBlobs } from "../removal-rules.ts";

interface StoredBlob {
  readonly size: number;
  readonly encoding: BlobEncoding;
  readonly data: Uint8Array;
  at: string;
  /** How many entries refer to it. */
  uses: number;
}

interface Upload {
  readonly at: string;
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

/** Blobs by their hash, and uploads. */
export class Blobs {
  readonly #stored = new Map<string, StoredBlob>();
  readonly #uploads = new Map<string, Upload>();

  has(hash: string): boolean {
    return this.#stored.has(hash);
  }

  put({ hash, size, encoding, data }: NewBlob, at: string): void {
    if (!this.has(hash)) this.#stored.set(hash, { size, encoding, data: data.slice(), at, uses: 0 });
  }

  /** Add a piece of an upload. Returns how many bytes are stored. */
  upload(piece: BlobOperation): number {
    const { upload, position, data, at, keep } = piece;
    const known = this.#uploads.get(upload);
    const bytes = newBytes(known?.length, piece, (hash) => this.#touch(hash, at));
    if (bytes === undefined) return position + data.length;
    const { pieces, length } = known ?? { pieces: [], length: 0 };
    const added = { at, pieces: [...pieces, bytes.slice()], length: length + bytes.length };
    if (keep === undefined) this.#uploads.set(upload, added);
    else {
      if (!this.#touch(keep.hash, at)) this.put({ ...keep, data: Buffer.concat(added.pieces) }, at);
      this.#uploads.delete(upload);
    }
    return added.length;
  }

  /** A blob that was uploaded again is about to be referred to: to the next collection it is new. */
  #touch(hash: string, at: string): boolean {
    const blob = this.#stored.get(hash);
    if (blob !== undefined && at > blob.at) blob.at = at;
    return blob !== undefined;
  }

  part(hash: string, offset: number, length: number): BlobPart | undefined {
    const blob = this.#stored.get(hash);
    if (blob === undefined) return undefined;
    const { size, encoding, data } = blob;
    return { size, encoding, storedBytes: data.length, data: data.slice(offset, offset + length) };
  }

  use(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#count(hash, 1);
  }

  /** An entry for each hash was removed. Blobs that nothing refers to any more are removed with it. */
  release(hashes: readonly string[]): Freed {
    for (const hash of hashes) this.#count(hash, -1);
    return this.#drop(new Set(hashes), ({ uses }) => uses === 0);
  }

  collect({ before, hashes }: CollectOperation): Freed[] {
    if (hashes !== undefined) return [this.#drop(hashes, ({ uses }) => uses === 0)];
    const unfinished = [...this.#uploads].filter(([, { at }]) => at < before);
    for (const [upload] of unfinished) this.#uploads.delete(upload);
    return [
      freedBlobs(unfinished.map(([, { length }]) => length)),
      this.#drop(this.#stored.keys(), ({ uses, at }) => uses === 0 && at < before),
    ];
  }

  /** The bytes of these blobs, each counted once. */
  bytesOf(hashes: Iterable<string>): number {
    let bytes = 0;
    for (const hash of new Set(hashes)) bytes += this.#stored.get(hash)?.data.length ?? 0;
    return bytes;
  }

  get bytes(): number {
    return this.bytesOf(this.#stored.keys());
  }

  #count(hash: string, change: number): void {
    const blob = this.#stored.get(hash);
    if (blob !== undefined) blob.uses += change;
  }

  #drop(hashes: Iterable<string>, isUnused: (blob: StoredBlob) => boolean): Freed {
    const dropped = [...hashes].flatMap((hash) => {
      const blob = this.#stored.get(hash);
      if (blob === undefined || !isUnused(blob)) return [];
      this.#stored.delete(hash);
      return [blob.data.length];
    });
    return freedBlobs(dropped);
  }
}
