import type { JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn } from "../../../util/values.ts";

/** What decides on the order of a message or a part. */
export interface Place {
  readonly time: number;
  readonly id: string;
}

/** By time where both say it, else by id: ids grow with time. */
export function comparePlaces(a: Place, b: Place): number {
  return a.time - b.time || compare(a.id, b.id);
}

export function placeOf(value: JsonObject): Place {
  return { time: timeOf(value), id: idOf(value) };
}

export function inOrder(values: readonly JsonObject[]): JsonObject[] {
  return values.toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b)));
}

/** Parts have no times and are ordered by id. */
function timeOf({ role, time, metadata }: JsonObject): number {
  if (role === undefined) return 0;
  return numberIn(objectIn(time)?.created) ?? numberIn(objectIn(objectIn(metadata)?.time)?.created) ?? 0;
}

function idOf({ id }: JsonObject): string {
  return filledIn(id) ?? "";
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
