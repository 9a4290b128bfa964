/**
 * Accepts messages: each is durable, under the id of its platform, together with the job to answer it.
 *
 * The same message again changes nothing, whichever process receives it.
 */
import { isDeepStrictEqual } from "node:util";
import { ColloquyError } from "../../errors.ts";
import { type DeliveryAddress, deliveryAddress } from "../../key/index.ts";
import type { Conversation } from "../../store/conversation.ts";
import { channelQueues } from "../../store/jobs/channel-queues.ts";
import type { Store } from "../../store/store.ts";
import { defined, type JsonObject } from "../../util/json.ts";
import { sha256Hex } from "../../util/sha256.ts";
import type { Attachment, Channel, ChannelMessage } from "../channel.ts";
import { contentOf } from "./content.ts";
import { openVersions } from "./versions.ts";

/** What the job of an accepted message says. */
export interface InboxData {
  /** The message to answer. */
  readonly entry: string;
  readonly address: DeliveryAddress;
  /** Its id on the platform. */
  readonly messageId: string;
  /** The job of the message that this is a new version of. */
  readonly edits?: string;
  /** The reply that was owed to a former version is owed to this one. */
  readonly isNext?: boolean;
  /** Those that are not downloaded yet. */
  readonly files?: readonly Attachment[];
}

export type ChannelName = Pick<Channel, "name" | "accountId">;

const ID_BYTES_MAX = 160;

/** The id of a message in its conversation, and of the run that answers it. */
export function operationIdOf({ name, accountId }: ChannelName, messageId: string): string {
  const id = `${name}:${accountId}:${messageId}`;
  const isPlain = /^[\x21-\x7d]+$/.test(id) && id.length <= ID_BYTES_MAX;
  return isPlain ? id : `${name}:${sha256Hex(id)}`;
}

/** False if it was accepted before. */
export async function acceptMessage(
  chat: Conversation,
  channel: ChannelName,
  message: ChannelMessage,
): Promise<boolean> {
  const id = operationIdOf(channel, message.id);
  if ((await chat.entry(id)) !== undefined) return false;
  return append(chat, channel, message, id);
}

/**
 * A new version of a message. One that waits for its answer is answered in this version; for others, the new
 * version is noted. False if there is nothing to do.
 */
export async function acceptEdit(
  store: Store,
  chat: Conversation,
  channel: ChannelName,
  message: ChannelMessage,
): Promise<boolean> {
  const id = operationIdOf(channel, message.id);
  const { inbox } = channelQueues(channel.name, channel.accountId);
  const waiting = await openVersions(store, inbox, chat.id, id);
  const known = String(waiting.at(-1)?.data.entry ?? id);
  const before = (await chat.entry(known))?.message;
  // A platform also reports changes of its own, such as a preview.
  if (before === undefined || isDeepStrictEqual(before.content, contentOf(message)?.content)) return false;
  // Words that come back, after others, are a version of their own.
  const version = `${id}+${sha256Hex(`${known}\n${message.text}`).slice(0, 16)}`;
  if (waiting.length > 0) return append(chat, channel, message, version, id);
  await chat.record({ type: "message-edited", entry: id, text: message.text }, { operationId: version });
  return true;
}

async function append(
  chat: Conversation,
  channel: ChannelName,
  message: ChannelMessage,
  entry: string,
  edits?: string,
): Promise<boolean> {
  const made = contentOf(message);
  if (made === undefined) return false;
  const { content, files } = made;
  const { inbox } = channelQueues(channel.name, channel.accountId);
  const address = addressOf(channel, message);
  const data: InboxData & JsonObject = {
    ...{ entry, address: { ...address }, messageId: message.id, ...defined({ edits }) },
    ...(files.length > 0 && { files: files.map((file) => ({ ...file })) }),
  };
  try {
    const { replayed } = await chat.append(
      {
        id: entry,
        role: "user",
        content,
        provenance: provenanceOf(channel, message),
        ...defined({ at: message.at }),
      },
      { operationId: entry, jobs: [{ queue: inbox, id: entry, data }] },
    );
    return !replayed;
  } catch (error) {
    // Accepted before, by another process that saw another version of it.
    if (error instanceof ColloquyError && error.code === "CONFLICT" && error.field === "operationId")
      return false;
    throw error;
  }
}

export function addressOf({ name, accountId }: ChannelName, message: ChannelMessage): DeliveryAddress {
  const { from, to, threadId } = message;
  return deliveryAddress({ channel: name, accountId, from: from.id, to, threadId });
}

function provenanceOf({ name, accountId }: ChannelName, message: ChannelMessage): JsonObject {
  const { id, from, to, threadId, groupId, chatType } = message;
  const place = defined({ to, threadId, groupId, fromName: from.name });
  return { channel: name, accountId, messageId: id, from: from.id, chatType, ...place };
}
