/**
 * The export of ChatGPT: `conversations.json`, or its shards, in which each
 * conversation is a tree of nodes under `mapping`.
 *
 * Nodes without a message do not become entries: their children follow their
 * parents. The small files beside it (`user.json`,
 * `message_feedback.json`, `shared_conversations.json`) are known and contain no
 * conversations.
 */
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { ConversationSink, Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { partOf } from "../shared/records.ts";
import { shownLeaf, type TreeNode, wholeTree } from "../shared/whole-tree.ts";
import { idIn } from "../shared/whole-tree-blocks.ts";
import { assetsAround, NO_ASSETS } from "./assets.ts";
import { CallPairs } from "./calls.ts";
import { lacksAttached } from "./content.ts";
import { messageOf } from "./message.ts";

export const chatgpt: FormatWith<"document"> = {
  name: "chatgpt",
  // Files that messages point to.
  companions:
    /(?:^|[/!])file[-_][A-Za-z0-9]+[^/]*\.(?:png|jpe?g|gif|webp|pdf|wav|mp3|m4a|mp4|txt|md|csv|docx|xlsx)$/i,
  document: {
    sniff: (value) => isConversation(value) || isCompanion(value),
    async read(record, sink, around) {
      const value = objectIn(record.value);
      if (value !== undefined && isConversation(value)) await readConversation(value, record, sink, around);
      else if (value === undefined || !isCompanion(value)) sink.skip(record, "not a conversation");
    },
  },
};

/** A node that has a message. */
export interface ChatNode extends TreeNode {
  readonly message: JsonObject;
  readonly record: JsonObject;
}

function isConversation({ mapping, current_node, title, create_time }: JsonObject): boolean {
  return objectIn(mapping) !== undefined && [current_node, title, create_time].some((is) => is !== undefined);
}

function isCompanion(value: JsonObject): boolean {
  const has = (...members: readonly string[]): boolean => members.every((name) => value[name] !== undefined);
  const isUser = "chatgpt_plus_user" in value && has("id");
  const isFeedback = has("conversation_id", "rating");
  const isShared = has("id", "conversation_id", "is_anonymous");
  return isUser || isFeedback || isShared;
}

async function readConversation(
  value: JsonObject,
  record: SourceRecord,
  sink: Sink,
  around: Surroundings,
): Promise<void> {
  const mapping = objectIn(value.mapping) ?? {};
  const sourceId = idOf(value, mapping);
  const target = announce(value, sourceId, sink);
  const { mapping: _, ...header } = value;
  target.note(partOf(record, header));
  const { nodes, redirect, empty } = nodesOf(mapping);
  for (const node of empty) target.note(partOf(record, node));
  const assets = needsAssets(nodes) ? await assetsAround(around, sourceId) : NO_ASSETS;
  const leaf = shownLeaf(nodes, entryId(redirect(filledIn(value.current_node) ?? null)));
  const pairs = new CallPairs();
  for (const node of wholeTree(nodes, leaf)) {
    const ownId = idIn(node.message.id);
    target.add({
      id: node.id,
      parent: node.parent,
      aliases: ownId === undefined || ownId === node.id ? undefined : [ownId],
      at: node.at,
      message: messageOf(node, pairs, assets, sink),
      lacksFiles: lacksAttached(node.message, assets) || undefined,
      records: [partOf(record, node.record)],
      flags: node.message.status === "in_progress" ? ["cut-off"] : undefined,
    });
  }
  if (leaf !== undefined) target.leaf(leaf);
}

function idOf(value: JsonObject, mapping: JsonObject): string {
  const own = idIn(value.conversation_id) ?? idIn(value.id);
  return own ?? madeId("chatgpt", String(value.create_time), Object.keys(mapping)[0] ?? String(value.title));
}

function announce(value: JsonObject, sourceId: string, sink: Sink): ConversationSink {
  const { gizmo_id, is_archived, is_starred, update_time } = value;
  return sink.conversation({
    sourceId,
    title: filledIn(value.title),
    model: filledIn(value.default_model_slug),
    createdAt: timeIn(value.create_time),
    about: known({ gizmo_id, is_archived, is_starred, update_time }),
  });
}

function known(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return defined(
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? undefined])),
  );
}

interface Nodes {
  readonly nodes: readonly ChatNode[];
  /** Nodes without a message. */
  readonly empty: readonly JsonObject[];
  /** The nearest node with a message, from this one upwards; an unknown name stays. */
  redirect(id: string | null): string | null;
}

function nodesOf(mapping: JsonObject): Nodes {
  const parents = parentsIn(mapping);
  const hasMessage = (id: string): boolean => objectIn(objectIn(mapping[id])?.message) !== undefined;
  const redirect = (start: string | null): string | null => {
    const seen = new Set<string>();
    let id = start;
    while (id !== null && Object.hasOwn(mapping, id) && !hasMessage(id)) {
      if (seen.has(id)) return null;
      seen.add(id);
      id = parents.get(id) ?? null;
    }
    return id;
  };
  const nodes: ChatNode[] = [];
  const empty: JsonObject[] = [];
  for (const [id, value] of Object.entries(mapping)) {
    const record = objectIn(value) ?? { id, value: value ?? null };
    const message = objectIn(record.message);
    if (message === undefined) empty.push(record);
    else {
      const parent = entryId(redirect(parents.get(id) ?? null));
      nodes.push({ id: entryId(id), parent, at: timeIn(message.create_time), message, record });
    }
  }
  return { nodes, empty, redirect };
}

function entryId(id: string): string;
function entryId(id: string | null): string | null;
function entryId(id: string | null): string | null {
  return id === null ? null : (idIn(id) ?? madeId("node", id));
}

/** Some exporters leave `parent` out; the lists of children then say the same. */
function parentsIn(mapping: JsonObject): ReadonlyMap<string, string | null> {
  const parents = new Map<string, string | null>();
  const listed = new Map<string, string>();
  for (const [id, value] of Object.entries(mapping)) {
    const node = objectIn(value);
    for (const child of listIn(node?.children)) if (typeof child === "string") listed.set(child, id);
    if (node?.parent === null || typeof node?.parent === "string") parents.set(id, node.parent);
  }
  for (const [child, id] of listed) if (!parents.has(child)) parents.set(child, id);
  return parents;
}

function needsAssets(nodes: readonly ChatNode[]): boolean {
  return nodes.some(({ message }) => {
    const parts = listIn(objectIn(message.content)?.parts);
    const attachments = listIn(objectIn(message.metadata)?.attachments);
    return attachments.length > 0 || parts.some((item) => objectIn(item) !== undefined);
  });
}
