/** Erases entries from the originals of their conversation. */
import type { AppendOperation, NewBlob, NewEntry, RedactOperation } from "../../engine/index.ts";
import type { StoredEntry } from "../../message/types.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import { inlineBlobs } from "../blobs/blob-parts.ts";
import {
  type Announcement,
  announcementData,
  ORIGINAL_TYPE,
  type Segment,
  type Stretch,
  segmentReferences,
} from "./announcement.ts";
import { blankedParts, recordGroups } from "./blank-segments.ts";
import { ErasedTexts } from "./blank-texts.ts";
import { placeOf, textsOf } from "./erased-texts.ts";
import { type Original, originalsOf, type StoredAnnouncement } from "./originals.ts";
import { newSegment, segmentBytes } from "./segments.ts";

/**
 * The operations that erase entries from the originals of their conversation, for the same commit. What the records
 * of the entries hold is overwritten, and so is their text wherever the originals repeat it.
 */
export async function eraseFromOriginals(
  store: StoreAccess,
  conversation: string,
  entries: readonly StoredEntry[],
  nowMs: number,
): Promise<(AppendOperation | RedactOperation)[]> {
  const originals = await originalsOf(store, conversation);
  if (originals.length === 0 || entries.length === 0) return [];
  const whole = await inlineBlobs(store, structuredClone([...entries]));
  const texts = new ErasedTexts(whole.flatMap((entry) => [...textsOf(entry)]));
  const places = whole.map(placeOf);
  const operations: (AppendOperation | RedactOperation)[] = [];
  for (const original of originals) {
    const stretches = places.flatMap((place) => (place.original === original.number ? place.at : []));
    operations.push(...original.replaced.map((entry) => withdrawing(conversation, entry, nowMs)));
    const { changed, missing } = await changedSegments(store, original, texts, stretches, nowMs);
    for (const announcement of original.announcements) {
      if (!announcement.segments.some((segment) => changed.has(segment))) continue;
      for (const segment of announcement.segments) {
        // An entry can only refer to blobs that exist.
        if (missing.has(segment)) changed.set(segment, await emptied(segment, isoTime(nowMs)));
      }
      operations.push(...replaced(store, conversation, announcement, changed, nowMs));
    }
  }
  return operations;
}

interface Changed {
  readonly segment: Segment;
  readonly blob: NewBlob | undefined;
}

async function changedSegments(
  store: StoreAccess,
  { announcements }: Original,
  texts: ErasedTexts,
  stretches: readonly Stretch[],
  nowMs: number,
): Promise<{ readonly changed: Map<Segment, Changed>; readonly missing: ReadonlySet<Segment> }> {
  const changed = new Map<Segment, Changed>();
  const missing = new Set<Segment>();
  const redactedAt = isoTime(nowMs);
  for (const group of recordGroups(announcements.flatMap(({ segments }) => segments))) {
    const read = await Promise.all(group.map((segment) => segmentBytes(store, segment)));
    const parts = read.map((bytes, index) => ({
      at: group[index]?.at ?? [],
      bytes: typeof bytes === "string" ? Buffer.alloc(group[index]?.bytes ?? 0) : bytes,
    }));
    const clean = blankedParts(parts, texts, stretches) ?? [];
    for (const [index, segment] of group.entries()) {
      const bytes = clean[index];
      if (read[index] === "missing") missing.add(segment);
      // A damaged blob may still hold the words.
      else if (read[index] === "damaged") changed.set(segment, await emptied(segment, redactedAt));
      else if (bytes !== undefined) {
        changed.set(
          segment,
          await newSegment(bytes, segment.at, { continues: segment.continues, redactedAt }),
        );
      }
    }
  }
  return { changed, missing };
}

function emptied({ bytes, at, continues }: Segment, redactedAt: string): Promise<Changed> {
  return newSegment(Buffer.alloc(bytes, " "), at, { continues, redactedAt });
}

function replaced(
  store: StoreAccess,
  conversation: string,
  { entry, ...announcement }: StoredAnnouncement,
  changed: ReadonlyMap<Segment, Changed>,
  nowMs: number,
): (AppendOperation | RedactOperation)[] {
  const segments = announcement.segments.map((segment) => changed.get(segment)?.segment ?? segment);
  const blobs = announcement.segments.flatMap((segment) => changed.get(segment)?.blob ?? []);
  return [
    announcing(store, conversation, { ...announcement, segments }, blobs, nowMs),
    withdrawing(conversation, entry, nowMs),
  ];
}

/** Append an announcement that replaces another one. */
export function announcing(
  store: Pick<StoreAccess, "newId">,
  conversation: string,
  announcement: Announcement,
  blobs: readonly NewBlob[],
  nowMs: number,
): AppendOperation {
  const at = isoTime(nowMs);
  const entry = announcementEntry(store.newId(nowMs), at, announcement);
  return {
    ...{ type: "append", conversation, entries: [entry], blobs, branch: undefined, at },
    ...{ maxDepth: Number.MAX_SAFE_INTEGER, operationId: undefined, expectedHead: undefined },
  };
}

export function announcementEntry(id: string, at: string, announcement: Announcement): NewEntry {
  const data = announcementData(announcement);
  const refs = segmentReferences(data);
  const json = JSON.stringify(data);
  return { id, idGiven: false, kind: "info", at, json, data, ...(refs.length === 0 ? {} : { blobs: refs }) };
}

/** Erase an announcement. Its blobs go, unless another one has them. */
export function withdrawing(conversation: string, entry: string, nowMs: number): RedactOperation {
  const at = isoTime(nowMs);
  const json = JSON.stringify({ type: ORIGINAL_TYPE, redacted_at: at });
  return { type: "redact", conversation, entry, json, at };
}
