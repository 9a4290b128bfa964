/** What is permanently removed, and how it is counted. */
import { ColloquyError } from "../errors.ts";
import { type SeqRange, unreachable } from "../tree/path.ts";
import type { LogEnd } from "../tree/place-entries.ts";
import { sha256Hex } from "../util/sha256.ts";
import type { Erased, Removed } from "./operations.ts";

/** What a sweep removes: the entries in `ranges` that are not swept already. Those in `runStarts` stay, emptied. */
export function planSweep({ tree, lastSeq }: Pick<LogEnd, "tree" | "lastSeq">): {
  readonly ranges: readonly SeqRange[];
  readonly runStarts: ReadonlySet<number>;
} {
  return { ranges: unreachable(tree, lastSeq), runStarts: new Set(tree.runs.map(([seq]) => seq)) };
}

/** How a store remembers a purged conversation: by a hash of its id, and without any of its words. */
export function purgeMark(conversation: string): string {
  return sha256Hex(conversation);
}

export function entryNotFound(id: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no entry ${id}`, { field: "entry", details: { id } });
}

/** The receipt for a session key that was erased; `null` if there was none. */
export function keyReceipt(key: string | null, copies: readonly string[] = []): Removed {
  return receipt(0, key === null ? 0 : Buffer.byteLength(key), [], copies);
}

/** Blobs that were removed, and the bytes they took as stored. */
export interface Freed {
  readonly blobs: number;
  readonly bytes: number;
}

/** For engines whose commits leave nothing to erase. */
export const NOTHING_ERASED: Erased = { files: [], blobs: 0, bytes: 0 };

/** The blobs of these sizes. */
export function freedBlobs(sizes: readonly number[]): Freed {
  return { blobs: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The receipt for entries with that many bytes, and for the blobs that went with them. */
export function receipt(
  entries: number,
  bytes: number,
  freed: readonly Freed[],
  copies: readonly string[] = [],
): Removed {
  const blobs = freed.reduce((sum, one) => sum + one.blobs, 0);
  return { entries, blobs, bytes: freed.reduce((sum, one) => sum + one.bytes, bytes), copies };
}
