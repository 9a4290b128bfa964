/** Conversations as clients see them. */

import { ColloquyError } from "../../../errors.ts";
import { firstWordsOf } from "../../../message/title.ts";
import type { Conversation, ConversationInfo, ListedConversation } from "../../../store/index.ts";
import type { GatewayContext } from "../../context.ts";
import { openedConversation } from "../../opened-conversation.ts";
import { sumsOf } from "../../usage/usage-view.ts";
import type { ConversationDetails, ConversationSummary } from "../../wire/rest.ts";
import { answeredBy } from "./answered-by.ts";

/** The conversation of a path, by id or session key. */
export async function conversationOf(
  { params }: { readonly params: Readonly<Record<string, string>> },
  { store }: GatewayContext,
): Promise<Conversation> {
  const { id = "" } = params;
  const conversation = await openedConversation(store, id);
  if (conversation === undefined) throw noConversation(id);
  return conversation;
}

export function noConversation(id: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no conversation ${id}`);
}

export function rowOf(
  info: ListedConversation,
  gateway: Pick<GatewayContext, "isRunning">,
): ConversationSummary {
  const { id, key, title, channel, model, messageCount, branchCount } = info;
  const { createdAt, updatedAt, lastMessageAt, deletedAt } = info;
  return {
    id,
    key,
    title,
    channel,
    model,
    messageCount,
    branchCount,
    createdAt,
    updatedAt,
    lastMessageAt,
    deletedAt,
    running: gateway.isRunning(id),
  };
}

/** With the words that tell conversations without a title apart. */
export function rowWithWords(
  info: ListedConversation,
  gateway: Pick<GatewayContext, "isRunning">,
): ConversationSummary {
  const { firstWords = null, lastWords = null } = info;
  return { ...rowOf(info, gateway), firstWords, lastWords };
}

/** Of one conversation, for an event. A list gets its first words from the store, of all rows at once. */
export async function wordsOf(
  info: ConversationInfo,
  gateway: Pick<GatewayContext, "store">,
): Promise<Pick<ConversationSummary, "firstWords" | "lastWords">> {
  return { firstWords: await firstWordsIn(info, gateway), lastWords: await lastWordsOf(info, gateway) };
}

/** Where words of the user are expected, if there are any. */
const OPENING_MESSAGES = 5;

async function firstWordsIn(
  info: ConversationInfo,
  { store }: Pick<GatewayContext, "store">,
): Promise<string | null> {
  if (info.title?.trim() || info.messageCount === 0 || info.deletedAt !== null) return null;
  const conversation = await store.get(info.id);
  const first = await conversation?.messages({ limit: OPENING_MESSAGES, blobs: "references" });
  return (
    first?.items.map(({ message }) => firstWordsOf(message)).find((words) => words !== undefined) ?? null
  );
}

/** A conversation in the trash has none: its messages are not read. */
async function lastWordsOf(
  info: ConversationInfo,
  { store }: Pick<GatewayContext, "store">,
): Promise<string | null> {
  if (info.messageCount === 0 || info.deletedAt !== null) return null;
  const conversation = await store.get(info.id);
  const last = await conversation?.messages({ last: 1, blobs: "references" });
  const content = last?.items[0]?.message.content;
  return content === undefined ? null : (firstWordsOf({ role: "user", content }) ?? null);
}

export async function detailsOf(
  info: ConversationInfo,
  gateway: GatewayContext,
): Promise<ConversationDetails> {
  const { head, compactionCount, profileId } = info;
  const conversation = info.deletedAt === null ? await gateway.store.get(info.id) : undefined;
  const branches = await conversation?.branches();
  return {
    ...rowOf(info, gateway),
    head,
    compactionCount,
    profileId,
    labels: (await conversation?.labels()) ?? [],
    branch: branches?.find(({ active }) => active)?.name ?? "main",
    usage: sumsOf(await gateway.usage.of(info)),
    answeredBy: await answeredBy(info, gateway),
  };
}
