/**
 * Discord, through discord.js, which connects again and keeps to the rate limits by itself.
 *
 * Discord's gateway has no confirmations: a message that cannot be kept is tried again here.
 */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  ChatInputCommandInteraction,
  Client,
  Message,
  PartialMessage,
  SendableChannels,
} from "discord.js";
import { ColloquyError } from "../../errors.ts";
import type { DeliveryAddress } from "../../key/index.ts";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import { guardedFetch } from "../../util/guarded-fetch.ts";
import { optionalPackage } from "../../util/optional-package.ts";
import { isoTime } from "../../util/time.ts";
import type { Channel, ChannelEvents, ChannelMessage, SendOptions, SentMessage } from "../channel.ts";
import { discordFailure } from "./failure.ts";
import { placeOf, toChannelMessage } from "./message.ts";

export interface DiscordOptions {
  readonly token: string;
  readonly accountId?: string | undefined;
  /** Default: Discord's own. The address of the gateway comes from there. */
  readonly apiRoot?: string | undefined;
  /** Where attachments may be downloaded from. Default: Discord's own servers. */
  readonly fileRoots?: readonly string[] | undefined;
}

const FILE_ROOTS = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const FILE_BYTES_MAX = 25 * 1024 * 1024;
const FILE_TIMEOUT_MS = 60_000;
/** Discord refuses longer messages. */
const CHARS_MAX = 2000;
const NONCE_CHARS = 25;
const READY_TIMEOUT_MS = 60_000;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 30_000;

/** How much is asked for in one place after a pause. */
const PAGE = 100;
const PAGES_MAX = 5;
/** Our clock and that of Discord may differ. */
const CLOCK_MARGIN_MS = 60_000;
const EPOCH_MS = 1_420_070_400_000;

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
  /** The last message of each place that is being kept: those of one place stay in order. */
  readonly #keeping = new Map<string, Promise<void>>();
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
    this.#inOrder(events, message.channelId, async () =>
      now === undefined ? read(await message.fetch()) : now.message,
    );
  }

  #command(events: ChannelEvents, interaction: ChatInputCommandInteraction): void {
    const { id, user, channelId, channel, guildId, commandName, createdTimestamp } = interaction;
    this.#inOrder(events, channelId, async () => {
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

  /** Keep a message after those before it in the same place, however long that takes. */
  #inOrder(events: ChannelEvents, place: string, read: () => Promise<ChannelMessage | undefined>): void {
    const before = this.#keeping.get(place) ?? Promise.resolve();
    const kept = before.then(() => this.#keep(events, read));
    this.#keeping.set(place, kept);
    void kept.finally(() => {
      if (this.#keeping.get(place) === kept) this.#keeping.delete(place);
    });
  }

  async #keep(events: ChannelEvents, read: () => Promise<ChannelMessage | undefined>): Promise<void> {
    const { signal } = this.#closing;
    for (let waitMs = RETRY_MIN_MS; !signal.aborted; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      try {
        const message = await read();
        if (message !== undefined) await events.onMessage(message);
        return;
      } catch (error) {
        events.onProblem(discordFailure(error));
        await sleep(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  async download(ref: string): Promise<Uint8Array> {
    const [channelId = "", messageId = "", fileId = ""] = ref.split("/");
    try {
      const room = await this.#started.channels.fetch(channelId);
      const message = room?.isTextBased() === true ? await room.messages.fetch(messageId) : undefined;
      const file = message?.attachments.get(fileId);
      if (file === undefined) throw new ColloquyError("NOT_FOUND", "Discord no longer has the file");
      return await this.#bytesOf(file.url);
    } catch (error) {
      throw discordFailure(error);
    }
  }

  async #bytesOf(url: string): Promise<Uint8Array> {
    const { fileRoots = FILE_ROOTS } = this.#options;
    const root = fileRoots.find((one) => new URL(one).origin === new URL(url).origin);
    if (root === undefined)
      throw new ColloquyError("FORBIDDEN", "The attachment is not on a server of Discord");
    const fetch = guardedFetch({ baseUrl: root, timeoutMs: FILE_TIMEOUT_MS, bytesMax: FILE_BYTES_MAX });
    const answer = await fetch(url);
    if (!answer.ok) throw new ColloquyError("NETWORK_ERROR", `Discord answered with ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async catchUp({ address, since }: Parameters<NonNullable<Channel["catchUp"]>>[0]): Promise<void> {
    try {
      const room = await this.#roomOf(address);
      let after = idAt(Date.parse(since));
      for (let page = 0; page < PAGES_MAX; page++) {
        const found = await room.messages.fetch({ after, limit: PAGE, cache: false });
        const messages = [...found.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
        for (const message of messages) this.#receive(this.#events as ChannelEvents, message, false);
        if (messages.length < PAGE) return;
        after = messages.at(-1)?.id ?? after;
      }
    } catch (error) {
      throw discordFailure(error);
    }
  }

  async send(address: DeliveryAddress, text: string, { nonce, replyTo }: SendOptions): Promise<SentMessage> {
    try {
      const room = await this.#roomOf(address);
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
    await this.#roomOf(address)
      .then((room) => room.sendTyping())
      .catch(() => {});
  }

  /** A direct message is addressed to a user; ids of users and channels are never the same. */
  async #roomOf({ to, threadId }: DeliveryAddress): Promise<SendableChannels> {
    const client = this.#started;
    const known = client.channels.cache.get(threadId ?? to);
    const room = known ?? (await this.#fetched(client, threadId, to));
    if (room === null || !room.isSendable())
      throw new ColloquyError("NOT_FOUND", "Discord no longer has the channel");
    return room;
  }

  get #started(): Client<true> {
    if (this.#client === undefined) throw new ColloquyError("SERVICE_UNAVAILABLE", "Discord is not started");
    return this.#client;
  }

  async #fetched(
    client: Client<true>,
    threadId: string | undefined,
    to: string,
  ): ReturnType<Client["channels"]["fetch"]> {
    try {
      return await client.channels.fetch(threadId ?? to);
    } catch (error) {
      if (threadId !== undefined || discordFailure(error).code !== "NOT_FOUND") throw error;
      return client.users.createDM(to);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.destroy();
    await Promise.allSettled(this.#keeping.values());
  }
}

/** Only the user who gave the command sees it. */
const EPHEMERAL = 64;

/** The first id of a time: ids of Discord begin with the time. */
function idAt(ms: number): string {
  return String(BigInt(Math.max(0, ms - EPOCH_MS)) << 22n);
}
