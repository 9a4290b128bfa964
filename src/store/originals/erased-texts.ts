/** The texts of entries that are erased, to be looked for in the original. */
import type { StoredEntry } from "../../message/types.ts";
import { isPlainObject } from "../../util/json.ts";
import type { Stretch } from "./announcement.ts";
import { originalIn, provenanceIn } from "./provenance.ts";

/** Properties whose values are names, which other messages have as well. */
const NAMES: ReadonlySet<string> = new Set([
  ...["type", "id", "tool_use_id", "role", "name", "media_type", "model", "provenance", "first_kept"],
]);

function* textsIn(value: unknown): Generator<string, void, undefined> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (isPlainObject(value)) {
    for (const [name, inner] of Object.entries(value)) if (!NAMES.has(name)) yield* textsIn(inner);
  }
}

export function* textsOf({ message, data }: Pick<StoredEntry, "message" | "data">): Generator<string> {
  if (message === undefined) yield* textsIn(data);
  else {
    yield* textsIn(message.content);
    yield* textsIn(message.extra);
  }
}

/** Where the records of an entry are: the number of the original, and the stretches of it. */
export function placeOf(entry: Pick<StoredEntry, "message" | "data">): {
  readonly original: number | undefined;
  readonly at: readonly Stretch[];
} {
  const { at } = provenanceIn(entry);
  return { original: originalIn(entry), at: Array.isArray(at) ? at.filter(isStretch) : [] };
}

function isStretch(value: unknown): value is Stretch {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}
