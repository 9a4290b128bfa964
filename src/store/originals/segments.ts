/** Compresses and reads segments. */
import type { ZstdOptions } from "node:zlib";
import type { NewBlob } from "../../engine/index.ts";
import { sha256Hex } from "../../util/sha256.ts";
import type { StoreAccess } from "../access.ts";
import type { Segment, Stretch } from "./announcement.ts";

// Loaded when first needed: most commands never see an import.
const zlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

/** Smaller ones stay in the entry that announces them: a blob would cost more than they do. */
const INLINE_BYTES_MAX = 4 * 1024;

/** A segment that is ready to be stored. */
export interface NewSegment {
  readonly segment: Segment;
  readonly blob: NewBlob | undefined;
}

/** The same segment, in the entry that announces it: its blob is damaged, and stays so while an entry refers to it. */
export function inlineSegment(segment: Segment, bytes: Buffer): Segment {
  return { ...segment, zstd: packed(bytes).toString("base64") };
}

/** For fewer bytes, passing them to another thread takes longer than compressing them. */
const BACKGROUND_BYTES_MIN = 32 * 1024;

function packed(bytes: Buffer): Buffer {
  return zlib().zstdCompressSync(bytes, optionsFor(bytes, 2));
}

function packedInBackground(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zlib().zstdCompress(bytes, optionsFor(bytes, 4), (error, data) => {
      if (error === null) resolve(data);
      else reject(error);
    });
  });
}

/**
 * With a checksum, so that damage is noticed on reading. zstd reserves as much memory as the size needs that it is
 * told, and Node.js as much for the result as is left after shrinking to a part.
 */
function optionsFor({ length }: Buffer, part: number): ZstdOptions {
  const params = { [zlib().constants.ZSTD_c_checksumFlag]: 1 };
  return { params, pledgedSrcSize: length, chunkSize: Math.max(1024, Math.ceil(length / part)) };
}

/** Compresses a large one in a background thread. `bytes` must not change meanwhile. */
export async function newSegment(
  bytes: Buffer,
  at: readonly Stretch[],
  { continues = false, redactedAt }: { readonly continues?: boolean; readonly redactedAt?: string } = {},
): Promise<NewSegment> {
  const hash = sha256Hex(bytes);
  const data = bytes.length < BACKGROUND_BYTES_MIN ? packed(bytes) : await packedInBackground(bytes);
  const isSmall = data.length <= INLINE_BYTES_MAX;
  return {
    segment: {
      at,
      bytes: bytes.length,
      hash,
      continues,
      zstd: isSmall ? data.toString("base64") : undefined,
      redactedAt,
    },
    blob: isSmall ? undefined : { hash, size: bytes.length, encoding: "zstd", data },
  };
}

/** The bytes of a segment, or why they cannot be read. */
export async function segmentBytes(
  store: Pick<StoreAccess, "ask">,
  { hash, bytes, zstd }: Segment,
): Promise<Buffer | "missing" | "damaged"> {
  const part =
    zstd === undefined
      ? await store.ask((engine) => engine.blob(hash, 0, Number.MAX_SAFE_INTEGER))
      : { encoding: "zstd", data: Buffer.from(zstd, "base64") };
  if (part === undefined) return "missing";
  try {
    const read =
      part.encoding === "zstd"
        ? zlib().zstdDecompressSync(part.data, { maxOutputLength: Math.max(1, bytes) })
        : Buffer.from(part.data);
    return sha256Hex(read) === hash ? read : "damaged";
  } catch {
    return "damaged";
  }
}
