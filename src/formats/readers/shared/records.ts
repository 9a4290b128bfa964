/** Records for parts of a source. */
import type { Json } from "../../../util/json.ts";
import type { SourceRecord } from "../../contract/reader.ts";

/** A record of a source without lines. */
export function unplaced(value: Json): SourceRecord {
  return { value, line: null, offset: null };
}

/** A part of a record, found at the same place. */
export function partOf({ line, offset, bytes }: SourceRecord, value: Json): SourceRecord {
  return { value, line, offset, ...(bytes === undefined ? {} : { bytes }) };
}

/** A row of a database, whose columns are all kept. */
export function rowRecord(
  value: Json,
  table: string,
  columns: Readonly<Record<string, unknown>>,
  text?: string,
): SourceRecord {
  const members = Object.entries(columns).map(([name, column]): [string, Json] => [name, columnOf(column)]);
  const row = { table, row: Object.fromEntries(members) };
  return { value, line: null, offset: null, row, ...(text === undefined ? {} : { text }) };
}

/** Bytes are not JSON. */
function columnOf(value: unknown): Json {
  if (!ArrayBuffer.isView(value)) return value as Json;
  return { base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
}
