import type { Json, JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import { defined, filledIn, jsonText, listIn, objectIn, textIn } from "../../contract/values.ts";
import { loadRecord, saveRecord } from "../shared/saved-state.ts";

interface Version {
  readonly value: JsonObject;
  readonly record: SourceRecord;
}

/** A message of a recording, in its place. */
export interface Item {
  /** The source's id. */
  readonly id: string;
  /** The entry id: a new one when the message now follows another entry than before. */
  readonly entry: string;
  /** The entry that the next message follows, once this one was added. */
  tail: string | null | undefined;
  isAdded: boolean;
  /** Of what was added, to know another version by. Forgotten for what was added long ago. */
  print: string | undefined;
  /** The last one counts. Empty once they were added. */
  versions: Version[];
}

export function itemOf(id: string, entry: string): Item {
  return { id, entry, tail: null, isAdded: false, print: undefined, versions: [] };
}

const ID_BYTES_MAX = 200;

/** A message without an id is identified by its content. */
export function idOf(value: JsonObject): string {
  const id = filledIn(value.id);
  if (id === undefined) return madeId("gemini", jsonText(value) ?? "");
  return Buffer.byteLength(id) > ID_BYTES_MAX ? madeId(id) : id;
}

/** Of what a message says. Counts and times may change without that. */
export function printOf({ type, content, thoughts, toolCalls }: JsonObject): string {
  return madeId(jsonText(defined({ type, content, thoughts, toolCalls })) ?? "").slice(0, 12);
}

export function sizeOf({ text, value }: SourceRecord): number {
  return text?.length ?? jsonText(value)?.length ?? 0;
}

/** One message of a record that holds many. It says what it became, because it may become another elsewhere. */
export function partOf(value: JsonObject, entry: string, { line, offset }: SourceRecord): SourceRecord {
  return { value: { $set: { messages: [value] }, entry }, line, offset };
}

function messageIn({ value }: SourceRecord): JsonObject {
  const whole = objectIn(value) ?? {};
  return objectIn(listIn(objectIn(whole.$set)?.messages)[0]) ?? whole;
}

/** An item that was added: all that is left of it are its names and, for the newest, its print. */
export function savedAdded({ id, entry, tail, print }: Item, isNew: boolean): Json {
  if (isNew && print !== undefined) return [id, entry, tail ?? null, print];
  return entry === id && tail === id ? id : [id, entry, tail ?? null];
}

export function addedOf(saved: Json): Item | undefined {
  const [id, entry = id, tail = entry, print] = typeof saved === "string" ? [saved] : listIn(saved);
  if (typeof id !== "string" || typeof entry !== "string") return undefined;
  return { id, entry, tail: textIn(tail) ?? null, isAdded: true, print: textIn(print), versions: [] };
}

/** An item that waits. */
export function savedHeld({ id, entry, versions }: Item): Json {
  return [id, entry, ...versions.map(({ record }) => saveRecord(record))];
}

export function heldOf(saved: Json): Item | undefined {
  const [id, entry, ...records] = listIn(saved);
  if (typeof id !== "string" || typeof entry !== "string") return undefined;
  const versions = records.flatMap((one): Version[] => {
    const record = loadRecord(one);
    return record === undefined ? [] : [{ value: messageIn(record), record }];
  });
  return { ...itemOf(id, entry), versions };
}
