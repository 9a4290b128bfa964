/** `colloquy/channel`: what a channel must do, to write one of your own, and the channels that there are. */
export type {
  Attachment,
  Channel,
  ChannelEvents,
  ChannelExtension,
  ChannelMessage,
  SendOptions,
  SentMessage,
} from "./channel.ts";
export {
  CHAT_COMMANDS,
  type ChatCommand,
  type CommandContext,
  findCommand,
} from "./commands/chat-commands.ts";
export { type DiscordOptions, discordChannel } from "./discord/discord-channel.ts";
export { type AccessPolicy, type Authorised, authorise } from "./host/authorise.ts";
export { ChannelHost, type HostOptions, type Session } from "./host/host.ts";
export type { SessionSettings } from "./host/session-facts.ts";
export { type TelegramOptions, telegramChannel } from "./telegram/telegram-channel.ts";
