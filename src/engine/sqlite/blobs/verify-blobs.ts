import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../../../util/sha256.ts";
import type { BlobEncoding } from "../../operations.ts";
import { prepare, type Statements } from "../statements.ts";

// Loaded on first use: few commands verify.
const zlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

type BlobRow = [n: number, hash: string, size: number, encoding: BlobEncoding, storedBytes: number];
type ChunkRow = [position: number, data: Uint8Array<ArrayBuffer>];

/** What is wrong with the stored bytes of blobs. Unfinished uploads have no hash to compare with. */
export function* blobProblems(database: DatabaseSync, sql: Statements): Generator<string> {
  const stored = prepare(
    database,
    "SELECT n, hash, size, encoding, stored_bytes FROM blobs WHERE hash IS NOT NULL",
  );
  for (const [n, hash, size, encoding, storedBytes] of stored.iterate<BlobRow>()) {
    const chunks = (): Iterable<ChunkRow> => sql.chunks.iterate<ChunkRow>(n, 0, Number.MAX_SAFE_INTEGER);
    const missing = firstGap(chunks(), storedBytes);
    if (missing !== undefined) yield `blob ${hash} is missing its bytes from ${missing} on`;
    else if (hashOf(chunks(), size, encoding) !== hash)
      yield `the content of blob ${hash} does not match its hash`;
  }
}

function firstGap(chunks: Iterable<ChunkRow>, storedBytes: number): number | undefined {
  let end = 0;
  for (const [position, data] of chunks) {
    if (position !== end) return end;
    end += data.length;
  }
  return end === storedBytes ? undefined : end;
}

/** `undefined` when the bytes cannot even be decompressed. */
function hashOf(chunks: Iterable<ChunkRow>, size: number, encoding: BlobEncoding): string | undefined {
  const hash = sha256();
  if (encoding === "none") {
    for (const [, data] of chunks) hash.update(data);
    return hash.digest("hex");
  }
  try {
    const stored = Buffer.concat(Array.from(chunks, ([, data]) => data));
    const bytes = zlib().zstdDecompressSync(stored, { maxOutputLength: Math.max(1, size) });
    return hash.update(bytes).digest("hex");
  } catch {
    return undefined;
  }
}
