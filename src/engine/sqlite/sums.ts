/**
 * The checksums of rows.
 *
 * SQLite has none: a flipped bit in a page becomes another letter, another
 * order or another conversation. Every row that holds words or their order
 * therefore carries a CRC-32 of its columns, as text, separated by NUL, `NULL`
 * as the empty text. The numbers of rows (`n`) are included, so that a row is
 * proved without any other row.
 */
import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Row } from "./rows.ts";

/** The columns that a checksum covers, in order. `counts` is the second one of a conversation: an append renews it. */
const COVERED = {
  entries: "n, conversation, seq, id, parent_id, kind, at, op, branch, blobs, body",
  conversations: "n, id, key, title, channel, model, profile_id, created_at, deleted_at, context_state",
  counts:
    "n, updated_at, last_message_at, active_at, message_count, last_seq, head, branch_count, compaction_count",
  operations: "id, conversation, first_seq, last_seq",
  changes: "n, conversation, type",
  purged: "mark",
  journals: "conversation, turn, header",
  journal_pieces: "conversation, position, length, text",
  jobs: "queue, id, conversation, at, n, data",
} as const;

export type Covered = keyof typeof COVERED;

export function coveredColumns(of: Covered): string[] {
  return COVERED[of].split(", ");
}

/** Signed, because SQLite stores such an integer in four bytes. */
export function rowSum(...values: readonly unknown[]): number {
  // `join` takes null for the empty text.
  return crc32(values.join("\0")) | 0;
}

/** `rowSum` of an entry. The body is not copied: a page has fifty of them. */
export function entrySum(
  n: unknown,
  conversation: unknown,
  seq: unknown,
  id: unknown,
  parentId: unknown,
  kind: unknown,
  at: unknown,
  op: unknown,
  branch: unknown,
  blobs: unknown,
  body: unknown,
): number {
  const place = `${n}\0${conversation}\0${seq}\0${id}\0${parentId ?? ""}\0${kind}\0${at}\0${op ?? ""}`;
  return crc32(String(body), crc32(`${place}\0${branch ?? ""}\0${blobs ?? ""}\0`)) | 0;
}

/** SQL for the checksum of a row, with expressions in place of columns that are about to change. */
export function sumSql(of: Covered, changed: Readonly<Record<string, string>> = {}): string {
  const columns = coveredColumns(of).map((column) => changed[column] ?? column);
  return `row_sum(${columns.join(", ")})`;
}

/** Make `row_sum` known to a connection. Only statements use it, never the schema: any SQLite tool opens the file. */
export function defineRowSum(database: DatabaseSync): void {
  // As BigInt: a damaged integer may be larger than a number can hold.
  database.function("row_sum", { varargs: true, deterministic: true, useBigIntArguments: true }, rowSum);
}

/** The columns of a table with a checksum, and the checksum last. */
export function sealedColumns(of: Covered): string {
  return `${COVERED[of]}, ${of === "counts" ? "tally" : "sum"}`;
}

/** Whether a row of `sealedColumns` is as it was written. */
export function isSealed(row: Row): boolean {
  return rowSum(...row.slice(0, -1)) === row.at(-1);
}
