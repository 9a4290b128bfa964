/** Telegram's Bot API on this machine: updates are kept until the bot confirms them with its next request. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const BOT_TOKEN = "42:telegram-test-token";
const BOT = { id: 42, is_bot: true, first_name: "Scribe", username: "scribe_bot" };
const POLL_MS = 25;

interface SentMessage {
  readonly chat_id: number;
  readonly text: string;
  readonly message_thread_id?: number;
}

interface TelegramUser {
  readonly id: number;
  readonly first_name: string;
}

interface Incoming {
  readonly text?: string;
  readonly from: TelegramUser;
  /** Default: a private chat with the sender. */
  readonly chat?: { readonly id: number; readonly type: "group" | "supergroup"; readonly title: string };
  readonly message_thread_id?: number;
  readonly [more: string]: unknown;
}

/** Of other methods than `sendMessage`. */
interface Parameters {
  readonly offset?: number;
  readonly timeout?: number;
  readonly file_id?: string;
}

export class TelegramServer {
  readonly url: string;
  readonly sent: SentMessage[] = [];
  readonly calls: string[] = [];
  /** Files that bots can download, by their id. */
  readonly files: Map<string, Buffer> = new Map();
  /** An answer instead of the usual one, for the next requests of a method. */
  readonly failures: { method: string; status: number; body: object }[] = [];
  readonly #updates: { update_id: number }[] = [];
  #lastUpdate = 0;
  #lastMessage = 0;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(): Promise<TelegramServer> {
    const server = createServer((request, response) => void telegram.#answer(request, response));
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const telegram = new TelegramServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return telegram;
  }

  /** A user writes. Returns the id of the message. */
  write(message: Incoming): number {
    const { from, chat = { id: from.id, type: "private", first_name: from.first_name } } = message;
    const message_id = ++this.#lastMessage;
    this.push({ message: { date: nowSec(), ...message, message_id, chat } });
    return message_id;
  }

  /** Any update, under a number that is new, or again under the number of one before. */
  push(update: object, update_id: number = ++this.#lastUpdate): void {
    this.#updates.push({ update_id, ...update });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const [, kind, bot, name = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(request.url ?? "") ?? [];
    if (bot !== BOT_TOKEN)
      return reply(response, 401, { ok: false, error_code: 401, description: "Unauthorized" });
    if (kind !== undefined) {
      response.end(this.files.get(name));
      return;
    }
    const failure = this.failures.findIndex(({ method }) => method === name);
    if (failure !== -1) {
      const [{ status, body } = { status: 500, body: {} }] = this.failures.splice(failure, 1);
      return reply(response, status, { ok: false, error_code: status, ...body });
    }
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    if (name !== "getUpdates") this.calls.push(name);
    reply(response, 200, { ok: true, result: await this.#result(name, body) });
  }

  async #result(method: string, body: Partial<SentMessage> & Parameters): Promise<unknown> {
    switch (method) {
      case "getMe":
        return BOT;
      case "getUpdates":
        return this.#waiting(Number(body.offset ?? 0), Number(body.timeout ?? 0));
      case "getFile":
        return { file_id: body.file_id, file_unique_id: body.file_id, file_path: body.file_id };
      case "sendMessage": {
        this.sent.push(body as SentMessage);
        const chat = { id: body.chat_id, type: "private", first_name: "Someone" };
        return { message_id: ++this.#lastMessage, date: nowSec(), chat, text: body.text };
      }
      default:
        return true;
    }
  }

  /** Those from `offset` on; asking for them confirms the ones before. */
  async #waiting(offset: number, timeoutSec: number): Promise<unknown[]> {
    while (this.#updates.length > 0 && (this.#updates[0] as { update_id: number }).update_id < offset)
      this.#updates.shift();
    const endMs = performance.now() + timeoutSec * 1000;
    while (this.#updates.length === 0 && performance.now() < endMs)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return this.#updates.slice(0, 100);
  }
}

function nowSec(): number {
  return Math.floor(Date.now() / 1000);
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
