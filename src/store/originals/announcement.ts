/**
 * An original: the bytes that an import read of one source for one conversation.
 *
 * It is cut into segments, which are compressed and checked by their hash. An entry of kind `info`, on no branch,
 * announces some of them. `docs/format/imported.md` describes it.
 */
import type { BlobRef } from "../../message/types.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";

/** The `type` of an entry of kind `info` that announces segments. */
export const ORIGINAL_TYPE = "original";

/** Whether positions are those of a file of lines, of a document, or of rows that are written one a line. */
export type OriginalForm = "lines" | "document" | "rows";

/** A stretch of the source: where it begins, and its length. */
export type Stretch = readonly [start: number, bytes: number];

export interface Segment {
  /** Where its bytes were in the source, in order. More than one where lines of another conversation are between. */
  readonly at: readonly Stretch[];
  readonly bytes: number;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  /** It begins within a record: the segment before it is needed to read that. */
  readonly continues: boolean;
  /** A small segment is kept here, compressed, in Base64. Any other is a blob. */
  readonly zstd: string | undefined;
  /** When words in it were overwritten with spaces. */
  readonly redactedAt: string | undefined;
}

export interface Announcement {
  /** The number of the original in its conversation. */
  readonly original: number;
  /** The source, relative to the folder that was imported. */
  readonly file: string;
  readonly form: OriginalForm;
  /** How many segments of the original come before these. */
  readonly first: number;
  readonly segments: readonly Segment[];
  /** The source was read to its end and has this size. */
  readonly size: number | undefined;
  /** The source was rewritten: these come after the first segments of another original. */
  readonly after: { readonly original: number; readonly segments: number } | undefined;
}

export function announcementData(announcement: Announcement): JsonObject {
  const { original, file, form, first, segments, size, after } = announcement;
  return {
    type: ORIGINAL_TYPE,
    original,
    file,
    form,
    first,
    ...(after === undefined ? {} : { after: { ...after } }),
    segments: segments.map(({ at, bytes, hash, continues, zstd, redactedAt }) => ({
      at: at.map((stretch) => [...stretch]),
      bytes,
      hash,
      ...(continues ? { continues } : {}),
      ...(zstd === undefined ? {} : { zstd }),
      ...(redactedAt === undefined ? {} : { redacted_at: redactedAt }),
    })),
    ...(size === undefined ? {} : { size }),
  };
}

export function isAnnouncement(kind: string, data: unknown): data is JsonObject {
  return kind === "info" && isPlainObject(data) && data.type === ORIGINAL_TYPE;
}

/** More than an import makes, which cuts long records. An export of a store may claim anything. */
const SEGMENT_BYTES_MAX = 1024 * 1024;
const SEGMENTS_MAX = 4_000_000;

/** `undefined` if it was erased, or is damaged. */
export function announcementIn(data: JsonObject): Announcement | undefined {
  const { original, file, form, first, segments, size, after } = data;
  if (!isCount(original) || typeof file !== "string" || !isForm(form)) return undefined;
  if (!isCount(first) || first > SEGMENTS_MAX) return undefined;
  if (!Array.isArray(segments)) return undefined;
  const found = segments.map(segmentIn);
  if (!found.every((segment) => segment !== undefined)) return undefined;
  const base = isPlainObject(after) && isCount(after.original) && isCount(after.segments) ? after : undefined;
  return {
    original,
    file,
    form,
    first,
    segments: found,
    size: isCount(size) ? size : undefined,
    after: base && { original: base.original as number, segments: base.segments as number },
  };
}

const HASH = /^[0-9a-f]{64}$/;

function segmentIn(value: unknown): Segment | undefined {
  if (!isPlainObject(value) || typeof value.hash !== "string" || !HASH.test(value.hash)) return undefined;
  const { at, bytes, hash, continues, zstd, redacted_at: redactedAt } = value;
  if (!Array.isArray(at) || !at.every(isStretch) || !isCount(bytes) || bytes > SEGMENT_BYTES_MAX)
    return undefined;
  if (at.reduce((sum, [, length]) => sum + length, 0) !== bytes) return undefined;
  return {
    at,
    bytes,
    hash,
    continues: continues === true,
    zstd: typeof zstd === "string" ? zstd : undefined,
    redactedAt: typeof redactedAt === "string" ? redactedAt : undefined,
  };
}

function isStretch(value: unknown): value is Stretch {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isForm(value: unknown): value is OriginalForm {
  return value === "lines" || value === "document" || value === "rows";
}

/** The blobs that an announcement refers to. */
export function segmentReferences(data: JsonObject): BlobRef[] {
  return (announcementIn(data)?.segments ?? [])
    .filter(({ zstd }) => zstd === undefined)
    .map(({ hash, bytes }) => ({ hash, size: bytes, path: [], as: "reference" }));
}
