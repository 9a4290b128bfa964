import { zstdDecompressSync } from "node:zlib";
import { pieces } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { sha256 } from "../../../util/sha256.ts";
import type { Finding } from "../../queries.ts";
import type { BlobFiles, StoredBlob } from "../blobs/blob-files.ts";
import { measureFrames, sizeFrame } from "../blobs/size-frame.ts";

export interface BlobFinding {
  readonly hash: string;
  readonly finding: Finding;
  /** The blob, if only the size at its end is damaged, and the right size. */
  readonly whole?: { readonly blob: StoredBlob; readonly size: number };
}

/** Blobs that entries refer to and that are missing, unless a repair has recorded that. */
export function* missingBlobs(
  files: BlobFiles,
  conversation: string | null,
  hashes: Iterable<string>,
  source: string,
): Generator<BlobFinding> {
  for (const hash of hashes) {
    if (files.find(hash) !== undefined || files.isKnownLost(hash)) continue;
    const message = `blob ${hash} is missing`;
    yield { hash, finding: { code: "missing-blob", conversation, source, line: null, message } };
  }
}

export function* damagedBlobs(io: FileIo, files: BlobFiles): Generator<BlobFinding> {
  for (const blob of files.all()) {
    const damage = damageOf(io, blob);
    if (damage !== undefined) yield damage;
  }
}

/** `undefined` if the blob is whole, or was removed in the meantime. */
export function damageOf(io: FileIo, blob: StoredBlob): BlobFinding | undefined {
  const { hash, path } = blob;
  if (io.stat(path) === undefined) return undefined;
  const content = contentOf(io, blob);
  const found = (message: string): BlobFinding => ({
    hash,
    finding: { code: "bad-blob", conversation: null, source: path, line: null, message },
  });
  if (content?.hash !== hash) return found(`the content of blob ${hash} does not match its hash`);
  if (content.frame === undefined || content.frame.equals(sizeFrame(content.size))) return undefined;
  const whole = { blob, size: content.size };
  return { ...found(`the size at the end of blob ${hash} is damaged; its content is whole`), whole };
}

interface Content {
  readonly hash: string;
  readonly size: number;
  readonly frame: Buffer | undefined;
}

/** `undefined` if the bytes cannot be decompressed. */
function contentOf(io: FileIo, { path, encoding, fileBytes }: StoredBlob): Content | undefined {
  const hash = sha256();
  return withFile(io, path, "read", (file) => {
    try {
      if (encoding === "none") {
        for (const piece of pieces(io, file, 0, fileBytes)) hash.update(piece);
        return { hash: hash.digest("hex"), size: fileBytes, frame: undefined };
      }
      const { storedBytes, frame } = measureFrames(io, file, fileBytes);
      const bytes = zstdDecompressSync(readChunk(io, file, 0, storedBytes));
      return { hash: hash.update(bytes).digest("hex"), size: bytes.length, frame };
    } catch {
      return undefined;
    }
  });
}
