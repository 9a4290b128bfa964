import type { DatabaseSync } from "node:sqlite";
import type { BlobEncoding } from "../../operations.ts";
import type { Row } from "../rows.ts";
import type { Statements } from "../statements.ts";

// Loaded when first needed: few commands verify.
const crypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");
const zlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

/** What is wrong with the stored bytes of blobs, in words. Unfinished ones have no hash to compare with. */
export function* blobProblems(database: DatabaseSync, sql: Statements): Generator<string> {
  const statement = database.prepare(
    "SELECT n, hash, size, encoding, stored_bytes FROM blobs WHERE hash IS NOT NULL",
  );
  statement.setReturnArrays(true);
  for (const row of statement.iterate() as unknown as Iterable<Row>) {
    const [n, hash, size, encoding, storedBytes] = row as [number, string, number, BlobEncoding, number];
    const chunks = (): Iterable<Row> =>
      sql.chunks.iterate(n, 0, Number.MAX_SAFE_INTEGER) as unknown as Iterable<Row>;
    const missing = firstGap(chunks(), storedBytes);
    if (missing !== undefined) yield `the bytes of blob ${hash} from ${missing} on are missing`;
    else if (hashOf(chunks(), size, encoding) !== hash) yield `the bytes of blob ${hash} have another hash`;
  }
}

function firstGap(chunks: Iterable<Row>, storedBytes: number): number | undefined {
  let end = 0;
  for (const [position, data] of chunks) {
    if (position !== end) return end;
    end += (data as Uint8Array).length;
  }
  return end === storedBytes ? undefined : end;
}

/** `undefined` when the bytes cannot even be decompressed. */
function hashOf(chunks: Iterable<Row>, size: number, encoding: BlobEncoding): string | undefined {
  const hash = crypto().createHash("sha256");
  if (encoding === "none") {
    for (const [, data] of chunks) hash.update(data as Uint8Array);
    return hash.digest("hex");
  }
  try {
    const stored = Buffer.concat(Array.from(chunks, ([, data]) => data as Uint8Array));
    const bytes = zlib().zstdDecompressSync(stored, { maxOutputLength: Math.max(1, size) });
    return hash.update(bytes).digest("hex");
  } catch {
    return undefined;
  }
}
