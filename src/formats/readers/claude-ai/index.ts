/**
 * The export of Claude.ai, `conversations.json`, and conversations as its web
 * page loads them. `users.json`, `projects.json` and `memories.json` beside it
 * are known and contain no conversations.
 *
 * An answer that used tools holds their results. It becomes several messages,
 * see `whole-tree-parts.ts`; what follows the answer follows the last of them.
 */
import type { Message } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { partOf } from "../shared/records.ts";
import { shownLeaf } from "../shared/whole-tree.ts";
import { contentOf, headerOf, idIn } from "../shared/whole-tree-blocks.ts";
import {
  addParts,
  blocksOf,
  type Item,
  type Part,
  type PartNode,
  partRecord,
  partsOf,
} from "../shared/whole-tree-parts.ts";
import { contentItems, filesAround } from "./content.ts";

export const claudeAi: FormatWith<"document"> = {
  name: "claude-ai",
  document: {
    sniff: (value) => isConversation(value) || isCompanion(value),
    async read(record, sink, around) {
      const value = objectIn(record.value);
      if (value !== undefined && isConversation(value)) await readConversation(value, record, sink, around);
      else if (value === undefined || !isCompanion(value)) sink.skip(record, "not a conversation");
    },
  },
};

const ROOT = "00000000-0000-4000-8000-000000000000";

function isConversation({ chat_messages }: JsonObject): boolean {
  return Array.isArray(chat_messages);
}

function isCompanion(value: JsonObject): boolean {
  const has = (...members: readonly string[]): boolean => members.every((name) => value[name] !== undefined);
  const isUser = has("uuid", "full_name", "email_address");
  const isProject = has("uuid", "name", "docs") || has("uuid", "name", "prompt_template");
  return isUser || isProject || has("conversations_memory");
}

async function readConversation(
  value: JsonObject,
  record: SourceRecord,
  sink: Sink,
  around: Surroundings,
): Promise<void> {
  const messages = objectsIn(value.chat_messages);
  const sourceId = idIn(value.uuid) ?? madeId("claude-ai", String(value.created_at), String(value.name));
  const target = announce(value, sourceId, sink);
  target.note(partOf(record, headerOf(value, "chat_messages")));
  const files = await filesAround(around, messages);
  const nodes = nodesOf(messages, (message, id) => contentItems(message, id, files, sink));
  const leaf = shownLeaf(nodes, idIn(value.current_leaf_message_uuid));
  addParts(nodes, leaf, target, ({ message, parts }, part) => {
    const isCut = part === parts.at(-1) && objectsIn(message.content).some(({ cut_off }) => cut_off === true);
    return {
      message: messageOf(message, part, sink),
      records: [partOf(record, partRecord(message, "uuid", parts, part))],
      flags: isCut ? ["cut-off"] : undefined,
    };
  });
}

function announce(value: JsonObject, sourceId: string, sink: Sink): ConversationSink {
  const project = filledIn(objectIn(value.project)?.uuid) ?? filledIn(value.project_uuid);
  return sink.conversation({
    sourceId,
    title: filledIn(value.name),
    model: filledIn(value.model),
    createdAt: timeIn(value.created_at),
    about: defined({ summary: filledIn(value.summary), project, updated_at: filledIn(value.updated_at) }),
  });
}

type ItemsOf = (message: JsonObject, id: string) => readonly Item[];

/** Legacy exports have no parents: their messages form a single line. */
function nodesOf(messages: readonly JsonObject[], itemsOf: ItemsOf): PartNode[] {
  const nodes: PartNode[] = [];
  let before: string | null = null;
  messages.forEach((message, index) => {
    const id: string = idIn(message.uuid) ?? madeId("claude-ai message", before ?? "", index);
    const named = idIn(message.parent_message_uuid);
    const items = itemsOf(message, id);
    const parts: readonly Part[] =
      message.sender === "assistant" ? partsOf(id, items) : [{ id, role: "user", items }];
    nodes.push({
      id,
      parent: named === ROOT ? null : (named ?? before),
      at: timeIn(message.created_at),
      message,
      parts,
    });
    before = id;
  });
  return nodes;
}

function messageOf(message: JsonObject, part: Part, sink: Sink): Message {
  const { sender } = message;
  const isKnown = sender === "human" || sender === "assistant";
  if (!isKnown) sink.unknown(`sender ${String(sender)}`);
  const blocks = blocksOf(part.items);
  return {
    role: part.role,
    // The fallback text alone does not become a block.
    content: part.items.some(({ raw }) => raw !== undefined) ? blocks : contentOf(blocks),
    ...(part.role === "assistant" &&
      defined({ model: filledIn(message.model), stopReason: filledIn(message.stop_reason) })),
    ...(!isKnown && { extra: { "claude-ai": { sender: sender ?? null } } }),
  };
}
