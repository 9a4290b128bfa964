/**
 * The blobs that tokens with a scope have stored, or read in their conversations. A message can refer to a blob by its
 * hash, and a reader of the message reads the blob: such a token may only refer to these. Others may see every blob.
 */
import { ColloquyError } from "../../../errors.ts";
import type { Principal } from "../principal.ts";
import type { Keeper, Records } from "./records.ts";

const KEPT_MAX = 1000;

type Holder = Pick<Principal, "scope" | "source">;

export function noteBlob({ records, clock }: Keeper, source: string, hash: string): void {
  records.writeLazily(() => {
    records.run("INSERT OR REPLACE INTO uploads (source, hash, at) VALUES (?, ?, ?)", source, hash, clock());
    const surplus = "SELECT hash FROM uploads WHERE source = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2";
    records.run(`DELETE FROM uploads WHERE source = ?1 AND hash IN (${surplus})`, source, KEPT_MAX);
  });
}

/** The same as if there were no such blob. */
export function assertKnownBlobs(
  records: Records,
  { scope, source }: Holder,
  hashes: readonly string[],
): void {
  if (scope === null) return;
  for (const hash of hashes) {
    if (records.get("SELECT 1 FROM uploads WHERE source = ? AND hash = ?", source, hash) === undefined)
      throw new ColloquyError("NOT_FOUND", "There is no such file: upload it, or read it, first", {
        field: "attachments",
      });
  }
}
