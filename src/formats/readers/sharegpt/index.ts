/**
 * Conversations of ShareGPT and data sets in its format: a list of turns
 * `{ from, value }`, without times or ids, one per line or in an array.
 */
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { Sink, SourceRecord } from "../../contract/reader.ts";
import { areMostly, fingerprintOf, type OpenCall } from "../shared/chat-messages.ts";
import { partOf } from "../shared/records.ts";
import { headerOf, idIn } from "../shared/whole-tree-blocks.ts";
import { isTurn, readTurn } from "./turn.ts";

export const sharegpt: FormatWith<"lines" | "document"> = {
  name: "sharegpt",
  lines: {
    sniff: (records) => areMostly(records, isConversation) || records.some(hasTurns),
    open: (sink) => ({
      record: (record) => readRecord(record, sink),
      end() {},
      // Lines are independent.
      state: () => ({}),
    }),
  },
  document: {
    sniff: isConversation,
    read: readRecord,
  },
};

function listName(value: JsonObject): "conversations" | "items" | undefined {
  const isList = (list: Json | undefined): boolean =>
    Array.isArray(list) && (list.length === 0 || objectsIn(list).some(isTurn));
  if (isList(value.conversations)) return "conversations";
  return isList(value.items) && objectsIn(value.items).length > 0 ? "items" : undefined;
}

/** An empty list could belong to any format. */
function hasTurns(value: JsonObject): boolean {
  const name = listName(value);
  return name !== undefined && objectsIn(value[name]).some(isTurn);
}

function isConversation(value: JsonObject): boolean {
  return listName(value) !== undefined;
}

function readRecord(record: SourceRecord, sink: Sink): void {
  const value = objectIn(record.value);
  const name = value === undefined ? undefined : listName(value);
  if (value === undefined || name === undefined) sink.skip(record, "not a conversation");
  else readConversation(value, name, record, sink);
}

function readConversation(value: JsonObject, name: string, record: SourceRecord, sink: Sink): void {
  const sourceId =
    idIn(value.id) ??
    (typeof value.id === "number" ? String(value.id) : madeId("line", fingerprintOf(value)));
  const target = sink.conversation({ sourceId, title: filledIn(value.title), model: filledIn(value.model) });
  const header = headerOf(value, name);
  if (Object.keys(header).length > 0) target.note(partOf(record, header));
  const system = filledIn(value.system);
  const turns = objectsIn(value[name]);
  let open: readonly OpenCall[] = [];
  let before: string | null = null;
  for (const turn of system === undefined ? turns : [{ from: "system", value: system }, ...turns]) {
    const id: string = madeId("turn", before ?? "", fingerprintOf(turn));
    const read = readTurn(turn, id, open, sink);
    open = read.open;
    target.add({
      id,
      parent: before,
      message: read.message,
      records: [partOf(record, turn)],
    });
    before = id;
  }
}
