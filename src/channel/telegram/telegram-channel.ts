/**
 * Telegram, through grammY's API.
 *
 * grammY's own loop confirms an update before its handler has ended, and also when it failed. Here the next request
 * confirms only what is durable; the rest comes again.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "grammy";
import type { Update, UserFromGetMe } from "grammy/types";
import { ColloquyError } from "../../errors.ts";
import type { DeliveryAddress } from "../../key/index.ts";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import { type GuardedFetch, guardedFetch } from "../../util/guarded-fetch.ts";
import { optionalPackage } from "../../util/optional-package.ts";
import { isoTime } from "../../util/time.ts";
import type { Channel, ChannelEvents, SentMessage } from "../channel.ts";
import { telegramFailure } from "./failure.ts";
import { toChannelMessage } from "./message.ts";

/** The same at run time; grammY has a type of its own for it. */
type GrammySignal = Parameters<Api["getUpdates"]>[1];

export interface TelegramOptions {
  readonly token: string;
  readonly accountId?: string | undefined;
  /** Default: Telegram's own. */
  readonly apiRoot?: string | undefined;
}

const API_ROOT = "https://api.telegram.org";
/** Telegram refuses longer messages. */
const CHARS_MAX = 4096;
/** Telegram gives bots no larger files. */
const FILE_BYTES_MAX = 20 * 1024 * 1024;
const FILE_TIMEOUT_MS = 60_000;
const POLL_SEC = 25;
const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 60_000;

const COMMANDS = [
  { command: "new", description: "Start a new conversation" },
  { command: "clear", description: "Forget what was said here" },
  { command: "history", description: "Show the last messages" },
  { command: "approve", description: "Answer a question about a tool with yes" },
  { command: "deny", description: "Answer a question about a tool with no" },
];

export function telegramChannel(options: TelegramOptions): Channel {
  checkObject(options, "options");
  checkString(options.token, "token");
  return new TelegramChannel(options);
}

class TelegramChannel implements Channel {
  readonly name = "telegram";
  readonly accountId: string;
  readonly charsMax = CHARS_MAX;
  readonly #options: TelegramOptions;
  readonly #fetch: GuardedFetch;
  readonly #closing = new AbortController();
  #api: Api | undefined;
  #polling: Promise<void> | undefined;

  constructor(options: TelegramOptions) {
    this.#options = options;
    this.accountId = options.accountId ?? "default";
    this.#fetch = guardedFetch({
      baseUrl: options.apiRoot ?? API_ROOT,
      timeoutMs: FILE_TIMEOUT_MS,
      bytesMax: FILE_BYTES_MAX,
    });
  }

  async start(events: ChannelEvents): Promise<void> {
    const { token, apiRoot = API_ROOT } = this.#options;
    const grammy = await optionalPackage("grammy", "Telegram", () => import("grammy"));
    const api = new grammy.Api(token, { apiRoot });
    try {
      const bot = await api.getMe();
      await api.setMyCommands(COMMANDS);
      this.#api = api;
      this.#polling = this.#poll(api, bot, events);
    } catch (error) {
      throw telegramFailure(error);
    }
  }

  async #poll(api: Api, bot: UserFromGetMe, events: ChannelEvents): Promise<void> {
    const { signal } = this.#closing;
    let offset = 0;
    for (let waitMs = RETRY_MIN_MS; !signal.aborted; ) {
      try {
        const query = { offset, timeout: POLL_SEC, allowed_updates: ["message", "edited_message"] as const };
        const failed = new Map<number, unknown>();
        for (const update of await api.getUpdates(query, signal as GrammySignal)) {
          const chat = (update.message ?? update.edited_message)?.chat.id ?? 0;
          // The messages of one chat stay in order. Those of others must not wait for it: they come again, unchanged.
          if (failed.has(chat)) continue;
          await this.#receive(bot, events, update).catch((error) => failed.set(chat, error));
          if (failed.size === 0) offset = update.update_id + 1;
        }
        for (const error of failed.values()) throw error;
        waitMs = RETRY_MIN_MS;
      } catch (error) {
        if (signal.aborted) return;
        const problem = telegramFailure(error);
        events.onProblem(problem);
        await sleep(retryAfterMs(problem) ?? waitMs, undefined, { signal }).catch(() => {});
        waitMs = Math.min(RETRY_MAX_MS, waitMs * 2);
      }
    }
  }

  async #receive(bot: UserFromGetMe, events: ChannelEvents, update: Update): Promise<void> {
    const message = update.message ?? update.edited_message;
    if (message === undefined) return;
    const received = toChannelMessage(message, bot);
    if (received === undefined) return;
    await events.onMessage({ ...received, isEdit: update.edited_message !== undefined });
  }

  async download(fileId: string): Promise<Uint8Array> {
    const { token, apiRoot = API_ROOT } = this.#options;
    try {
      const { file_path } = await this.#started.getFile(fileId);
      if (file_path === undefined) throw new ColloquyError("NOT_FOUND", "Telegram no longer has the file");
      const answer = await this.#fetch(`${apiRoot}/file/bot${token}/${file_path}`);
      if (!answer.ok) throw new ColloquyError("NETWORK_ERROR", `Telegram answered with ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    } catch (error) {
      throw telegramFailure(error);
    }
  }

  async send({ to, threadId }: DeliveryAddress, text: string): Promise<SentMessage> {
    try {
      const { date } = await this.#started.sendMessage(to, text, threadOf(threadId));
      return { at: isoTime(date * 1000) };
    } catch (error) {
      throw telegramFailure(error);
    }
  }

  async typing({ to, threadId }: DeliveryAddress): Promise<void> {
    await this.#started.sendChatAction(to, "typing", threadOf(threadId)).catch(() => {});
  }

  get #started(): Api {
    if (this.#api === undefined) throw new ColloquyError("SERVICE_UNAVAILABLE", "Telegram is not started");
    return this.#api;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#polling;
  }
}

function threadOf(threadId: string | undefined): { message_thread_id?: number } {
  return threadId === undefined ? {} : { message_thread_id: Number(threadId) };
}

function retryAfterMs({ details }: ColloquyError): number | undefined {
  const wait = details?.retryAfterMs;
  return typeof wait === "number" ? wait : undefined;
}
