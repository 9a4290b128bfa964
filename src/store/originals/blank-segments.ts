/** Erases words from segments. */
import type { Segment, Stretch } from "./announcement.ts";
import { blanked, type ErasedTexts } from "./blank-texts.ts";

/** Segments that share a record, together. */
export function* recordGroups<Part extends Pick<Segment, "continues">>(
  segments: readonly Part[],
): Generator<Part[]> {
  let group: Part[] = [];
  for (const segment of segments) {
    if (!segment.continues && group.length > 0) {
      yield group;
      group = [];
    }
    group.push(segment);
  }
  if (group.length > 0) yield group;
}

/**
 * The bytes of the segments without the texts, and without these stretches of the source; `undefined` for a segment
 * that has none of them, and for all if none has.
 */
export function blankedParts(
  group: readonly { readonly at: readonly Stretch[]; readonly bytes: Buffer }[],
  texts: ErasedTexts,
  stretches: readonly Stretch[],
): readonly (Buffer | undefined)[] | undefined {
  const clean = blanked(Buffer.concat(group.map(({ bytes }) => bytes)), texts, positionsIn(group, stretches));
  let from = 0;
  return (
    clean &&
    group.map(({ bytes }) => {
      const part = clean.subarray(from, from + bytes.length);
      from += bytes.length;
      return part.equals(bytes) ? undefined : part;
    })
  );
}

/** Stretches of the source as positions in the bytes of these segments. */
function positionsIn(
  group: readonly { readonly at: readonly Stretch[] }[],
  wanted: readonly Stretch[],
): Stretch[] {
  let position = 0;
  return group.flatMap(({ at }) =>
    at.flatMap(([start, length]): Stretch[] => {
      const before = position;
      position += length;
      return wanted.flatMap(([from, bytes]): Stretch[] => {
        const begin = Math.max(start, from);
        const end = Math.min(start + length, from + bytes);
        return begin < end ? [[before + begin - start, end - begin]] : [];
      });
    }),
  );
}
