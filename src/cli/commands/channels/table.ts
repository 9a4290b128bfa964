/** The part of the command table about channels. */
import { AGENT, type CommandSpec, type OptionSpec } from "../../command.ts";

const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  account: {
    value: "NAME",
    help: "The account in the config; without it, the settings of the channel itself",
  },
  model: { value: "PROVIDER/MODEL", help: "Ask this model instead of that of each session" },
  retry: { help: "Also deliver replies that the platform refused before" },
};

const details = (channel: string, variable: string): string =>
  `The token is channels.${channel}.token in the config, the variable ${variable}, or that of a profile: colloquy auth add ${channel}. Only users and rooms in channels.${channel}.allowFrom and allowRooms are answered, in rooms only when they mention the agent. Stop with Ctrl-C: what is not answered or delivered by then is taken up by the next start.`;

export const CHANNEL_COMMANDS: readonly CommandSpec[] = [
  {
    name: "channel",
    topic: AGENT,
    summary: "Answer messages on any channel, such as one of an extension",
    details:
      "NAME is discord, telegram, or a channel of an extension that plugins.entries in the config enables. Only users and rooms in channels.NAME.allowFrom and allowRooms are answered, in rooms only when they mention the agent. Stop with Ctrl-C: what is not answered or delivered by then is taken up by the next start.",
    args: [{ name: "NAME" }],
    options: OPTIONS,
    examples: ["colloquy channel matrix", "colloquy channel matrix --account work"],
    load: () => import("./channel.ts"),
  },
  {
    name: "discord",
    topic: AGENT,
    summary: "Answer messages on Discord",
    details: details("discord", "DISCORD_BOT_TOKEN"),
    options: OPTIONS,
    examples: ["colloquy discord", "colloquy discord --account work --retry"],
    load: () => import("./discord.ts"),
  },
  {
    name: "telegram",
    topic: AGENT,
    summary: "Answer messages on Telegram",
    details: details("telegram", "TELEGRAM_BOT_TOKEN"),
    options: OPTIONS,
    examples: ["colloquy telegram", "colloquy telegram --account work --retry"],
    load: () => import("./telegram.ts"),
  },
];
