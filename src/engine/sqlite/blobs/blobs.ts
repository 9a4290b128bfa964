import { ColloquyError } from "../../../errors.ts";
import { timeOf } from "../../../util/time.ts";
import type { BlobEncoding, BlobOperation, NewBlob } from "../../operations.ts";
import type { BlobPart } from "../../queries.ts";
import type { Row } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** Small enough to be read for a slice of it, large enough that a big file has few. */
const CHUNK_BYTES = 256 * 1024;

/** What was taken away. */
export interface Freed {
  readonly blobs: number;
  readonly bytes: number;
}

/** Bytes by their hash, in chunks, and those that are being taken in. */
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
    const row = this.#sql.insertBlob.get(
      hash,
      null,
      size,
      encoding,
      data.length,
      timeOf(at),
    ) as unknown as Row;
    this.#addChunks(row[0] as number, 0, data);
  }

  /** A piece of an upload. Gives how many bytes there are. */
  take(operation: BlobOperation): number {
    const { upload, position, data, keep, at } = operation;
    const row = this.#sql.upload.get(upload) as Row | undefined;
    const length = (row?.[1] as number | undefined) ?? 0;
    if (position > length) {
      throw new ColloquyError("INTERNAL_ERROR", `The bytes ${length} to ${position} of a blob are missing`);
    }
    // What is sent again is there already.
    const fresh = data.subarray(length - position);
    const n = (row?.[0] as number | undefined) ?? this.#begin(upload, at);
    this.#addChunks(n, length, fresh);
    this.#sql.extendUpload.run(n, length + fresh.length, timeOf(at));
    if (keep !== undefined) this.#keep(n, keep, at);
    return length + fresh.length;
  }

  #begin(upload: string, at: string): number {
    const row = this.#sql.insertBlob.get(null, upload, 0, "none", 0, timeOf(at)) as unknown as Row;
    return row[0] as number;
  }

  #keep(n: number, { hash, size, encoding }: NonNullable<BlobOperation["keep"]>, at: string): void {
    const known = this.#sql.blob.get(hash) as Row | undefined;
    if (known === undefined) {
      this.#sql.nameUpload.run(n, hash, size, encoding);
      return;
    }
    this.#drop(n);
    // Whoever brought it again is about to refer to it: it counts as new for the next collection.
    this.#sql.touchBlob.run(known[0] as number, timeOf(at));
  }

  #addChunks(blob: number, position: number, data: Uint8Array): void {
    for (let offset = 0; offset < data.length; offset += CHUNK_BYTES) {
      this.#sql.insertChunk.run(blob, position + offset, data.subarray(offset, offset + CHUNK_BYTES));
    }
  }

  part(hash: string, offset: number, length: number): BlobPart | undefined {
    const row = this.#sql.blob.get(hash) as Row | undefined;
    if (row === undefined) return undefined;
    const [n, size, encoding, storedBytes] = row as [number, number, BlobEncoding, number];
    const end = Math.min(storedBytes, offset + length);
    return { size, encoding, storedBytes, data: this.#slice(n, offset, end) };
  }

  #slice(n: number, offset: number, end: number): Uint8Array {
    const data = new Uint8Array(Math.max(0, end - offset));
    let filled = 0;
    const rows =
      data.length === 0 ? [] : (this.#sql.chunks.iterate(n, offset, end) as unknown as Iterable<Row>);
    for (const row of rows) {
      const [position, chunk] = row as [number, Uint8Array];
      // A missing chunk must not read as zeros.
      if (position > offset + filled) break;
      const piece = chunk.subarray(offset + filled - position, end - position);
      data.set(piece, filled);
      filled += piece.length;
    }
    return data.subarray(0, filled);
  }

  /** What of these nothing refers to is removed. Entries that are to be forgotten must be gone by now. */
  dropUnused(hashes: Set<string>): Freed {
    const unused = new Set(hashes);
    const rows = unused.size === 0 ? [] : (this.#sql.references.iterate() as unknown as Iterable<Row>);
    for (const [references] of rows) {
      for (const hash of hashesIn(references as string)) unused.delete(hash);
      if (unused.size === 0) break;
    }
    let [blobs, bytes] = [0, 0];
    for (const hash of unused) {
      const row = this.#sql.blob.get(hash) as Row | undefined;
      if (row === undefined) continue;
      this.#drop(row[0] as number);
      blobs++;
      bytes += row[3] as number;
    }
    return { blobs, bytes };
  }

  collect(before: string): Freed {
    const beforeMs = timeOf(before);
    const kept = this.#sql.blobsBefore.all(beforeMs) as unknown as Row[];
    const unfinished = this.#sql.uploadsBefore.all(beforeMs) as unknown as [number, number][];
    for (const [n] of unfinished) this.#drop(n);
    const freed = this.dropUnused(new Set(kept.map(([hash]) => hash as string)));
    return {
      blobs: freed.blobs + unfinished.length,
      bytes: unfinished.reduce((sum, [, bytes]) => sum + bytes, freed.bytes),
    };
  }

  #drop(n: number): void {
    this.#sql.deleteChunks.run(n);
    this.#sql.deleteBlob.run(n);
  }
}

/** By their look rather than as JSON: also a damaged reference keeps its blob. */
export function hashesIn(references: string | null): string[] {
  return references?.match(/\b[0-9a-f]{64}\b/g) ?? [];
}
