/** Discord on this machine: as much of its REST API and of its gateway, version 10, as a bot uses. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

export const DISCORD_TOKEN = "NDI.test.discord-token";
const BOT = { id: "42", username: "scribe", discriminator: "0", bot: true, avatar: null };
const GUILD = "500";
const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  acknowledged: 11,
};
const DISCORD_EPOCH_MS = 1_420_070_400_000;
const DIRECT = 1;
const GUILD_TEXT = 0;
const THREAD = 11;

interface SentMessage {
  readonly channel: string;
  readonly content: string;
  readonly nonce?: string;
}

interface DiscordUser {
  readonly id: string;
  readonly username: string;
  readonly bot?: boolean;
}

interface DiscordMessage {
  readonly id: string;
  readonly channel_id: string;
}

interface Payload {
  readonly op: number;
  readonly d?: { readonly token?: string; readonly seq?: number };
}

export class DiscordServer {
  /** What was delivered: a message with a nonce that was seen is not sent again. */
  readonly sent: SentMessage[] = [];
  readonly requests: string[] = [];
  readonly bodies: Record<string, unknown>[] = [];
  readonly files: Map<string, Buffer> = new Map();
  /** An answer instead of the usual one, for the next request whose method and path begin like this. */
  readonly failures: { request: string; status: number; body: object }[] = [];
  resumes = 0;
  /** How many were begun. */
  downloads = 0;
  readonly #sockets = new Set<WebSocket>();
  readonly #events: { t: string; d: object }[] = [];
  /** What people wrote, oldest first. */
  readonly #messages: DiscordMessage[] = [];
  readonly #nonces = new Map<string, object>();
  #port = 0;
  /** Of the last id, in milliseconds since Discord began. */
  #lastMs = 0;

  static async start(): Promise<DiscordServer> {
    const discord = new DiscordServer();
    const server = createServer((request, response) => void discord.#answer(request, response));
    const gateway = new WebSocketServer({ server });
    gateway.on("connection", (socket) => discord.#connected(socket));
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    discord.#port = (server.address() as AddressInfo).port;
    onTestFinished(() => {
      for (const socket of discord.#sockets) socket.terminate();
      gateway.close();
      server.closeAllConnections();
      server.close();
    });
    return discord;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** An id says when it was made. Each is later than the one before. */
  newId(): string {
    this.#lastMs = Math.max(this.#lastMs + 1, Date.now() - DISCORD_EPOCH_MS);
    return String(BigInt(this.#lastMs) << 22n);
  }

  /** A person writes: in a channel of the guild, in a thread of it, or to the bot alone. Returns the message. */
  write(from: DiscordUser, content: string, more: Readonly<Record<string, unknown>> = {}): DiscordMessage {
    const message = this.message(from, content, more);
    this.#messages.push(message);
    this.dispatch("MESSAGE_CREATE", message);
    return message;
  }

  message(from: DiscordUser, content: string, more: Readonly<Record<string, unknown>> = {}): DiscordMessage {
    const place =
      more.channel_id === undefined
        ? { channel_id: `9${from.id}`, channel_type: DIRECT }
        : {
            channel_id: String(more.channel_id),
            guild_id: GUILD,
            channel_type: more.channel_id === "700" ? THREAD : GUILD_TEXT,
          };
    return {
      ...{
        id: this.newId(),
        type: 0,
        content,
        ...place,
        author: { discriminator: "0", avatar: null, ...from },
      },
      ...{ timestamp: new Date().toISOString(), edited_timestamp: null, tts: false, mention_everyone: false },
      ...{ mentions: [], mention_roles: [], attachments: [], embeds: [], pinned: false, ...more },
    };
  }

  /** To every bot that is connected, and to those that resume later. */
  dispatch(t: string, d: object): void {
    this.#events.push({ t, d });
    for (const socket of this.#sockets) this.#send(socket, this.#events.length - 1);
  }

  /** An event that was sent before comes again. */
  replay(index: number): void {
    for (const socket of this.#sockets) this.#send(socket, index);
  }

  get eventCount(): number {
    return this.#events.length;
  }

  /** Whether sessions are given up: they cannot be resumed. */
  forgets = false;

  /** The connection breaks, as it does every day. */
  disconnect(code = 4000): void {
    for (const socket of this.#sockets) socket.close(code);
    this.#sockets.clear();
  }

  #send(socket: WebSocket, index: number): void {
    socket.send(JSON.stringify({ op: OP.dispatch, s: index + 2, ...this.#events[index] }));
  }

  #connected(socket: WebSocket): void {
    socket.send(JSON.stringify({ op: OP.hello, d: { heartbeat_interval: 41_250 } }));
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("message", (data) => this.#received(socket, JSON.parse(String(data))));
  }

  #received(socket: WebSocket, { op, d }: Payload): void {
    if (op === OP.heartbeat) socket.send(JSON.stringify({ op: OP.acknowledged }));
    if (op !== OP.identify && op !== OP.resume) return;
    if (d?.token !== DISCORD_TOKEN) {
      socket.close(4004, "Authentication failed.");
      return;
    }
    if (op === OP.resume && this.forgets) {
      socket.send(JSON.stringify({ op: OP.invalid, d: false }));
      return;
    }
    this.#sockets.add(socket);
    if (op === OP.resume) {
      this.resumes++;
      for (let index = Math.max(0, (d.seq ?? 0) - 1); index < this.#events.length; index++)
        this.#send(socket, index);
      socket.send(JSON.stringify({ op: OP.dispatch, t: "RESUMED", s: this.#events.length + 1, d: {} }));
      return;
    }
    const ready = {
      ...{ v: 10, user: BOT, session_id: "s", resume_gateway_url: `ws://127.0.0.1:${this.#port}` },
      ...{ guilds: [{ id: GUILD, unavailable: true }], application: { id: BOT.id, flags: 0 } },
    };
    socket.send(JSON.stringify({ op: OP.dispatch, t: "READY", s: 1, d: ready }));
    const guild = {
      ...{ id: GUILD, name: "Harbour", owner_id: "1", members: [], roles: [], emojis: [], member_count: 2 },
      channels: [{ id: "600", type: GUILD_TEXT, name: "general" }],
      threads: [{ id: "700", type: THREAD, name: "plans", parent_id: "600", guild_id: GUILD }],
    };
    socket.send(JSON.stringify({ op: OP.dispatch, t: "GUILD_CREATE", s: 1, d: guild }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = (request.url ?? "").replace(/^\/api\/v10/, "");
    const file = /^\/files\/(.+)$/.exec(path)?.[1];
    if (file !== undefined) {
      this.downloads++;
      // One that is not there yet never arrives.
      if (this.files.has(file)) response.end(this.files.get(file));
      return;
    }
    const seen = `${request.method} ${path}`;
    this.requests.push(seen);
    if (request.headers.authorization !== `Bot ${DISCORD_TOKEN}` && !path.startsWith("/interactions"))
      return void reply(response, 401, { message: "401: Unauthorized", code: 0 });
    const failure = this.failures.findIndex((one) => seen.startsWith(one.request));
    if (failure !== -1) {
      const [{ status, body } = { status: 500, body: {} }] = this.failures.splice(failure, 1);
      return void reply(response, status, body);
    }
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    if (!Array.isArray(body)) this.bodies.push(body);
    this.#route(seen, body, response);
  }

  #route(seen: string, body: Record<string, string>, response: ServerResponse): void {
    if (seen === "GET /gateway/bot") {
      const limit = { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 };
      return void reply(response, 200, {
        url: `ws://127.0.0.1:${this.#port}`,
        shards: 1,
        session_start_limit: limit,
      });
    }
    const [, channel, what] = /^POST \/channels\/(\d+)\/(messages|typing)/.exec(seen) ?? [];
    if (what === "typing") {
      response.writeHead(204).end();
      return;
    }
    if (channel !== undefined) {
      reply(response, 200, this.#deliver(channel, body));
      return;
    }
    if (seen === "POST /users/@me/channels") {
      const id = `9${body.recipient_id}`;
      return void reply(response, 200, {
        id,
        type: DIRECT,
        recipients: [{ ...BOT, id: body.recipient_id, bot: false }],
      });
    }
    const [, of, query, single] = /^GET \/channels\/(\d+)\/messages(?:\?(.*)|\/(\d+))?$/.exec(seen) ?? [];
    if (of !== undefined) {
      this.#history(of, new URLSearchParams(query), single, response);
      return;
    }
    const [, wanted] = /^GET \/channels\/(\d+)$/.exec(seen) ?? [];
    if (wanted?.startsWith("9")) {
      reply(response, 200, { id: wanted, type: DIRECT, recipients: [] });
      return;
    }
    if (wanted !== undefined) {
      reply(response, 404, { message: "Unknown Channel", code: 10003 });
      return;
    }
    if (seen.startsWith("PUT /applications/")) {
      reply(response, 200, []);
      return;
    }
    reply(response, 200, {});
  }

  /** One message, or those after another one, as Discord lists them: the newest first. */
  #history(channel: string, query: URLSearchParams, id: string | undefined, response: ServerResponse): void {
    const all = this.#messages.filter((message) => message.channel_id === channel);
    const found = all.find((message) => message.id === id);
    if (id !== undefined) {
      reply(response, found === undefined ? 404 : 200, found ?? { code: 10008 });
      return;
    }
    const after = BigInt(query.get("after") ?? 0);
    const next = all
      .filter((message) => BigInt(message.id) > after)
      .slice(0, Number(query.get("limit") ?? 50));
    reply(response, 200, next.reverse());
  }

  #deliver(channel: string, { content, nonce }: Record<string, string>): object {
    const before = nonce === undefined ? undefined : this.#nonces.get(`${channel} ${nonce}`);
    if (before !== undefined) return before;
    this.sent.push({ channel, content: content ?? "", ...(nonce === undefined ? {} : { nonce }) });
    const message = this.message({ id: BOT.id, username: BOT.username }, content ?? "", {
      channel_id: channel,
    });
    if (nonce !== undefined) this.#nonces.set(`${channel} ${nonce}`, message);
    return message;
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
