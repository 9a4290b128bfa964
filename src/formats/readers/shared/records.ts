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
