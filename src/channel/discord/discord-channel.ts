/**
 * Discord, through discord.js, which connects again and keeps to the rate limits by itself.
 *
 * Discord's gateway has no confirmations: a message that cannot be kept is tried again here.
 */

import { createHash } from "node:crypto";
import type { ChatInputCommandInteraction, Client, Message, PartialMessage } from "discord.js";
import { ColloquyError } from "../../errors.ts";
import type { DeliveryAddress } from "../../key/index.ts";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import { optionalPackage } from "../../util/optional-package.ts";
import { isoTime } from "../../util/time.ts";
import type { Channel, ChannelEvents, ChannelMessage, SendOptions, SentMessage } from "../channel.ts";
import { discordFailure } from "./failure.ts";
import { fileBytes } from "./file-bytes.ts";
import { messagesSince } from "./history.ts";
import { placeOf, toChannelMessage } from "./message.ts";
import { MessageKeeper } from "./message-keeper.ts";
import { roomOf } from "./room.ts";

export interface DiscordOptions {
  readonly token: string;
  readonly accountId?: string | undefined;
  /** Default: Discord's own. The address of the gateway comes from there. */
  readonly apiRoot?: string | undefined;
  /** Where attachments may be downloaded from. Default: Discord's own servers. */
  readonly fileRoots?: readonly string[] | undefined;
}

/** Discord refuses longer messages. */
const CHARS_MAX = 2000;
const NONCE_CHARS = 25;
const READY_TIMEOUT_MS = 60_000;

/** Our clock and that of Discord may differ. */
const CLOCK_MARGIN_MS = 60_000;

const COMMANDS = [
  { name: "new", description: "Start a new conversation" },
  { name: "clear", description: "Forget what was said here" },
  { name: "history", description: "Show the last messages" },
  { name: "approve", description: "Answer a question about a tool with yes" },
  { name: "deny", description: "Answer a question about a tool with no" },
];

export function discordChannel(options: DiscordOptions): Channel {
  checkObject(options, "options");
  checkString(options.token, "token");
  return new DiscordChannel(options);
}

class DiscordChannel implements Channel {
  readonly name = "discord";
  readonly accountId: string;
  readonly charsMax = CHARS_MAX;
  readonly #options: DiscordOptions;
  readonly #closing = new AbortController();
  readonly #keeper = new MessageKeeper(this.#closing.signal);
  #client: Client<true> | undefined;
  #events: ChannelEvents | undefined;
  /** When the connection was lost. Discord repeats what was missed, unless it has given up the session. */
  #lostMs: number | undefined;

  constructor(options: DiscordOptions) {
    this.#options = options;
    this.accountId = options.accountId ?? "default";
  }

  async start(events: ChannelEvents): Promise<void> {
    const discord = await optionalPackage("discord.js", "Discord", () => import("discord.js"));
    const { Events, GatewayIntentBits: Intents, Partials } = discord;
    const { token, apiRoot } = this.#options;
    this.#events = events;
    const client = new discord.Client({
      intents: [Intents.Guilds, Intents.GuildMessages, Intents.DirectMessages, Intents.MessageContent],
      // Direct messages come in channels that were never seen before.
      partials: [Partials.Channel, Partials.Message],
      // An answer of a model must not ring everybody's phone.
      allowedMentions: { parse: [] },
      ...(apiRoot === undefined ? {} : { rest: { api: apiRoot } }),
    });
    client.on(Events.Error, (error) => events.onProblem(discordFailure(error)));
    client.on(Events.ShardError, (error) => events.onProblem(discordFailure(error)));
    client.on(Events.MessageCreate, (message) => this.#receive(events, message, false));
    client.on(Events.MessageUpdate, (before, after) => {
      // Discord also reports previews of links as updates.
      if (after.editedTimestamp !== null && after.editedTimestamp !== before.editedTimestamp)
        this.#receive(events, after, true);
    });
    client.on(Events.ShardReconnecting, () => {
      this.#lostMs ??= Date.now();
    });
    client.on(Events.ShardResume, () => {
      this.#lostMs = undefined;
    });
    client.on(Events.ShardReady, () => {
      if (this.#lostMs !== undefined) events.onGap(isoTime(this.#lostMs - CLOCK_MARGIN_MS));
      this.#lostMs = undefined;
    });
    client.on(Events.InteractionCreate, (interaction) => {
      if (interaction.isChatInputCommand()) this.#command(events, interaction);
    });
    const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
    try {
      const limit = AbortSignal.any([AbortSignal.timeout(READY_TIMEOUT_MS), this.#closing.signal]);
      const aborted = new Promise<never>((_, reject) => {
        limit.addEventListener("abort", () => reject(new Error("it did not become ready in time")));
      });
      aborted.catch(() => {});
      const loggedIn = client.login(token).then(() => ready);
      this.#client = await Promise.race([loggedIn, aborted]);
      await this.#client.application.commands.set(COMMANDS);
    } catch (error) {
      await client.destroy();
      throw discordFailure(error);
    }
  }

  #receive(events: ChannelEvents, message: Message | PartialMessage, isEdit: boolean): void {
    const read = (whole: Message): ChannelMessage | undefined => {
      const received = toChannelMessage(whole, whole.client.user.id);
      return received && { ...received, isEdit };
    };
    // discord.js changes its messages when they are edited, so this one is read now, not when its turn comes.
    const now = message.partial ? undefined : { message: read(message) };
    this.#keeper.keep(events, message.channelId, async () =>
      now === undefined ? read(await message.fetch()) : now.message,
    );
  }

  #command(events: ChannelEvents, interaction: ChatInputCommandInteraction): void {
    const { id, user, channelId, channel, guildId, commandName, createdTimestamp } = interaction;
    this.#keeper.keep(events, channelId, async () => {
      const text = `/${commandName}`;
      // Discord shows an error if this takes longer than three seconds; the answer is a message of its own.
      await interaction.reply({ content: text, flags: EPHEMERAL }).catch(() => {});
      return {
        ...{
          id,
          from: { id: user.id, name: user.globalName ?? user.username },
          ...placeOf(channel, guildId),
        },
        ...{ text, isAddressed: true, at: isoTime(createdTimestamp) },
      };
    });
  }

  async download(ref: string): Promise<Uint8Array> {
    const [channelId = "", messageId = "", fileId = ""] = ref.split("/");
    try {
      const room = await this.#started.channels.fetch(channelId);
      const message = room?.isTextBased() === true ? await room.messages.fetch(messageId) : undefined;
      const file = message?.attachments.get(fileId);
      if (file === undefined) throw new ColloquyError("NOT_FOUND", "Discord no longer has the file");
      return await fileBytes(file.url, this.#options.fileRoots);
    } catch (error) {
      throw discordFailure(error);
    }
  }

  async catchUp({ address, since }: Parameters<NonNullable<Channel["catchUp"]>>[0]): Promise<void> {
    try {
      const room = await roomOf(this.#started, address);
      for await (const message of messagesSince(room, since))
        this.#receive(this.#events as ChannelEvents, message, false);
    } catch (error) {
      throw discordFailure(error);
    }
  }

  async send(address: DeliveryAddress, text: string, { nonce, replyTo }: SendOptions): Promise<SentMessage> {
    try {
      const room = await roomOf(this.#started, address);
      const { createdTimestamp } = await room.send({
        content: text,
        nonce: createHash("sha256").update(nonce).digest("hex").slice(0, NONCE_CHARS),
        enforceNonce: true,
        ...(replyTo === undefined ? {} : { reply: { messageReference: replyTo, failIfNotExists: false } }),
      });
      return { at: isoTime(createdTimestamp) };
    } catch (error) {
      throw discordFailure(error);
    }
  }

  async typing(address: DeliveryAddress): Promise<void> {
    await roomOf(this.#started, address)
      .then((room) => room.sendTyping())
      .catch(() => {});
  }

  get #started(): Client<true> {
    if (this.#client === undefined) throw new ColloquyError("SERVICE_UNAVAILABLE", "Discord is not started");
    return this.#client;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.destroy();
    await this.#keeper.settled();
  }
}

/** Only the user who gave the command sees it. */
const EPHEMERAL = 64;
