import { type JsonObject, parseJson } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";

export type SourceKind = "file" | "note" | "conversation";

/** A piece of text that is remembered. */
export interface Chunk {
  readonly id: string;
  /** The path of its file, or the name of a note or a conversation. */
  readonly source: string;
  readonly kind: SourceKind;
  /** Where it is in its source, counted from 1. */
  readonly lines: { readonly first: number; readonly last: number };
  readonly headings: readonly string[];
  readonly text: string;
  /** From 0 to 1. */
  readonly importance: number;
  /** Where it comes from, in the words of who added it. */
  readonly provenance: JsonObject | null;
  /** When its file was changed, or it was added. */
  readonly at: string;
}

/** A row with the columns of `CHUNK_COLUMNS`. */
export type ChunkRow = Readonly<Record<string, unknown>>;

export const CHUNK_COLUMNS = `c.id, c.uid, c.source, c.first_line, c.last_line, c.headings, c.text, c.hash,
  c.importance, c.provenance, c.at, s.name, s.kind`;

export function chunkOf(row: ChunkRow): Chunk {
  return {
    id: String(row.uid),
    source: String(row.name),
    kind: row.kind as SourceKind,
    lines: { first: Number(row.first_line), last: Number(row.last_line) },
    headings: JSON.parse(String(row.headings)),
    text: String(row.text),
    importance: Number(row.importance),
    provenance:
      typeof row.provenance === "string" ? ((parseJson(row.provenance) ?? null) as JsonObject) : null,
    at: isoTime(Number(row.at)),
  };
}
