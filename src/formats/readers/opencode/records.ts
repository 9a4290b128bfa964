/** Where objects of opencode come from: the row or the file that is kept for each of them, as it is. */
import type { Json, JsonObject } from "../../../util/json.ts";
import { objectIn } from "../../../util/values.ts";
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

  /** What its row says about its last change. Files say nothing about it. */
  changedAt(value: JsonObject): Json | undefined {
    const { row } = objectIn(this.of(value)[0]?.row) ?? {};
    return objectIn(row)?.time_updated;
  }
}

/** A file, whose name is relative to the one that is read. */
export function fileRecord(value: JsonObject, file: string, text: string): SourceRecord {
  return { value, line: null, offset: null, bytes: Buffer.byteLength(text), row: { file, text } };
}
