/** What readers remember between two imports of a growing file, as JSON. */
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, jsonText, numberIn, objectIn, parsedIn, textIn } from "../../../util/values.ts";
import type { SourceConversation, SourceRecord } from "../../contract/reader.ts";

/** A record that waits for its continuation. The text and the value are equivalent, so one is enough. */
export function saveRecord({ value, line, offset, bytes, text }: SourceRecord): JsonObject {
  return defined({ line, offset, bytes, ...(text === undefined ? { value } : { text }) });
}

export function loadRecord(saved: Json): SourceRecord | undefined {
  const record = objectIn(saved);
  const text = textIn(record?.text);
  const value = text === undefined ? record?.value : parsedIn(text);
  if (record === undefined || value === undefined) return undefined;
  const bytes = numberIn(record.bytes);
  return {
    value,
    line: numberIn(record.line) ?? null,
    offset: numberIn(record.offset) ?? null,
    ...(bytes === undefined ? {} : { bytes }),
    ...(text === undefined ? {} : { text }),
  };
}

/** The conversation that a file belongs to. */
export function saveStart(start: SourceConversation): JsonObject {
  const { sourceId, key, title, model, channel, profileId, contextState, createdAt, root, parent, about } =
    start;
  return defined({
    sourceId,
    key,
    title,
    model,
    channel,
    profileId,
    contextState,
    createdAt,
    root,
    parent: parent === undefined ? undefined : defined({ ...parent }),
    about,
    isHidden: start.isHidden,
    isCopy: start.isCopy,
  });
}

export function loadStart(saved: Json | undefined): SourceConversation | undefined {
  const start = objectIn(saved);
  const sourceId = filledIn(start?.sourceId);
  if (start === undefined || sourceId === undefined) return undefined;
  const parent = objectIn(start.parent);
  const parentId = filledIn(parent?.sourceId);
  return {
    sourceId,
    key: textIn(start.key),
    title: textIn(start.title),
    model: textIn(start.model),
    channel: textIn(start.channel),
    profileId: textIn(start.profileId),
    contextState: objectIn(start.contextState),
    createdAt: numberIn(start.createdAt),
    root: textIn(start.root),
    ...(parentId !== undefined && {
      parent: { sourceId: parentId, toolUse: textIn(parent?.toolUse), agent: textIn(parent?.agent) },
    }),
    about: objectIn(start.about),
    ...(start.isHidden === true && { isHidden: true }),
    ...(start.isCopy === true && { isCopy: true }),
  };
}

/** Reading a file again costs less than keeping a larger state. */
const STATE_CHARS_MAX = 256_000;

export function withinLimit(state: JsonObject): JsonObject | undefined {
  const text = jsonText(state);
  return text === undefined || text.length > STATE_CHARS_MAX ? undefined : state;
}
