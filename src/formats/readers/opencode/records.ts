/** Where objects of opencode come from: the row or the file that is kept for each of them, as it is. */
import type { Json, JsonObject } from "../../../util/json.ts";
import type { SourceRecord } from "../../contract/reader.ts";

type Row = Readonly<Record<string, unknown>>;

export class Records {
  readonly #records: WeakMap<object, readonly SourceRecord[]> = new WeakMap();

  /** The records of an object; those of another object if that was made from this one. */
  set<Value extends JsonObject>(value: Value, records: readonly SourceRecord[]): Value {
    this.#records.set(value, records);
    return value;
  }

  of(value: JsonObject): readonly SourceRecord[] {
    return this.#records.get(value) ?? [];
  }
}

/** A row with every column. */
export function rowRecord(value: JsonObject, table: string, row: Row): SourceRecord {
  const columns = Object.entries(row).map(([name, column]): [string, Json] => [name, columnOf(column)]);
  return { value, line: null, offset: null, row: { table, row: Object.fromEntries(columns) } };
}

/** Bytes are not JSON. */
function columnOf(value: unknown): Json {
  if (ArrayBuffer.isView(value)) {
    return { base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  }
  return value as Json;
}

/** A file, whose name is relative to the one that is read. */
export function fileRecord(value: JsonObject, file: string, text: string): SourceRecord {
  return { value, line: null, offset: null, row: { file, text } };
}
