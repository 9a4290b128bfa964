/** `colloquy/channel`: what a channel must do, to write one of your own, and the channels that there are. */
export type { Attachment, Channel, ChannelEvents, ChannelMessage, SendOptions } from "./channel.ts";
export { type TelegramOptions, telegramChannel } from "./telegram/telegram-channel.ts";
