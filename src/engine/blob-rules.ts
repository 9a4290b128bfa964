/** What may be written to the upload of a blob. */
import { ColloquyError } from "../errors.ts";
import type { BlobOperation } from "./operations.ts";

/**
 * The part of a piece that is to be written: a retry may repeat bytes that are
 * there. `stored` is how many bytes the upload has, `undefined` when there is
 * no such upload. Returns `undefined` when the upload is complete already, so
 * that the piece is a retry of its last one. Throws `CONFLICT` when the piece
 * would leave a gap.
 */
export function newBytes(
  stored: number | undefined,
  { position, data, keep }: BlobOperation,
  hasBlob: (hash: string) => boolean,
): Uint8Array | undefined {
  const length = stored ?? 0;
  if (position <= length) return data.subarray(length - position);
  if (stored === undefined && keep !== undefined && hasBlob(keep.hash)) return undefined;
  throw new ColloquyError("CONFLICT", `The upload ends at byte ${length}, before ${position}`, {
    field: "position",
    details: { length },
  });
}
