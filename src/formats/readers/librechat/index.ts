/**
 * A conversation that LibreChat exported as JSON: a tree of messages within
 * messages, or a flat list with the ids of parents.
 *
 * `exportAt` is a time of day without a date and is not used. The file does not
 * say which branch was shown, so the newest is.
 */
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { Sink, SourceRecord } from "../../contract/reader.ts";
import { partOf } from "../shared/records.ts";
import { shownLeaf } from "../shared/whole-tree.ts";
import { headerOf, idIn } from "../shared/whole-tree-blocks.ts";
import { addParts, type PartNode, partRecord, partsOf } from "../shared/whole-tree-parts.ts";
import { contentItems, messageOf } from "./message.ts";

export const librechat: FormatWith<"document"> = {
  name: "librechat",
  document: {
    sniff: ({ conversationId, messagesTree, messages }) =>
      typeof conversationId === "string" && (Array.isArray(messagesTree) || Array.isArray(messages)),
    read(record, sink) {
      const value = objectIn(record.value);
      if (value === undefined) sink.skip(record, "not a conversation");
      else readConversation(value, record, sink);
    },
  },
};

const ROOT = "00000000-0000-0000-0000-000000000000";

function readConversation(value: JsonObject, record: SourceRecord, sink: Sink): void {
  const member = Array.isArray(value.messagesTree) ? "messagesTree" : "messages";
  const options = objectIn(value.options) ?? {};
  const target = sink.conversation({
    sourceId: idIn(value.conversationId) ?? madeId("librechat", String(value.title)),
    title: filledIn(value.title),
    model: filledIn(options.model),
    about: defined({ endpoint: filledIn(value.endpoint) }),
  });
  target.note(partOf(record, headerOf(value, member)));
  const nodes = nodesOf(flattened(objectsIn(value[member])), sink);
  addParts(nodes, shownLeaf(nodes, undefined), target, ({ message, parts }, part) => {
    const isCut = part === parts.at(-1) && message.unfinished === true;
    return {
      message: messageOf(message, part, sink),
      records: [partOf(record, partRecord(message, "messageId", parts, part))],
      flags: isCut ? ["cut-off"] : undefined,
    };
  });
}

interface Placed {
  readonly message: JsonObject;
  readonly above: string | null;
  readonly id: string;
}

/** Parents before children, without recursion: the tree is as deep as the conversation is long. */
function flattened(roots: readonly JsonObject[]): Placed[] {
  const placed: Placed[] = [];
  const waiting = roots.toReversed().map((message) => ({ message, above: null as string | null }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { message, above } = next;
    const id = idIn(message.messageId) ?? madeId("librechat message", above ?? "", placed.length);
    placed.push({ message: headerOf(message, "children"), above, id });
    for (const child of objectsIn(message.children).toReversed()) waiting.push({ message: child, above: id });
  }
  return placed;
}

function nodesOf(placed: readonly Placed[], sink: Sink): PartNode[] {
  const ids = new Set(placed.map(({ id }) => id));
  const isLinked = placed.some(({ message }) => filledIn(message.parentMessageId) !== undefined);
  return placed.map(({ message, above, id }, index) => {
    const items = contentItems(message, id, sink);
    const isQuestion = message.isCreatedByUser === true || message.sender === "User";
    return {
      id,
      parent: parentOf(message, above, ids, isLinked ? null : (placed[index - 1]?.id ?? null)),
      at: timeIn(message.createdAt),
      message,
      parts: isQuestion ? [{ id, role: "user", items }] : partsOf(id, items),
    };
  });
}

/** The id that a message names, unless only the nesting leads to something that is there. */
function parentOf(
  { parentMessageId }: JsonObject,
  above: string | null,
  ids: ReadonlySet<string>,
  before: string | null,
): string | null {
  const named = idIn(parentMessageId);
  if (named === undefined) return above ?? before;
  if (ids.has(named)) return named;
  return above ?? (named === ROOT ? null : named);
}
