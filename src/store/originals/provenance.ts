/** Where an imported entry comes from: `provenance` of its message or data. */
import type { StoredEntry } from "../../message/types.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";

type Kept = Pick<StoredEntry, "message" | "data">;

/** Empty for an entry that has none. */
export function provenanceIn({ message, data }: Kept): JsonObject {
  const value = message ?? data;
  return isPlainObject(value) && isPlainObject(value.provenance) ? (value.provenance as JsonObject) : {};
}

/** The number of the original that an entry was made of. */
export function originalIn(entry: Kept | undefined): number | undefined {
  const original = entry === undefined ? undefined : provenanceIn(entry).original;
  return typeof original === "number" ? original : undefined;
}
