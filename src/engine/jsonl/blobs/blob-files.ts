import { dirname, join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { refuseHardLinks } from "../../../disk/hard-links.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { removeLeftovers, replaceFile } from "../../../disk/replace-file.ts";
import { withFile } from "../../../disk/with-file.ts";
import { unavailable } from "../../../errors.ts";
import { timeOf } from "../../../util/time.ts";
import type { Random } from "../../../util/uuid.ts";
import { checkUpload, newBytes } from "../../blob-rules.ts";
import type { BlobEncoding, BlobOperation, NewBlob } from "../../operations.ts";
import type { BlobPart } from "../../queries.ts";
import { type Freed, freedBlobs } from "../../removal-rules.ts";
import { BLOB_FOLDER } from "../folder/names.ts";
import { measureFrames, sizeFrame } from "./size-frame.ts";

const UPLOAD_PREFIX = ".upload-";
const BLOB = /^([0-9a-f]{64})(\.zst)?$/;

/** A blob on the disk. */
export interface StoredBlob {
  readonly hash: string;
  readonly path: string;
  readonly encoding: BlobEncoding;
  readonly fileBytes: number;
  readonly inode: bigint;
  readonly modifiedMs: number;
}

const HASH = /^[0-9a-f]{64}$/;

/** Blobs, one file each, named by their hash, and uploads in progress. */
export class BlobFiles {
  readonly #io: FileIo;
  readonly #random: Random;
  readonly #folder: string;
  /** Blobs whose content and name survive a power cut. */
  readonly #durable = new Map<string, bigint>();

  constructor(io: FileIo, random: Random, folder: string) {
    this.#io = io;
    this.#random = random;
    this.#folder = join(folder, BLOB_FOLDER);
  }

  find(hash: string): StoredBlob | undefined {
    // A hash from a message or file must never become a path unchecked.
    if (!HASH.test(hash)) return undefined;
    for (const encoding of ["none", "zstd"] as const) {
      const path = this.#path(hash, encoding);
      const stat = this.#io.stat(path);
      if (stat === undefined) continue;
      const modifiedMs = Number(stat.modifiedNs / 1_000_000n);
      return { hash, path, encoding, fileBytes: stat.size, inode: stat.inode, modifiedMs };
    }
    return undefined;
  }

  /** Whether a repair has recorded that the blob is missing or damaged. */
  isKnownLost(hash: string): boolean {
    return HASH.test(hash) && this.#io.stat(this.#lostPath(hash)) !== undefined;
  }

  /** Record that a blob is lost, under the lock. A damaged one is kept under another name. */
  recordLost(hash: string): string {
    const [lost, damaged] = [this.#lostPath(hash), this.find(hash)];
    this.#io.makeFolder(dirname(lost));
    if (damaged !== undefined) this.#io.rename(damaged.path, lost);
    else replaceFile(lost, Buffer.alloc(0), { io: this.#io, random: this.#random });
    this.#io.syncFolder(dirname(lost));
    return lost;
  }

  /** Write the size of a compressed blob anew, under the lock. */
  rewriteSize({ path, fileBytes, modifiedMs }: StoredBlob, size: number): void {
    const content = withFile(this.#io, path, "read", (file) => {
      const { storedBytes } = measureFrames(this.#io, file, fileBytes);
      return readChunk(this.#io, file, 0, storedBytes);
    });
    const options = { io: this.#io, random: this.#random, makeIn: this.#folder };
    replaceFile(path, [content, sizeFrame(size)], options);
    this.#io.touch(path, modifiedMs);
  }

  /** Store a blob unless it exists. It is durable when this returns. */
  put({ hash, size, encoding, data }: NewBlob, at: string): void {
    if (this.keep(hash)) return;
    const path = this.#path(hash, encoding);
    this.#io.makeFolder(dirname(path));
    const content = encoding === "zstd" ? [Buffer.from(data), sizeFrame(size)] : [Buffer.from(data)];
    replaceFile(path, content, { io: this.#io, random: this.#random, makeIn: this.#folder });
    this.#io.touch(path, timeOf(at));
  }

  /** Make an existing blob durable: the process that stored it may have died before its sync. */
  keep(hash: string): boolean {
    const found = this.find(hash);
    if (found === undefined) return false;
    if (this.#durable.get(hash) !== found.inode) this.#io.syncFolder(dirname(found.path));
    this.#durable.set(hash, found.inode);
    return true;
  }

  /** Add a piece of an upload. Returns how many bytes are stored. */
  upload(piece: BlobOperation): number {
    const { upload, position, data, keep, at } = piece;
    checkUpload(upload);
    this.#io.makeFolder(this.#folder);
    const path = join(this.#folder, UPLOAD_PREFIX + upload);
    const stat = this.#io.stat(path);
    if (stat !== undefined) refuseHardLinks(path, stat);
    const known = stat?.size;
    const length = known ?? 0;
    const bytes = newBytes(known, piece, (hash) => this.keep(hash));
    if (bytes === undefined) return position + data.length;
    withFile(this.#io, path, known === undefined ? "create" : "write", (file) =>
      this.#add(file, length, bytes, keep),
    );
    this.#io.touch(path, timeOf(at));
    if (keep !== undefined) this.#name(path, keep);
    return length + bytes.length;
  }

  #add(file: number, length: number, bytes: Uint8Array, keep: BlobOperation["keep"]): void {
    const end = length + bytes.length;
    const frame = keep?.encoding === "zstd" ? sizeFrame(keep.size) : Buffer.alloc(0);
    const written =
      this.#io.write(file, bytes, length) === bytes.length &&
      this.#io.write(file, frame, end) === frame.length;
    if (!written) {
      this.#io.truncate(file, length);
      throw unavailable("Cannot store a blob: the disk is probably full");
    }
    if (keep !== undefined) this.#io.sync(file);
  }

  /** Replaces an existing blob, which makes it as new as this one. */
  #name(upload: string, { hash, encoding }: NonNullable<BlobOperation["keep"]>): void {
    const former = this.find(hash);
    const path = this.#path(hash, encoding);
    this.#io.makeFolder(dirname(path));
    this.#io.rename(upload, path);
    this.#io.syncFolder(dirname(path));
    if (former !== undefined && former.path !== path) this.#io.remove(former.path);
  }

  part(hash: string, offset: number, length: number): BlobPart | undefined {
    const found = this.find(hash);
    if (found === undefined) return undefined;
    const { path, encoding, fileBytes } = found;
    return withFile(this.#io, path, "read", (file) => {
      const { size, storedBytes } = this.#measure(file, encoding, fileBytes);
      const end = Math.min(storedBytes, offset + length);
      const data = readChunk(this.#io, file, offset, Math.max(0, end - offset));
      return { size, encoding, storedBytes, data };
    });
  }

  #measure(file: number, encoding: BlobEncoding, fileBytes: number): { size: number; storedBytes: number } {
    if (encoding === "none") return { size: fileBytes, storedBytes: fileBytes };
    return measureFrames(this.#io, file, fileBytes);
  }

  /** All stored blobs. */
  *all(): Generator<StoredBlob> {
    for (const prefix of this.#list(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(prefix)) continue;
      for (const name of this.#list(join(this.#folder, prefix))) {
        const [, hash] = BLOB.exec(name) ?? [];
        const found = hash === undefined ? undefined : this.find(hash);
        if (found?.path.endsWith(name)) yield found;
      }
    }
  }

  uploads(): { readonly path: string; readonly bytes: number; readonly modifiedMs: number }[] {
    return this.#list(this.#folder).flatMap((name) => {
      const path = join(this.#folder, name);
      const stat = name.startsWith(UPLOAD_PREFIX) ? this.#io.stat(path) : undefined;
      if (stat === undefined) return [];
      return [{ path, bytes: stat.size, modifiedMs: Number(stat.modifiedNs / 1_000_000n) }];
    });
  }

  /** Remove blobs and what is left of damaged ones. Returns the freed space. */
  drop(hashes: readonly string[]): Freed {
    for (const hash of hashes) if (this.isKnownLost(hash)) this.#io.remove(this.#lostPath(hash));
    return this.#remove(hashes.flatMap((hash) => this.find(hash) ?? []));
  }

  #remove(blobs: readonly StoredBlob[]): Freed {
    for (const { path } of blobs) this.#io.remove(path);
    for (const folder of new Set(blobs.map(({ path }) => dirname(path)))) this.#io.syncFolder(folder);
    return freedBlobs(blobs.map(({ fileBytes }) => fileBytes));
  }

  /** Remove uploads without a write since then. Returns the freed space. */
  dropUploads(before: string): Freed {
    const dropped = this.uploads().filter(({ modifiedMs }) => modifiedMs < timeOf(before));
    for (const { path } of dropped) this.#io.remove(path);
    return freedBlobs(dropped.map(({ bytes }) => bytes));
  }

  /** Remove temporary files of killed writers, under the lock. */
  tidy(): void {
    if (this.#io.stat(this.#folder) !== undefined) removeLeftovers(this.#io, this.#folder);
  }

  #list(folder: string): string[] {
    return this.#io.stat(folder) === undefined ? [] : this.#io.list(folder);
  }

  #lostPath(hash: string): string {
    return `${this.#path(hash, "none")}.lost`;
  }

  #path(hash: string, encoding: BlobEncoding): string {
    return join(this.#folder, hash.slice(0, 2), encoding === "zstd" ? `${hash}.zst` : hash);
  }
}
