import { timeOf } from "../../../util/time.ts";
import { newBytes } from "../../blob-rules.ts";
import type { BlobEncoding, BlobOperation, CollectOperation, NewBlob } from "../../operations.ts";
import type { BlobPart } from "../../queries.ts";
import { type Freed, freedBlobs } from "../../removal-rules.ts";
import type { Row } from "../rows.ts";
import { type Statements, SUSPECTED_BEFORE } from "../statements.ts";

/** Small enough that reading a slice is cheap, large enough that a big file has few. */
const CHUNK_BYTES = 256 * 1024;
/** How much of blobs one transaction deletes: about 30 ms of work, most of it for the disk. */
export const DROPPED_BYTES_MAX: number = 2 * 1024 * 1024;
const DROPPED_CHUNKS_MAX = DROPPED_BYTES_MAX / CHUNK_BYTES;

/** Blobs by their hash, in chunks, and uploads. */
export class Blobs {
  readonly #sql: Statements;
  /** Those stored before this time may be unused. `undefined` if nothing was removed since they were searched. */
  searchBeforeMs: number | undefined;

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
    if (keep !== undefined && this.#touch(keep.hash, at)) this.drop([[n, length + bytes.length]]);
    else if (keep !== undefined) this.#sql.nameUpload.run(n, keep.hash, keep.size, keep.encoding);
    return length + bytes.length;
  }

  #begin(upload: string, at: string): number {
    const row = this.#sql.insertBlob.get(null, upload, 0, "none", 0, timeOf(at)) as Row;
    return row[0] as number;
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

  /** Nothing may refer to these any more. The eraser looks for references, and removes those without any. */
  suspect(hashes: Iterable<string>): void {
    for (const hash of hashes) {
      this.#sql.suspectBlob.run(hash);
      this.searchBeforeMs = Math.max(this.searchBeforeMs ?? SUSPECTED_BEFORE, SUSPECTED_BEFORE);
    }
  }

  /** Removes unfinished uploads. The eraser does the rest. */
  collect({ before, hashes }: CollectOperation): Freed {
    if (hashes !== undefined) {
      this.suspect(hashes);
      return freedBlobs([]);
    }
    const beforeMs = timeOf(before);
    this.searchBeforeMs = Math.max(this.searchBeforeMs ?? SUSPECTED_BEFORE, beforeMs);
    return this.drop(this.#sql.uploadsBefore.all<[number, number]>(beforeMs));
  }

  /** Beyond a few megabytes, others would wait for it: those are released, and the eraser deletes them in steps. */
  drop(blobs: readonly (readonly [n: number, bytes: number])[]): Freed {
    let total = 0;
    for (const [n, bytes] of blobs) {
      total += bytes;
      if (total > DROPPED_BYTES_MAX) this.#release(n);
      else this.#delete(n);
    }
    return freedBlobs(blobs.map(([, bytes]) => bytes));
  }

  /** From now on it has no name. */
  #release(n: number): void {
    this.#sql.releaseBlob.run(n);
    this.#sql.insertErasure.run();
  }

  /** Delete a part of what was released. Returns whether there may be more. */
  dropReleased(): boolean {
    for (let left = DROPPED_CHUNKS_MAX; left > 0; ) {
      const row = this.#sql.releasedBlob.get<[number]>();
      if (row === undefined) return false;
      const [n] = row;
      const { changes } = this.#sql.deleteSomeChunks.run(n, left);
      left -= Math.max(1, Number(changes));
      if (this.#sql.chunks.get(n, 0, Number.MAX_SAFE_INTEGER) === undefined) this.#sql.deleteBlob.run(n);
    }
    return true;
  }

  #delete(n: number): void {
    this.#sql.deleteChunks.run(n);
    this.#sql.deleteBlob.run(n);
  }
}

/** Found by pattern rather than parsed as JSON, so that a damaged reference still keeps its blob. */
export function hashesIn(references: string | null): string[] {
  return references?.match(/\b[0-9a-f]{64}\b/g) ?? [];
}
