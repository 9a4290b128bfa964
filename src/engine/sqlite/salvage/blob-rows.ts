import type { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { sha256Hex } from "../../../util/sha256.ts";
import { blobProblems } from "../blobs/verify-blobs.ts";
import { prepareStatements } from "../statements.ts";
import { sumSql } from "../sums.ts";
import { insertRow } from "./new-database.ts";
import type { Salvaged, SalvagedRow } from "./salvaged.ts";

/**
 * The blobs whose content matches their name. References to one that is lost
 * are marked, so that it is not reported for ever. Returns what is lost.
 */
export function addBlobs(target: DatabaseSync, found: Salvaged, from: Salvaged | undefined): string[] {
  copy(target, found);
  dropDamaged(target);
  if (from !== undefined) copy(target, from);
  dropDamaged(target);
  dropUnused(target);
  const lost = target
    .prepare(
      `SELECT DISTINCT r.value ->> 'hash' AS hash FROM entries e, json_each(e.blobs) r
        WHERE e.blobs IS NOT NULL AND NOT EXISTS (SELECT 1 FROM blobs WHERE hash = r.value ->> 'hash')`,
    )
    .all();
  for (const { hash } of lost) markLost(target, String(hash));
  return lost.map(({ hash }) => `blob ${hash} could not be read: lost`);
}

function copy(target: DatabaseSync, { blobs, chunks }: Salvaged): void {
  const named = new Set(blobs.map(({ n }) => n));
  const pieces = Map.groupBy(
    chunks.toSorted((a, b) => Number(a.position) - Number(b.position)),
    ({ blob }) => blob,
  );
  const nameless = [...pieces].flatMap(([n, data]) =>
    named.has(n ?? null) ? [] : rowFor(n as number, data),
  );
  const known = target.prepare("SELECT 1 FROM blobs WHERE hash = ?");
  const last = target.prepare("SELECT coalesce(max(n), 0) + 1 AS next FROM blobs");
  for (const row of [...blobs, ...nameless]) {
    if (known.get(String(row.hash)) !== undefined) continue;
    const n = Number(last.get()?.next);
    insertRow(target, "blobs", { ...row, n });
    for (const { n: _, ...chunk } of pieces.get(row.n as number) ?? [])
      insertRow(target, "blob_chunks", { ...chunk, blob: n });
  }
}

/** The row of a blob of which only the content is left: its hash is its name. */
function rowFor(n: number, chunks: readonly SalvagedRow[]): SalvagedRow[] {
  const stored = Buffer.concat(chunks.map(({ data }) => data as Uint8Array));
  const row = { n, upload: null, stored_bytes: stored.length, stored_at: 0 };
  const rows: SalvagedRow[] = [{ ...row, hash: sha256Hex(stored), size: stored.length, encoding: "none" }];
  try {
    const bytes = zstdDecompressSync(stored);
    rows.push({ ...row, hash: sha256Hex(bytes), size: bytes.length, encoding: "zstd" });
  } catch {
    // Not compressed, or not complete.
  }
  return rows;
}

function dropDamaged(target: DatabaseSync): void {
  for (const problem of [...blobProblems(target, prepareStatements(target))]) {
    const hash = /[0-9a-f]{64}/.exec(problem)?.[0] ?? "";
    target.prepare("DELETE FROM blob_chunks WHERE blob = (SELECT n FROM blobs WHERE hash = ?)").run(hash);
    target.prepare("DELETE FROM blobs WHERE hash = ?").run(hash);
  }
}

/** A name that was tried and that nothing refers to, and the rows of uploads. */
function dropUnused(target: DatabaseSync): void {
  target.exec(`
    DELETE FROM blobs WHERE stored_at = 0 AND hash NOT IN (SELECT r.value ->> 'hash' FROM entries e, json_each(e.blobs) r
      WHERE e.blobs IS NOT NULL);
    DELETE FROM blob_chunks WHERE blob NOT IN (SELECT n FROM blobs);
  `);
}

function markLost(target: DatabaseSync, hash: string): void {
  const referring = target.prepare("SELECT n, blobs FROM entries WHERE instr(blobs, ?) > 0").all(hash);
  const write = target.prepare(
    `UPDATE entries SET blobs = ?2, sum = ${sumSql("entries", { blobs: "?2" })} WHERE n = ?1`,
  );
  for (const { n, blobs } of referring) {
    const refs = JSON.parse(String(blobs)) as { readonly hash: string }[];
    const marked = refs.map((ref) => (ref.hash === hash ? { ...ref, lost: true } : ref));
    write.run(Number(n), JSON.stringify(marked));
  }
}
