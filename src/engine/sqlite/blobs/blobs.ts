import { timeOf } from "../../../util/time.ts";
import { newBytes } from "../../blob-rules.ts";
import type { BlobEncoding, BlobOperation, CollectOperation, NewBlob } from "../../operations.ts";
import type { BlobPart } from "../../queries.ts";
import { type Freed, freedBlobs } from "../../removal-rules.ts";
import type { Row } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** Small enough that reading a slice is cheap, large enough that a big file has few. */
const CHUNK_BYTES = 256 * 1024;

/** Blobs by their hash, in chunks, and uploads. */
export class Blobs {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  has(hash: string): boolean {
    return this.#sql.blob.get(hash) !== undefined;
  }

  put({ hash, size, encoding, data }: NewBlob, at: string): void {
    if (this.has(hash)) return;
    const row = this.#sql.insertBlob.get(hash, null, size, encoding, data.length, timeOf(at)) as Row;
    this.#addChunks(row[0] as number, 0, data);
  }

  /** Add a piece of an upload. Returns how many bytes are stored. */
  upload(piece: BlobOperation): number {
    const { upload, position, data, keep, at } = piece;
    const row = this.#sql.upload.get<[n: number, length: number]>(upload);
    const bytes = newBytes(row?.[1], piece, (hash) => this.#touch(hash, at));
    if (bytes === undefined) return position + data.length;
    const n = row?.[0] ?? this.#begin(upload, at);
    const length = row?.[1] ?? 0;
    this.#addChunks(n, length, bytes);
    this.#sql.extendUpload.run(n, length + bytes.length, timeOf(at));
    if (keep !== undefined) this.#keep(n, keep, at);
    return length + bytes.length;
  }

  #begin(upload: string, at: string): number {
    const row = this.#sql.insertBlob.get(null, upload, 0, "none", 0, timeOf(at)) as Row;
    return row[0] as number;
  }

  #keep(n: number, { hash, size, encoding }: NonNullable<BlobOperation["keep"]>, at: string): void {
    if (this.#touch(hash, at)) this.#drop(n);
    else this.#sql.nameUpload.run(n, hash, size, encoding);
  }

  /** A blob that was uploaded again is about to be referred to: to the next collection it is new. */
  #touch(hash: string, at: string): boolean {
    const row = this.#sql.blob.get(hash);
    if (row !== undefined) this.#sql.touchBlob.run(row[0] as number, timeOf(at));
    return row !== undefined;
  }

  #addChunks(blob: number, position: number, data: Uint8Array): void {
    for (let offset = 0; offset < data.length; offset += CHUNK_BYTES) {
      this.#sql.insertChunk.run(blob, position + offset, data.subarray(offset, offset + CHUNK_BYTES));
    }
  }

  part(hash: string, offset: number, length: number): BlobPart | undefined {
    const row = this.#sql.blob.get(hash);
    if (row === undefined) return undefined;
    const [n, size, encoding, storedBytes] = row as [number, number, BlobEncoding, number];
    const end = Math.min(storedBytes, offset + length);
    return { size, encoding, storedBytes, data: this.#slice(n, offset, end) };
  }

  #slice(n: number, offset: number, end: number): Uint8Array {
    const data = new Uint8Array(Math.max(0, end - offset));
    let filled = 0;
    const rows = data.length === 0 ? [] : this.#sql.chunks.iterate(n, offset, end);
    for (const row of rows) {
      const [position, chunk] = row as [number, Uint8Array];
      // A missing chunk must not be read as zeros.
      if (position > offset + filled) break;
      const piece = chunk.subarray(offset + filled - position, end - position);
      data.set(piece, filled);
      filled += piece.length;
    }
    return data.subarray(0, filled);
  }

  /** Remove those that nothing refers to. The entries that referred to them must be gone by now. */
  dropUnused(hashes: Iterable<string>): Freed {
    const unused = new Set(hashes);
    const rows = unused.size === 0 ? [] : this.#sql.references.iterate();
    for (const [references] of rows) {
      for (const hash of hashesIn(references as string)) unused.delete(hash);
      if (unused.size === 0) break;
    }
    const dropped = [...unused].flatMap((hash) => {
      const row = this.#sql.blob.get(hash);
      if (row === undefined) return [];
      this.#drop(row[0] as number);
      return [row[3] as number];
    });
    return freedBlobs(dropped);
  }

  collect({ before, hashes }: CollectOperation): Freed[] {
    if (hashes !== undefined) return [this.dropUnused(hashes)];
    const beforeMs = timeOf(before);
    const stored = this.#sql.blobsBefore.all<[string]>(beforeMs);
    const unfinished = this.#sql.uploadsBefore.all<[number, number]>(beforeMs);
    for (const [n] of unfinished) this.#drop(n);
    return [freedBlobs(unfinished.map(([, bytes]) => bytes)), this.dropUnused(stored.map(([hash]) => hash))];
  }

  #drop(n: number): void {
    this.#sql.deleteChunks.run(n);
    this.#sql.deleteBlob.run(n);
  }
}

/** Found by pattern rather than parsed as JSON, so that a damaged reference still keeps its blob. */
export function hashesIn(references: string | null): string[] {
  return references?.match(/\b[0-9a-f]{64}\b/g) ?? [];
}
