/**
 * Entries as an engine keeps them and as their readers see them.
 *
 * On disk the data of an entry is in snake_case, and a file that came from
 * elsewhere may hold anything. In memory it is typed and in camelCase. This is
 * the one place that knows both.
 */
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import type { Entry, StoredEntry } from "./types.ts";

/** The kind of an entry that was swept and stays, empty, because the tree is counted from it. */
export const REMOVED_KIND = "removed";

const STORED_NAMES: Readonly<Record<string, string>> = {
  firstKept: "first_kept",
  firstKeptSeq: "first_kept_seq",
  tokensBefore: "tokens_before",
  tokensAfter: "tokens_after",
  fromSeq: "from_seq",
  redactedAt: "redacted_at",
};
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(STORED_NAMES).map(([name, stored]) => [stored, name]),
);

/** The data of a known kind, as it is written. */
export function toStoredData(data: JsonObject): JsonObject {
  return renamed(data, STORED_NAMES);
}

export function toEntry(stored: StoredEntry): Entry {
  if (stored.message !== undefined) return stored as Entry;
  const complete = COMPLETE.get(stored.kind);
  // Custom data and data of unknown kinds must not be renamed.
  if (complete === undefined) return { ...stored, data: stored.data ?? null } as Entry;
  const data = isPlainObject(stored.data) ? renamed(stored.data as JsonObject, NAMES) : {};
  return { ...stored, data: { ...data, ...complete(data) } } as Entry;
}

type Complete = (data: JsonObject) => JsonObject;

/** The properties that a kind always has, so that no reader must ask whether they are there. */
const COMPLETE: ReadonlyMap<string, Complete> = new Map<string, Complete>([
  ["compaction", ({ summary, firstKept }) => ({ summary: string(summary), firstKept: orNull(firstKept) })],
  ["branch_summary", ({ branch, summary }) => ({ branch: string(branch), summary: string(summary) })],
  ["label", ({ entry, label }) => ({ entry: string(entry), label: orNull(label) })],
  ["info", ({ type }) => ({ type: string(type) })],
]);

function string(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function orNull(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function renamed(data: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(data).map(([name, value]) => [
    Object.hasOwn(names, name) ? names[name] : name,
    value,
  ]);
  return Object.fromEntries(entries);
}
