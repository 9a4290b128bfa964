/** What may be written to the upload of a blob. */
import { ColloquyError, invalid } from "../errors.ts";
import type { BlobOperation } from "./operations.ts";

const UPLOAD = /^[\w-]{1,100}$/;

/** Engines may use the name of an upload as the name of a file: they check it before. */
export function checkUpload(name: string): void {
  if (!UPLOAD.test(name)) throw invalid("Invalid upload name", "upload");
}

/**
 * The part of a piece that is to be written: a retry may repeat bytes that are
 * there. `stored` is how many bytes the upload has, `undefined` when there is
 * no such upload. Returns `undefined` when the upload is complete already, so
 * that the piece is a retry of its last one. Throws `CONFLICT` when the piece
 * would leave a gap, and `VALIDATION_ERROR` when the blob would not have its size.
 */
export function newBytes(
  stored: number | undefined,
  { upload, position, data, keep }: BlobOperation,
  hasBlob: (hash: string) => boolean,
): Uint8Array | undefined {
  checkUpload(upload);
  const length = stored ?? 0;
  if (position <= length) {
    const bytes = data.subarray(length - position);
    checkSize(length + bytes.length, keep);
    return bytes;
  }
  if (stored === undefined && keep !== undefined && hasBlob(keep.hash)) return undefined;
  throw new ColloquyError("CONFLICT", `The upload ends at byte ${length}, before ${position}`, {
    field: "position",
    details: { length },
  });
}

/** The stored size of a compressed blob says nothing about its own. */
function checkSize(length: number, keep: BlobOperation["keep"]): void {
  if (keep?.encoding !== "none" || keep.size === length) return;
  throw invalid(`The blob has ${length} bytes, not ${keep.size}`, "size");
}
