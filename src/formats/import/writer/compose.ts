/** From what a reader gives to what the store takes. */
import { ColloquyError } from "../../../errors.ts";
import type { Message } from "../../../message/types.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import { isPlainObject, type JsonObject } from "../../../util/json.ts";
import type { SourceEntry, Surroundings } from "../../contract/reader.ts";
import type { StandIns } from "../text-placeholders.ts";
import { hasFiles, withFiles } from "./file-sources.ts";
import { type KeptRecord, keepRecords } from "./kept-records.ts";

/** Where an entry was read. */
export interface Origin {
  readonly format: string;
  /** Below the folder that was given. */
  readonly file: string;
  readonly around: Surroundings;
}

/** An entry that is ready but for its place. */
export interface Composed {
  readonly entry: SourceEntry;
  /** Mostly the source's own. */
  readonly id: string;
  readonly message: Message | undefined;
  readonly data: JsonObject | undefined;
  readonly notes: readonly KeptRecord[];
  readonly origin: Origin;
  readonly flags: readonly string[];
}

export interface Waiting {
  readonly entry: SourceEntry;
  readonly notes: readonly KeptRecord[];
  readonly origin: Origin;
}

/** At once, unless files beside the source have to be read. */
export function compose(
  waiting: Waiting,
  unresolved: (reference: string) => void,
): Composed | Promise<Composed> {
  const { entry, notes, origin } = waiting;
  const { message, data, flags = [] } = entry;
  const composed: Composed = { entry, id: entry.id, message, data, notes, origin, flags };
  if (message === undefined || entry.verbatim === true || !hasFiles(message.content)) return composed;
  return withFiles(message, origin.around, unresolved).then((whole) => ({ ...composed, message: whole }));
}

/** With where it came from and what it was made of. What cannot be a message is kept as a record. */
export function readyEntry(
  ingest: Ingest,
  { entry, id, message, data, notes, origin, flags }: Composed,
  atMs: number,
  standIns: StandIns,
): ReadyEntry {
  const standsFor = standIns.isEmpty ? undefined : (text: string) => standIns.get(text);
  if (entry.verbatim === true) return verbatimEntry(ingest, entry, id, atMs, standsFor);
  const provenance = provenanceOf(entry, id, origin, flags);
  const source = (content: Message["content"] | undefined): JsonObject => ({
    records: keepRecords(entry.records, content),
    ...(notes.length === 0 ? {} : { notes }),
  });
  if (message === undefined) {
    const whole = { ...data, provenance, source: source(undefined) };
    return ingest.other(entry.kind ?? "custom", id, atMs, whole, standsFor);
  }
  try {
    const kept = source(message.content);
    return ingest.message(id, atMs, { ...message, provenance, source: kept }, isPlain(kept), standsFor);
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
    return ingest.other("custom", id, atMs, data, standsFor);
  }
}

/** An entry of Colloquy itself has its own provenance, if any. */
function verbatimEntry(
  ingest: Ingest,
  { kind = "custom", message, data = {} }: SourceEntry,
  id: string,
  atMs: number,
  standsFor: ((text: string) => ReturnType<StandIns["get"]>) | undefined,
): ReadyEntry {
  if (message === undefined) return ingest.other(kind, id, atMs, data, standsFor);
  return ingest.message(id, atMs, message, false, standsFor);
}

/** Records whose text had to be kept instead may be of any depth. */
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

/** Where a compaction says that the kept part begins. */
export function firstKeptOf({ data }: Composed): string | undefined {
  return isPlainObject(data) && typeof data.first_kept === "string" ? data.first_kept : undefined;
}
