/** Write and read large files, a piece at a time. */

import { ColloquyError, invalid, unavailable } from "../../errors.ts";
import { sha256 } from "../../util/sha256.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import { compressFrame, worthCompressing } from "./blob-parts.ts";

export interface StoredBlob {
  /** SHA-256, 64 hexadecimal digits. A message refers to it by `source: { type: "blob", hash }`. */
  readonly hash: string;
  readonly size: number;
}

export type BlobSource = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const PIECE_BYTES = 1024 * 1024;

/** Store bytes once, however often they are written. At most one piece is in memory. */
export async function putBlob(store: StoreAccess, source: BlobSource): Promise<StoredBlob> {
  store.assertWritable();
  const hash = sha256();
  const upload = store.newId(store.nowMs());
  let size = 0;
  let position = 0;
  let compressing: boolean | undefined;
  let held: Buffer | undefined;
  const push = async (piece: Buffer, keep: { hash: string; size: number } | undefined): Promise<void> => {
    compressing ??= worthCompressing(piece);
    const data = compressing && piece.length > 0 ? compressFrame(piece) : piece;
    const encoding = compressing ? "zstd" : "none";
    await store.queue.push({
      type: "blob",
      upload,
      position,
      data,
      at: isoTime(store.nowMs()),
      keep: keep && { ...keep, encoding },
    });
    position += data.length;
  };
  for await (const piece of pieces(source)) {
    hash.update(piece);
    size += piece.length;
    if (held !== undefined) await push(held, undefined);
    held = piece;
  }
  const digest = hash.digest("hex");
  await push(held ?? Buffer.alloc(0), { hash: digest, size });
  return { hash: digest, size };
}

/** Pieces of a reasonable size, whatever the source yields. */
async function* pieces(source: BlobSource): AsyncGenerator<Buffer, void, undefined> {
  let gathered: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source instanceof Uint8Array ? [source] : source) {
    if (!(chunk instanceof Uint8Array)) throw invalid("A blob must consist of bytes", "source");
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      // A copy, because the caller may reuse the buffer.
      const part = Buffer.from(chunk.subarray(start, start + PIECE_BYTES));
      gathered.push(part);
      bytes += part.length;
      if (bytes < PIECE_BYTES) continue;
      yield gathered.length === 1 ? part : Buffer.concat(gathered);
      gathered = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(gathered);
}

/** The bytes of a blob, in chunks. */
export async function readBlob(
  store: Pick<StoreAccess, "ask">,
  hash: string,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) {
    throw invalid("The hash of a blob must be 64 hexadecimal digits", "hash");
  }
  const first = await store.ask((engine) => engine.blob(hash, 0, PIECE_BYTES));
  if (first === undefined) return undefined;
  const stored = storedBytes(store, hash, first.storedBytes);
  return checked(first.encoding === "zstd" ? decompressed(stored, hash) : stored, hash);
}

/** The last piece is yielded only if the hash of all of them matches. */
async function* checked(
  pieces: AsyncIterable<Uint8Array>,
  hash: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const sum = sha256();
  let held: Uint8Array | undefined;
  for await (const piece of pieces) {
    sum.update(piece);
    if (held !== undefined) yield held;
    held = piece;
  }
  if (sum.digest("hex") !== hash) throw unavailable(`The blob ${hash} is damaged`);
  if (held !== undefined) yield held;
}

async function* storedBytes(
  store: Pick<StoreAccess, "ask">,
  hash: string,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let offset = 0; offset < length; ) {
    const part = await store.ask((engine) => engine.blob(hash, offset, PIECE_BYTES));
    if (part === undefined) {
      throw new ColloquyError("NOT_FOUND", `The blob ${hash} was removed while it was read`);
    }
    if (part.data.length === 0) throw unavailable(`The blob ${hash} is damaged: it ends at byte ${offset}`);
    offset += part.data.length;
    yield part.data;
  }
}

async function* decompressed(
  stored: AsyncIterable<Uint8Array>,
  hash: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { Readable } = process.getBuiltinModule("node:stream");
  const inflate = process.getBuiltinModule("node:zlib").createZstdDecompress();
  const source = Readable.from(stored);
  source.on("error", (error) => inflate.destroy(error));
  try {
    yield* source.pipe(inflate);
  } catch (error) {
    if (error instanceof ColloquyError) throw error;
    throw unavailable(`The blob ${hash} is damaged: ${(error as Error).message}`, { cause: error });
  }
}
