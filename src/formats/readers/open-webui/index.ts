/**
 * Chats that Open WebUI exported: an array of them, each with the whole tree
 * under `chat.history` and a copy of the shown path under `chat.messages`.
 * Legacy exports have only the copy.
 */
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, objectsIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord } from "../../contract/reader.ts";
import { partOf } from "../shared/records.ts";
import { shownLeaf, type TreeNode, wholeTree } from "../shared/whole-tree.ts";
import { idIn, headerOf as withoutMessages } from "../shared/whole-tree-blocks.ts";
import { messageOf } from "./message.ts";

export const openWebui: FormatWith<"document"> = {
  name: "open-webui",
  document: {
    sniff: (value) => chatIn(value) !== undefined,
    read(record, sink) {
      const value = objectIn(record.value);
      const chat = value === undefined ? undefined : chatIn(value);
      if (value === undefined || chat === undefined) sink.skip(record, "not a chat");
      else readChat(value, chat, record, sink);
    },
  },
};

interface WebNode extends TreeNode {
  readonly message: JsonObject;
}

/** The chat itself: inside an envelope with facts about it, or alone. */
function chatIn(value: JsonObject): JsonObject | undefined {
  const chat = objectIn(value.chat);
  if (chat !== undefined)
    return historyOf(chat) !== undefined || Array.isArray(chat.messages) ? chat : undefined;
  return historyOf(value) === undefined ? undefined : value;
}

function historyOf({ history }: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(history)?.messages);
}

function readChat(value: JsonObject, chat: JsonObject, record: SourceRecord, sink: Sink): void {
  const nodes = nodesOf(chat);
  const first = nodes[0]?.id ?? filledIn(value.title) ?? "";
  const target = announce(value, chat, idIn(value.id) ?? idIn(chat.id) ?? madeId("open-webui", first), sink);
  target.note(partOf(record, headerOf(value, chat)));
  const history = objectIn(chat.history) ?? {};
  const leaf = shownLeaf(nodes, idIn(history.currentId) ?? idIn(history.current_id));
  for (const { id, parent, at, message } of wholeTree(nodes, leaf)) {
    const isCut = message.role === "assistant" && message.done === false;
    target.add({
      id,
      parent,
      at,
      message: messageOf(message, sink),
      records: [partOf(record, message)],
      flags: isCut ? ["cut-off"] : undefined,
    });
  }
  if (leaf !== undefined) target.leaf(leaf);
}

function announce(value: JsonObject, chat: JsonObject, sourceId: string, sink: Sink): ConversationSink {
  const { archived, pinned, folder_id, updated_at } = value;
  const tags = listIn(chat.tags).length > 0 ? chat.tags : objectIn(value.meta)?.tags;
  return sink.conversation({
    sourceId,
    title: filledIn(value.title) ?? filledIn(chat.title),
    model: filledIn(listIn(chat.models)[0]),
    createdAt: timeIn(value.created_at) ?? timeIn(chat.timestamp),
    about: defined({
      archived: archived === true || undefined,
      pinned: pinned === true || undefined,
      folder_id: filledIn(folder_id),
      tags: listIn(tags).length > 0 ? tags : undefined,
      updated_at: updated_at ?? undefined,
    }),
  });
}

/** The chat without its messages, including the copy of the shown path. */
function headerOf(value: JsonObject, chat: JsonObject): JsonObject {
  const { history, ...rest } = withoutMessages(chat, "messages");
  const { messages, ...own } = objectIn(history) ?? {};
  const odd = Object.entries(objectIn(messages) ?? {}).filter(([, item]) => objectIn(item) === undefined);
  const place = odd.length > 0 ? { ...own, messages: Object.fromEntries(odd) } : own;
  const whole = { ...rest, ...(history !== undefined && { history: place }) };
  return chat === value ? whole : { ...value, chat: whole };
}

/** The tree, and messages that are only in the copy of the path. */
function nodesOf(chat: JsonObject): WebNode[] {
  const nodes = new Map<string, WebNode>();
  for (const [key, value] of Object.entries(historyOf(chat) ?? {})) {
    const message = objectIn(value);
    if (message !== undefined) addNode(nodes, key, message, null);
  }
  let before: string | null = null;
  objectsIn(chat.messages).forEach((message, index) => {
    const id: string = idIn(message.id) ?? madeId("open-webui message", before ?? "", index);
    if (!nodes.has(id)) addNode(nodes, id, message, before);
    before = id;
  });
  return [...nodes.values()];
}

function addNode(nodes: Map<string, WebNode>, key: string, message: JsonObject, before: string | null): void {
  const id = idIn(key) ?? idIn(message.id) ?? madeId("open-webui message", before ?? "");
  const parent = idIn(message.parentId) ?? (message.parentId === null ? null : before);
  nodes.set(id, { id, parent, at: timeIn(message.timestamp), message });
}
