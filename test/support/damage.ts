/** Damage to files, for tests, and what is left of their records afterwards. */

import { parseRecords } from "../../src/formats/sources/json/records.ts";
import { segmentsOf } from "../../src/store/originals/originals.ts";
import type { Store } from "../../src/store/store.ts";
import type { Json } from "../../src/util/json.ts";
import { fc } from "./fast-check.ts";

/** Something that happens to bytes on their way through the years. */
export type Damage =
  | { readonly type: "flip"; readonly at: number; readonly bit: number }
  | { readonly type: "cut"; readonly at: number; readonly length: number }
  | { readonly type: "insert"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: "zero"; readonly at: number; readonly length: number }
  | { readonly type: "truncate"; readonly at: number };

const place = fc.double({ min: 0, max: 0.9999, noNaN: true });
const length = fc.integer({ min: 1, max: 200 });
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ type: fc.constant("flip" as const), at: place, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({ type: fc.constant("cut" as const), at: place, length }),
  fc.record({
    type: fc.constant("insert" as const),
    at: place,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  }),
  fc.record({ type: fc.constant("zero" as const), at: place, length }),
  fc.record({ type: fc.constant("truncate" as const), at: place }),
);

export function damaged(bytes: Buffer, { at: share, ...what }: Damage): Buffer {
  const at = Math.floor(share * bytes.length);
  const copy = Buffer.from(bytes);
  switch (what.type) {
    case "flip":
      copy[at] = (copy[at] ?? 0) ^ (1 << what.bit);
      return copy;
    case "cut":
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + what.length)]);
    case "insert":
      return Buffer.concat([bytes.subarray(0, at), what.bytes, bytes.subarray(at)]);
    case "zero":
      return copy.fill(0, at, Math.min(copy.length, at + what.length));
    case "truncate":
      return bytes.subarray(0, at);
  }
}

/** Every record that the store has kept, also those that no reader could use. */
export async function kept(store: Store): Promise<Set<string>> {
  const ingest = store.ingest();
  const found = new Set<string>();
  for (const { id } of (await store.list({ limit: 1000 })).items) {
    const all = await ingest.originals(id);
    for (const original of all) {
      const parts: Buffer[] = [];
      for (const segment of segmentsOf(original, all)) {
        const bytes = segment === undefined ? "missing" : await ingest.segmentBytes(segment);
        if (typeof bytes !== "string") parts.push(bytes);
      }
      const text = Buffer.concat(parts).toString();
      for (const record of [text, ...text.split("\n")]) {
        if (original.form === "lines") found.add(JSON.stringify(record));
        for (const { value } of parseRecords(record).values)
          for (const json of insideOf(value)) found.add(json);
      }
    }
  }
  return found;
}

/** A value and everything in it, as JSON. */
function* insideOf(value: Json): Generator<string> {
  yield JSON.stringify(value);
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) if (typeof inner === "object") yield* insideOf(inner as Json);
  }
}

/** How often each property is tried. */
export const DAMAGE_RUNS: number = Number(process.env.COLLOQUY_DAMAGE_RUNS ?? 15);
