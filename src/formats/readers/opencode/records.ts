/** Where objects of opencode come from: the row or the file that is kept for each of them, as it is. */
import type { JsonObject } from "../../../util/json.ts";
import type { SourceRecord } from "../../contract/reader.ts";

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

/** A file, whose name is relative to the one that is read. */
export function fileRecord(value: JsonObject, file: string, text: string): SourceRecord {
  return { value, line: null, offset: null, row: { file, text } };
}
