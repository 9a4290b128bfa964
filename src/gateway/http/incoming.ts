/** What checks and routes see of a request, and of an upgrade to a WebSocket. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface Incoming {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The other end of the connection. Perhaps a proxy. */
  readonly remoteAddress: string;
  /** This end of it. */
  readonly localAddress: string;
  readonly localPort: number;
  readonly isEncrypted: boolean;
  /** The value of a header; several are joined with commas, an empty one is `""`. */
  header(name: string): string | undefined;
  /** One value for each time that the header occurs. */
  headers(name: string): readonly string[];
}

export class IncomingRequest implements Incoming {
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.#message = message;
  }

  get method(): string {
    return this.#message.method ?? "GET";
  }

  get path(): string {
    return (this.#message.url ?? "").split("?", 1)[0] ?? "";
  }

  get remoteAddress(): string {
    return this.#message.socket.remoteAddress ?? "";
  }

  get localAddress(): string {
    return this.#message.socket.localAddress ?? "";
  }

  get localPort(): number {
    return this.#message.socket.localPort ?? 0;
  }

  get isEncrypted(): boolean {
    return (this.#message.socket as Partial<TLSSocket>).encrypted === true;
  }

  header(name: string): string | undefined {
    const values = this.headers(name);
    return values.length === 0 ? undefined : values.join(", ");
  }

  headers(name: string): readonly string[] {
    const wanted = name.toLowerCase();
    const { rawHeaders } = this.#message;
    // Not `headers`: it drops the second Host and the second Authorization without a word.
    const values: string[] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const found = rawHeaders[index] as string;
      if (found.length !== wanted.length || found.toLowerCase() !== wanted) continue;
      values.push(rawHeaders[index + 1] as string);
    }
    return values;
  }
}

/** Whether a request changes nothing, so that a page elsewhere may link to it. */
export function isSafe(method: string): boolean {
  return SAFE.has(method);
}

/** Aborted when the client has gone before its answer was complete. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const close = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) close();
  else response.once("close", close);
  return controller.signal;
}
