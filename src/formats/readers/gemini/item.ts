import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, jsonText, listIn, objectIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import { loadRecord, saveRecord } from "../shared/saved-state.ts";
import { isContext } from "./message.ts";

interface Version {
  readonly value: JsonObject;
  readonly record: SourceRecord;
}

/** A message of a recording, with its place in the conversation. */
export interface Item {
  /** The source's id. */
  readonly id: string;
  /** The entry id. A message that now follows another entry gets a new one. */
  readonly entry: string;
  /** The entry that the next message follows, once this one is added. */
  tail: string | null | undefined;
  isAdded: boolean;
  /** Context that the program adds in the name of the user. */
  isContext: boolean;
  /** The entry of the message before it. */
  before: string | undefined;
  /** The fingerprint of the added version, to recognise another one. Old ones are forgotten. */
  print: string | undefined;
  /** The last one wins. Empty once they are added. */
  versions: Version[];
}

export function itemOf(id: string, entry: string): Item {
  return {
    ...{ id, entry, tail: null, isAdded: false, isContext: false, before: undefined },
    ...{ print: undefined, versions: [] },
  };
}

const ID_BYTES_MAX = 200;

/** A message without an id is identified by its content. */
export function idOf(value: JsonObject): string {
  const id = filledIn(value.id);
  if (id === undefined) return madeId("gemini", jsonText(value) ?? "");
  return Buffer.byteLength(id) > ID_BYTES_MAX ? madeId(id) : id;
}

/** A fingerprint of the content, without counts and times. */
export function printOf({ type, content, thoughts, toolCalls }: JsonObject): string {
  return madeId(jsonText(defined({ type, content, thoughts, toolCalls })) ?? "").slice(0, 12);
}

export function sizeOf({ text, value }: SourceRecord): number {
  return text?.length ?? jsonText(value)?.length ?? 0;
}

/** One message of a record with several. It names its entry, because elsewhere it may become another one. */
export function partOf(value: JsonObject, entry: string, { line, offset }: SourceRecord): SourceRecord {
  return { value: { $set: { messages: [value] }, entry }, line, offset };
}

function messageIn({ value }: SourceRecord): JsonObject {
  const whole = objectIn(value) ?? {};
  return objectIn(listIn(objectIn(whole.$set)?.messages)[0]) ?? whole;
}

/** An added item: only its ids are kept and, for the newest, the fingerprint. */
export function savedAdded({ id, entry, tail, print }: Item, isNew: boolean): Json {
  if (isNew && print !== undefined) return [id, entry, tail ?? null, print];
  return entry === id && tail === id ? id : [id, entry, tail ?? null];
}

export function addedOf(saved: Json): Item | undefined {
  const [id, entry = id, tail = entry, print] = typeof saved === "string" ? [saved] : listIn(saved);
  if (typeof id !== "string" || typeof entry !== "string") return undefined;
  return { ...itemOf(id, entry), tail: textIn(tail) ?? null, isAdded: true, print: textIn(print) };
}

/** An item that is held. */
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
  return { ...itemOf(id, entry), isContext: isContext(versions.at(-1)?.value ?? {}), versions };
}
