/** A client that stays connected: it reconnects, resumes what it listens to, and repeats what is safe to repeat. */
import type { Frame, MethodName, Methods, RequestFrame } from "../wire/frames.ts";
import { Connection } from "./connection.ts";
import { GatewayError, networkError, wrongOption } from "./gateway-error.ts";
import { type SubscribeOptions, Subscriptions, type TopicListener } from "./subscriptions.ts";

export interface ClientOptions {
  /** Such as `http://127.0.0.1:18789`. */
  readonly url: string;
  /** An access token. Programs have one. */
  readonly token?: string;
  /** Instead: fetches a ticket for each connection. Browsers do, because their tokens are in cookies. */
  readonly ticket?: () => Promise<string>;
}

/** `closed`: by `close`, or because the gateway refuses the credential. It does not connect again. */
export type ClientState = "connecting" | "open" | "reconnecting" | "closed";

export type ClientMethod = Exclude<MethodName, "auth" | "subscribe" | "unsubscribe">;

export interface GatewayClient {
  readonly state: ClientState;
  /** Called with the state now and with each new one, until the function that is returned is called. */
  onState(listener: (state: ClientState, error?: GatewayError) => void): () => void;
  /**
   * Waits for a connection. A request that was cut off is repeated if that is safe, and otherwise fails with
   * `NETWORK_ERROR`: it may have taken effect.
   */
  request<Name extends ClientMethod>(
    method: Name,
    params: Methods[Name]["params"],
  ): Promise<Methods[Name]["result"]>;
  /** Listen to a topic, until the function that is returned is called. */
  subscribe(topic: string, listener: TopicListener, options?: SubscribeOptions): () => void;
  close(): void;
}

interface Waiting {
  readonly frame: RequestFrame;
  readonly mayRepeat: boolean;
  isSent: boolean;
  resolve(result: never): void;
  reject(error: GatewayError): void;
}

/** Only browsers say when the network is back. */
const PAGE = globalThis as {
  addEventListener?(name: "online", listener: () => void): void;
  removeEventListener?(name: "online", listener: () => void): void;
};
const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 15_000;

export function connectGateway(options: ClientOptions): GatewayClient {
  return new Client(options);
}

/** Wrong options, found before anything is sent. */
function socketUrl(options: ClientOptions): string {
  const { url: given, token, ticket } = (options ?? {}) as Partial<ClientOptions>;
  const url = URL.parse("/ws", given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrongOption("url must be the address of a gateway, such as http://127.0.0.1:18789", "url");
  if (token !== undefined && typeof token !== "string") throw wrongOption("token must be a string", "token");
  if (ticket !== undefined && typeof ticket !== "function")
    throw wrongOption("ticket must be a function", "ticket");
  if ((token === undefined) === (ticket === undefined))
    throw wrongOption("Pass a token, or a function that fetches tickets", "token");
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

class Client implements GatewayClient {
  readonly #options: ClientOptions;
  readonly #url: string;
  readonly #waiting = new Map<string, Waiting>();
  readonly #subscriptions = new Subscriptions();
  readonly #stateListeners = new Set<(state: ClientState, error?: GatewayError) => void>();
  #connection: Connection | undefined;
  #state: ClientState = "connecting";
  #error: GatewayError | undefined;
  #count = 0;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#url = socketUrl(options);
    PAGE.addEventListener?.("online", this.#hurry);
    void this.#connect();
  }

  get state(): ClientState {
    return this.#state;
  }

  onState(listener: (state: ClientState, error?: GatewayError) => void): () => void {
    this.#stateListeners.add(listener);
    listener(this.#state, this.#error);
    return () => this.#stateListeners.delete(listener);
  }

  request<Name extends ClientMethod>(
    method: Name,
    params: Methods[Name]["params"],
  ): Promise<Methods[Name]["result"]> {
    const { idempotencyKey, run } = params as { readonly idempotencyKey?: string; readonly run?: string };
    // A run that is named is stopped once. Without its name, the next one could be meant.
    const mayRepeat = idempotencyKey !== undefined || method === "ping" || run !== undefined;
    return this.#request(method, params, mayRepeat);
  }

  subscribe(topic: string, listener: TopicListener, options: SubscribeOptions = {}): () => void {
    const open = this.#subscriptions.add(topic, listener, options);
    if (this.#state === "open") void open(this.#ask);
    return () => {
      if (!this.#subscriptions.remove(topic, listener) || this.#state !== "open") return;
      this.#request("unsubscribe", { topic }, false).catch(() => {});
    };
  }

  close(): void {
    this.#end(networkError("The client was closed"));
  }

  readonly #ask = (params: Methods["subscribe"]["params"]): Promise<Methods["subscribe"]["result"]> =>
    this.#request("subscribe", params, false);

  #request<Name extends MethodName>(
    method: Name,
    params: Methods[Name]["params"],
    mayRepeat: boolean,
  ): Promise<Methods[Name]["result"]> {
    if (this.#state === "closed") return Promise.reject(this.#error ?? networkError("The client is closed"));
    const frame: RequestFrame = { type: "req", id: String(++this.#count), method, params: { ...params } };
    const { promise, resolve, reject } = Promise.withResolvers<Methods[Name]["result"]>();
    const waiting: Waiting = { frame, mayRepeat, isSent: false, resolve, reject };
    this.#waiting.set(frame.id, waiting);
    if (this.#state === "open") this.#send(waiting);
    return promise;
  }

  #send(waiting: Waiting): void {
    waiting.isSent = true;
    this.#connection?.send(waiting.frame);
  }

  async #connect(): Promise<void> {
    try {
      const { token, ticket } = this.#options;
      const credential = ticket === undefined ? { token: token ?? "" } : { ticket: await ticket() };
      if (this.#state === "closed") return;
      this.#connection = new Connection(this.#url, credential, {
        onOpen: () => this.#opened(),
        onFrame: (frame) => this.#received(frame),
        // The next ticket may be accepted; a token is not.
        onEnd: (isRefused, error) =>
          isRefused && (token !== undefined || error?.code === "NOT_SUPPORTED")
            ? this.#end(error ?? unauthorized())
            : this.#lost(),
      });
    } catch (error) {
      const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
      const isRefused = code === "UNAUTHORIZED" || status === 401;
      if (isRefused) this.#end(error instanceof GatewayError ? error : unauthorized());
      else this.#lost();
    }
  }

  #opened(): void {
    this.#failures = 0;
    this.#enter("open");
    this.#subscriptions.openAll(this.#ask);
    for (const waiting of this.#waiting.values()) if (!waiting.isSent) this.#send(waiting);
  }

  #received(frame: Frame): void {
    if (frame.type === "event") this.#subscriptions.received(frame);
    if (frame.type !== "res") return;
    const waiting = this.#waiting.get(frame.id);
    this.#waiting.delete(frame.id);
    if (frame.ok) waiting?.resolve(frame.result as never);
    else waiting?.reject(new GatewayError(frame.error));
  }

  #lost(): void {
    if (this.#state === "closed") return;
    this.#connection = undefined;
    this.#enter("reconnecting");
    for (const [id, waiting] of this.#waiting) {
      if (!waiting.isSent) continue;
      waiting.isSent = false;
      if (waiting.mayRepeat) continue;
      this.#waiting.delete(id);
      waiting.reject(networkError(`The connection was lost during ${waiting.frame.method}`));
    }
    const limit = Math.min(BACKOFF_MIN_MS * 2 ** this.#failures++, BACKOFF_MAX_MS);
    // Not all clients of a gateway that restarts come at the same time.
    this.#retry = setTimeout(() => void this.#connect(), limit * (0.5 + Math.random() / 2));
  }

  readonly #hurry = (): void => {
    if (this.#state !== "reconnecting" || this.#connection !== undefined) return;
    clearTimeout(this.#retry);
    void this.#connect();
  };

  #end(error: GatewayError): void {
    if (this.#state === "closed") return;
    this.#error = error;
    this.#enter("closed");
    clearTimeout(this.#retry);
    PAGE.removeEventListener?.("online", this.#hurry);
    this.#connection?.close();
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }

  #enter(state: ClientState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state, this.#error);
  }
}

function unauthorized(): GatewayError {
  return new GatewayError({ code: "UNAUTHORIZED", message: "Sign in again", field: null });
}
