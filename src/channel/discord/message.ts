/** A message of Discord in our terms. */
import type { Attachment as DiscordFile, Message } from "discord.js";
import { isoTime } from "../../util/time.ts";
import type { Attachment, ChannelMessage } from "../channel.ts";

/** `undefined` for what no person wrote: bots, webhooks, notices of joins and pins. */
export function toChannelMessage(message: Message, botId: string): ChannelMessage | undefined {
  const { author, channel, guildId, mentions } = message;
  if (author.bot || author.system || message.webhookId !== null || message.system) return undefined;
  const text = withoutMention(message.content, botId);
  const attachments = [...message.attachments.values()].map((file) => attachmentOf(file, message));
  if (text === "" && attachments.length === 0) return undefined;
  const isMentioned = mentions.users.has(botId) || mentions.repliedUser?.id === botId;
  return {
    id: message.id,
    from: { id: author.id, name: author.globalName ?? author.username },
    ...placeOf(channel, guildId),
    text,
    attachments,
    isAddressed: guildId === null || isMentioned,
    at: isoTime(message.createdTimestamp),
  };
}

type Place = Pick<ChannelMessage, "chatType" | "to" | "threadId" | "groupId">;

export function placeOf(
  channel: { readonly id: string; isThread(): boolean; readonly parentId?: string | null } | null,
  guildId: string | null,
): Place {
  if (guildId === null || channel === null) return { chatType: "direct" };
  if (!channel.isThread()) return { chatType: "channel", to: channel.id, groupId: guildId };
  const room = channel.parentId ?? channel.id;
  return { chatType: "thread", to: room, threadId: channel.id, groupId: guildId };
}

/** The name of the agent at the beginning says only that the message is for it. */
function withoutMention(content: string, botId: string): string {
  const text = content.trim();
  for (const mention of [`<@${botId}>`, `<@!${botId}>`]) {
    if (text.startsWith(mention)) return text.slice(mention.length).trim();
  }
  return text;
}

/** The address of a file is valid for a day only, so it is asked for when the file is downloaded. */
function attachmentOf(file: DiscordFile, { channelId, id }: Message): Attachment {
  return {
    name: file.name,
    mediaType: file.contentType?.split(";")[0] ?? "application/octet-stream",
    size: file.size,
    ref: `${channelId}/${id}/${file.id}`,
  };
}
