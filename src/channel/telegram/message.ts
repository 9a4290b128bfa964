/** A message of Telegram in our terms. */
import type { Message, MessageEntity, UserFromGetMe } from "grammy/types";
import type { SessionChatType } from "../../state/session-index/index.ts";
import { isoTime } from "../../util/time.ts";
import type { Attachment, ChannelMessage } from "../channel.ts";

/** `undefined` for what nobody wrote: members who join, pins, messages of other bots. */
export function toChannelMessage(message: Message, bot: UserFromGetMe): ChannelMessage | undefined {
  const { from, chat } = message;
  if (from === undefined || from.is_bot) return undefined;
  const text = withoutName(message.text ?? message.caption ?? "", bot);
  const attachments = attachmentsOf(message);
  if (text === "" && attachments.length === 0) return undefined;
  const isDirect = chat.type === "private";
  const threadId = message.is_topic_message === true ? message.message_thread_id : undefined;
  return {
    // Numbers of messages are unique within their chat only.
    id: `${chat.id}:${message.message_id}`,
    from: { id: String(from.id), name: [from.first_name, from.last_name].filter(Boolean).join(" ") },
    chatType: chatTypeOf(isDirect, threadId),
    to: isDirect ? undefined : String(chat.id),
    threadId: threadId === undefined ? undefined : String(threadId),
    text,
    attachments,
    isAddressed: isDirect || message.reply_to_message?.from?.id === bot.id || isMentioned(message, bot),
    at: isoTime(message.date * 1000),
  };
}

/** The name at the beginning, or after a command as groups have it, says only that the message is for this agent. */
function withoutName(text: string, { username }: UserFromGetMe): string {
  const [found, command] = /^\s*(\/[a-z0-9_]+)?@([a-z0-9_]+)(?![a-z0-9_])/i.exec(text) ?? [];
  if (found?.trim().toLowerCase() !== `${command ?? ""}@${username}`.toLowerCase()) return text;
  return `${command ?? ""}${text.slice(found.length)}`.trim();
}

function chatTypeOf(isDirect: boolean, threadId: number | undefined): SessionChatType {
  if (isDirect) return "direct";
  return threadId === undefined ? "group" : "thread";
}

/** By its name, by a link to it, or by a command. A name inside other text does not count. */
function isMentioned({ text, caption, entities, caption_entities }: Message, bot: UserFromGetMe): boolean {
  const name = `@${bot.username}`.toLowerCase();
  const whole = text ?? caption ?? "";
  return (entities ?? caption_entities ?? []).some((entity: MessageEntity) => {
    const part = whole.slice(entity.offset, entity.offset + entity.length).toLowerCase();
    if (entity.type === "mention") return part === name;
    if (entity.type === "text_mention") return entity.user.id === bot.id;
    return entity.type === "bot_command" && part.endsWith(name);
  });
}

function attachmentsOf({ photo, document, voice, audio }: Message): Attachment[] {
  const found: Attachment[] = [];
  const add = (
    file: { file_id: string; file_size?: number } | undefined,
    name: string,
    mediaType: string,
  ): void => {
    if (file === undefined) return;
    found.push({ name, mediaType, size: file.file_size ?? 0, ref: file.file_id });
  };
  // The last one is the largest.
  add(photo?.at(-1), "photo.jpg", "image/jpeg");
  add(document, document?.file_name ?? "file", document?.mime_type ?? "application/octet-stream");
  add(voice, "voice.ogg", voice?.mime_type ?? "audio/ogg");
  add(audio, audio?.file_name ?? "audio", audio?.mime_type ?? "audio/mpeg");
  return found;
}
