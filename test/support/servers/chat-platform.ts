/** A platform for tests: an HTTP server that takes messages, and drops those whose nonce it has seen. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Delivered {
  readonly to: string;
  readonly text: string;
  readonly nonce: string;
}

export class ChatPlatform implements AsyncDisposable {
  /** In the order of arrival. */
  readonly delivered: Delivered[] = [];
  /** Every request, repeated ones too. */
  readonly requests: Delivered[] = [];
  /** Messages with this text are taken, but never confirmed. */
  holds: string | undefined;
  /** Returned instead of 200, by recipient. */
  readonly refuses: Map<string, number> = new Map();
  readonly #server: Server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString("utf8");
    const message: Delivered = JSON.parse(body);
    this.requests.push(message);
    const status = this.refuses.get(message.to) ?? 200;
    const isNew = this.delivered.every(({ nonce }) => nonce !== message.nonce);
    if (status === 200 && isNew) this.delivered.push(message);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    if (message.text === this.holds) return;
    response.writeHead(status).end();
  });
  #arrived: PromiseWithResolvers<void> = Promise.withResolvers();

  static async start(): Promise<ChatPlatform> {
    const platform = new ChatPlatform();
    platform.#server.listen(0, "127.0.0.1");
    await once(platform.#server, "listening");
    return platform;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Wait until the requests are as they should be. */
  async until(isThere: (platform: this) => boolean): Promise<void> {
    while (!isThere(this)) await this.#arrived.promise;
  }

  textsTo(to: string): string[] {
    return this.delivered.filter((one) => one.to === to).map(({ text }) => text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
