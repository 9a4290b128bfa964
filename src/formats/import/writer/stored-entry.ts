/** Turns the entries of readers into entries of the store. */
import { ColloquyError } from "../../../errors.ts";
import type { Message } from "../../../message/types.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import { isPlainObject, type JsonObject } from "../../../util/json.ts";
import type { SourceEntry, Surroundings } from "../../contract/reader.ts";
import type { TextPlaceholders } from "../text-placeholders.ts";
import { type KeptRecord, keepRecords } from "./kept-records.ts";

/** Where an entry was read. */
export interface Origin {
  readonly format: string;
  /** Relative to the folder that the user gave. */
  readonly file: string;
  readonly around: Surroundings;
}

/** An entry as a reader added it. */
export interface ReadEntry {
  readonly entry: SourceEntry;
  /** Records that became no entry and travel with this one. */
  readonly notes: readonly KeptRecord[];
  readonly origin: Origin;
}

/** An entry that the tree can place. */
export interface PreparedEntry extends ReadEntry {
  /** Usually the source's own. */
  readonly id: string;
  readonly message: Message | undefined;
  readonly data: JsonObject | undefined;
  readonly flags: readonly string[];
}

/** Adds where it came from and the records that it was made of. A message that the store refuses is kept as a record. */
export function toStoredEntry(
  ingest: Ingest,
  { entry, id, message, data, notes, origin, flags }: PreparedEntry,
  atMs: number,
  placeholders: TextPlaceholders,
): ReadyEntry {
  const textFor = placeholders.isEmpty ? undefined : (text: string) => placeholders.get(text);
  if (entry.verbatim === true) return verbatimEntry(ingest, entry, id, atMs, textFor);
  const provenance = provenanceOf(entry, id, origin, flags);
  const source = (content: Message["content"] | undefined): JsonObject => ({
    records: keepRecords(entry.records, content),
    ...(notes.length === 0 ? {} : { notes }),
  });
  if (message === undefined) {
    const whole = { ...data, provenance, source: source(undefined) };
    return ingest.other(entry.kind ?? "custom", id, atMs, whole, textFor);
  }
  try {
    const kept = source(message.content);
    return ingest.message(id, atMs, { ...message, provenance, source: kept }, isPlain(kept), textFor);
  } catch (error) {
    if (!(error instanceof ColloquyError) || error.code !== "VALIDATION_ERROR") throw error;
    const { role } = message;
    const data = {
      type: "unusable-message",
      role,
      reason: error.message,
      provenance,
      source: source(undefined),
    };
    return ingest.other("custom", id, atMs, data, textFor);
  }
}

/** An entry of Colloquy itself has its own provenance, if any. */
function verbatimEntry(
  ingest: Ingest,
  { kind = "custom", message, data = {} }: SourceEntry,
  id: string,
  atMs: number,
  textFor: ((text: string) => ReturnType<TextPlaceholders["get"]>) | undefined,
): ReadyEntry {
  if (message === undefined) return ingest.other(kind, id, atMs, data, textFor);
  return ingest.message(id, atMs, message, false, textFor);
}

/** Records that had to be kept as text may have any depth. */
function isPlain({ records }: JsonObject): boolean {
  return (records as readonly KeptRecord[]).every(({ record }) => record !== undefined);
}

function provenanceOf(
  { id: sourceId, parent, aliases = [] }: SourceEntry,
  id: string,
  { format, file }: Origin,
  flags: readonly string[],
): JsonObject {
  return {
    import: format,
    file,
    ...(id === sourceId ? {} : { id: sourceId }),
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(flags.length === 0 ? {} : { flags, ...(parent === undefined ? {} : { parent }) }),
  };
}

/** The entry with which the kept part of a compaction begins. */
export function firstKeptOf({ data }: PreparedEntry): string | undefined {
  return isPlainObject(data) && typeof data.first_kept === "string" ? data.first_kept : undefined;
}
