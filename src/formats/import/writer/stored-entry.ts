/** Turns the entries of readers into entries of the store. */
import { ColloquyError } from "../../../errors.ts";
import type { Message } from "../../../message/types.ts";
import type { OriginalForm, Stretch } from "../../../store/originals/announcement.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import { isPlainObject, type JsonObject } from "../../../util/json.ts";
import type { SourceEntry, Surroundings } from "../../contract/reader.ts";
import type { TextPlaceholders } from "../text-placeholders.ts";
import { contentFingerprint, UNUSABLE_TYPE } from "./known-entries.ts";

/** Where an entry was read. */
export interface Origin {
  readonly format: string;
  /** Relative to the folder that the user gave. */
  readonly file: string;
  readonly around: Surroundings;
}

/** An entry without its records, which take more memory than it does while it waits. */
export type UnboundEntry = Omit<SourceEntry, "records">;

/** An entry as a reader added it. */
export interface ReadEntry {
  readonly entry: UnboundEntry;
  readonly origin: Origin;
  /** The kind of original that its records are in, and where, in a file of lines. */
  readonly form: OriginalForm | undefined;
  readonly at: readonly Stretch[];
}

/** An entry that the tree can place. */
export interface PreparedEntry extends ReadEntry {
  /** Usually the source's own. */
  readonly id: string;
  readonly message: Message | undefined;
  readonly data: JsonObject | undefined;
  readonly flags: readonly string[];
}

/**
 * Adds where it came from: `original` is the number of the original that has its records. A message that the store
 * refuses is kept as such.
 */
export function toStoredEntry(
  ingest: Ingest,
  prepared: PreparedEntry,
  original: number | undefined,
  atMs: number,
  placeholders: TextPlaceholders,
): ReadyEntry {
  const { entry, id, message, data } = prepared;
  const textFor = placeholders.isEmpty ? undefined : (text: string) => placeholders.get(text);
  if (entry.verbatim === true) return verbatimEntry(ingest, entry, id, atMs, textFor);
  const provenance = provenanceOf(prepared, original);
  if (message === undefined) {
    return ingest.other(entry.kind ?? "custom", id, atMs, { ...data, provenance }, textFor);
  }
  try {
    return ingest.message(id, atMs, { ...message, provenance }, isShallow(message, DEPTH_MAX), textFor);
  } catch (error) {
    if (!(error instanceof ColloquyError) || error.code !== "VALIDATION_ERROR") throw error;
    const { role } = message;
    const fingerprint = contentFingerprint(message);
    const kept = { type: UNUSABLE_TYPE, role, reason: error.message, fingerprint, provenance };
    return ingest.other("custom", id, atMs, kept, textFor);
  }
}

/** An entry of Colloquy itself has its own provenance, if any. */
function verbatimEntry(
  ingest: Ingest,
  { kind = "custom", message, data = {} }: UnboundEntry,
  id: string,
  atMs: number,
  textFor: ((text: string) => ReturnType<TextPlaceholders["get"]>) | undefined,
): ReadyEntry {
  if (message === undefined) return ingest.other(kind, id, atMs, data, textFor);
  return ingest.message(id, atMs, message, false, textFor);
}

/** Entries may be 64 levels deep, some of them ours. A message that may be deeper is checked in full. */
const DEPTH_MAX = 48;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isShallow(item, levels - 1)) return false;
    return true;
  }
  for (const name in value) if (!isShallow((value as never)[name], levels - 1)) return false;
  return true;
}

function provenanceOf(
  { entry, id, origin, flags, at }: PreparedEntry,
  original: number | undefined,
): JsonObject {
  const { id: sourceId, parent, aliases = [] } = entry;
  return {
    import: origin.format,
    ...(original === undefined ? {} : { original }),
    ...(original === undefined || at.length === 0 ? {} : { at: at.map((stretch) => [...stretch]) }),
    ...(id === sourceId ? {} : { id: sourceId }),
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(flags.length === 0 ? {} : { flags, ...(parent === undefined ? {} : { parent }) }),
  };
}

/** The entry with which the kept part of a compaction begins. */
export function firstKeptOf({ data }: PreparedEntry): string | undefined {
  return isPlainObject(data) && typeof data.first_kept === "string" ? data.first_kept : undefined;
}
