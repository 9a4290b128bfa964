/** Overwrites what the user erased from the store in bytes that were read again from its source. */

import { blankedParts, recordGroups } from "../../../store/originals/blank-segments.ts";
import { ErasedTexts } from "../../../store/originals/blank-texts.ts";
import { textsOf } from "../../../store/originals/erased-texts.ts";
import { isoTime } from "../../../util/time.ts";
import type { QueuedEntry } from "../writer/entry-intake.ts";
import type { UncutSegment } from "./collector.ts";

export function withoutErased(
  segments: readonly UncutSegment[],
  erased: readonly QueuedEntry[],
  nowMs: number,
): readonly UncutSegment[] {
  if (erased.length === 0) return segments;
  const texts = new ErasedTexts(erased.flatMap(({ entry }) => [...textsOf(entry)]));
  const stretches = erased.flatMap(({ at }) => at);
  return [...recordGroups(segments)].flatMap((group) => {
    const clean = blankedParts(group, texts, stretches);
    return group.map((segment, index) => {
      const bytes = clean?.[index];
      return bytes === undefined ? segment : { ...segment, bytes, redactedAt: isoTime(nowMs) };
    });
  });
}
