import { zstdDecompressSync } from "node:zlib";
import { pieces } from "../../../disk/copy-file.ts";
import type { FileIo } from "../../../disk/file-io.ts";
import { readChunk } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { sha256 } from "../../../util/sha256.ts";
import type { Finding } from "../../queries.ts";
import type { BlobFiles, StoredBlob } from "../blobs/blob-files.ts";

export interface BlobFinding {
  readonly hash: string;
  readonly finding: Finding;
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
  if (io.stat(path) === undefined || hashOf(io, blob) === hash) return undefined;
  const message = `the content of blob ${hash} does not match its hash`;
  return { hash, finding: { code: "bad-blob", conversation: null, source: path, line: null, message } };
}

/** `undefined` if the bytes cannot be decompressed. */
function hashOf(io: FileIo, { path, encoding, fileBytes }: StoredBlob): string | undefined {
  const hash = sha256();
  return withFile(io, path, "read", (file) => {
    try {
      if (encoding === "zstd") hash.update(zstdDecompressSync(readChunk(io, file, 0, fileBytes)));
      else for (const piece of pieces(io, file, 0, fileBytes)) hash.update(piece);
      return hash.digest("hex");
    } catch {
      return undefined;
    }
  });
}
