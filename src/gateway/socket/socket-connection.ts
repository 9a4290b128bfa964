/** One client: signs in with its first frame, then calls methods and gets events. */
import type { WebSocket } from "ws";
import { checkInput } from "../../agent/index.ts";
import { asColloquyError, ColloquyError, invalid } from "../../errors.ts";
import { assertPermission, type Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import { httpError } from "../http/http-error.ts";
import type { Incoming } from "../http/incoming.ts";
import type { Scope } from "../wire/auth.ts";
import { CLOSE, type Methods, PROTOCOL_VERSION, type RequestFrame } from "../wire/frames.ts";
import { CallLimits } from "./call-limits.ts";
import { resyncFrame } from "./hub.ts";
import type { Method, MethodConnection } from "./method.ts";
import { readFrame } from "./read-frame.ts";

export interface ConnectionOptions {
  readonly socket: WebSocket;
  /** The upgrade. */
  readonly request: Incoming;
  readonly gateway: GatewayContext;
  readonly methods: ReadonlyMap<string, Method>;
  /** How often the methods may be called with a token. */
  readonly limitsOf: (source: string) => CallLimits;
  readonly onSignedIn: () => void;
  readonly onProblem: (problem: ColloquyError) => void;
}

/** A client must say who it is within this time. */
const SIGN_IN_MS = 5000;
/** What a client has not read yet. Frames of events are shared by all clients, so this is a bound, not a cost. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;
const CALLS_MAX = 128;
/** How long a slow reader has for the close frame. */
const CLOSE_MS = 5000;
const TEXT = { binary: false } as const;

const SIGN_IN = {
  type: "object",
  properties: {
    protocol: { type: "integer" },
    token: { type: "string", minLength: 1, maxLength: 8192 },
    ticket: { type: "string", minLength: 1, maxLength: 512 },
  },
  required: ["protocol"],
  additionalProperties: false,
} as const;

export class SocketConnection implements MethodConnection {
  readonly topics: Set<string> = new Set();
  readonly #options: ConnectionOptions;
  /** Of refused requests: only this connection pays for them. */
  readonly #refusals = new CallLimits();
  readonly #calls = new Set<string>();
  #principal: Principal | undefined;
  #isSigningIn = false;
  #isClosing = false;
  #isAlive = true;
  /** The limit of the sign-in. */
  readonly #timer: NodeJS.Timeout;
  /** Ends the watch over the token. */
  #forget: (() => void) | undefined;
  /** Gives its place back. */
  #leave: (() => void) | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { socket } = options;
    this.#timer = setTimeout(() => this.end(CLOSE.unauthorized, "Sign in within 5 seconds"), SIGN_IN_MS);
    socket.on("message", (data, isBinary) => {
      if (isBinary) this.end(CLOSE.protocol, "Frames are text");
      else this.#received(String(data));
    });
    socket.on("ping", (data) => {
      if (this.#isTooSlow()) socket.terminate();
      else socket.pong(data);
    });
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    // A frame that is too large, or not UTF-8: `ws` closes the connection.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed());
  }

  get scope(): Scope | null {
    // Nothing is delivered before the sign-in.
    return this.#principal?.scope ?? null;
  }

  get isOpen(): boolean {
    return !this.#isClosing;
  }

  deliver(frame: Buffer, topic: string, n: number): void {
    if (this.#isClosing) return;
    if (this.#isTooSlow()) {
      this.#options.socket.send(resyncFrame(topic, n, "too-slow"), TEXT);
      this.end(CLOSE.tooSlow, "Events were not read in time");
    } else this.#options.socket.send(frame, TEXT);
  }

  /** Ends a connection that has not answered the last one. */
  ping(): void {
    const { socket } = this.#options;
    if (!this.#isAlive) {
      socket.terminate();
      return;
    }
    this.#isAlive = false;
    socket.ping();
  }

  end(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const { socket } = this.#options;
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  #closed(): void {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    this.#forget?.();
    this.#leave?.();
    const { hub } = this.#options.gateway.live;
    for (const topic of this.topics) hub.unsubscribe(this, topic);
    this.topics.clear();
  }

  #received(text: string): void {
    if (this.#isClosing) return;
    let frame: RequestFrame;
    try {
      frame = readFrame(text);
    } catch (error) {
      this.end(CLOSE.protocol, asColloquyError(error, "Bad frame").message.slice(0, 100));
      return;
    }
    void this.#answer(frame);
  }

  async #answer(frame: RequestFrame): Promise<void> {
    const { id } = frame;
    try {
      if (this.#calls.has(id)) throw invalid("A request with this id is being answered", "id");
      if (this.#calls.size >= CALLS_MAX) {
        throw new ColloquyError("RATE_LIMITED", `At most ${CALLS_MAX} requests can be in progress`);
      }
    } catch (error) {
      this.#refuse(id, error);
      return;
    }
    this.#calls.add(id);
    try {
      const result =
        this.#principal === undefined ? await this.#signIn(frame) : await this.#call(frame, this.#principal);
      this.#send(JSON.stringify({ type: "res", id, ok: true, result }));
    } catch (error) {
      this.#refuse(id, error);
    } finally {
      this.#calls.delete(id);
    }
  }

  async #call({ method: name, params }: RequestFrame, principal: Principal): Promise<unknown> {
    const method = this.#options.methods.get(name);
    if (method === undefined) {
      throw new ColloquyError("NOT_FOUND", "There is no such method", { field: "method" });
    }
    this.#options.limitsOf(principal.source).take(name, method.perMinute);
    assertPermission(principal, method.permission);
    checkInput(method.params, params);
    // The schema says what the type says.
    return method.handle({ params: params as never, principal, connection: this }, this.#options.gateway);
  }

  async #signIn({ method, params }: RequestFrame): Promise<Methods["auth"]["result"]> {
    const { gateway, request, onSignedIn } = this.#options;
    if (method !== "auth" || this.#isSigningIn) throw new ColloquyError("UNAUTHORIZED", "Sign in first");
    this.#isSigningIn = true;
    checkInput(SIGN_IN, params);
    const { protocol, token, ticket } = params as object as Methods["auth"]["params"];
    if (protocol !== PROTOCOL_VERSION) {
      throw new ColloquyError(
        "NOT_SUPPORTED",
        `This gateway speaks version ${PROTOCOL_VERSION} of the protocol`,
        {
          field: "protocol",
        },
      );
    }
    if ((token === undefined) === (ticket === undefined)) throw invalid("Pass a token or a ticket", "token");
    const principal =
      token === undefined
        ? gateway.auth.takeTicket(ticket ?? "", request.header("origin") ?? null)
        : await gateway.auth.check(token, gateway.auth.clientOf(request));
    // Nothing would end the watch over the token of a connection that has gone.
    if (this.#isClosing) throw new ColloquyError("UNAUTHORIZED", "The connection is closed");
    this.#leave = gateway.auth.enter(principal);
    this.#principal = principal;
    clearTimeout(this.#timer);
    this.#forget = gateway.auth.onEnded(principal, () => this.end(CLOSE.unauthorized, "Sign in again"));
    onSignedIn();
    const { user, permission, scope } = principal;
    return { user, permission, scope };
  }

  #refuse(id: string, error: unknown): void {
    const known = asColloquyError(error, "The request failed");
    if (known.code === "INTERNAL_ERROR") this.#options.onProblem(known);
    this.#send(JSON.stringify({ type: "res", id, ok: false, error: httpError(known).body.error }));
    if (this.#principal === undefined && known.code === "RATE_LIMITED")
      this.end(CLOSE.tooMany, "Too many connections");
    else if (this.#principal === undefined) this.end(CLOSE.unauthorized, "Not signed in");
    else if (!this.#refusals.refused()) this.end(CLOSE.tooMany, "Too many refused requests");
  }

  #send(text: string): void {
    if (this.#isClosing) return;
    if (this.#isTooSlow()) this.end(CLOSE.tooSlow, "Answers were not read in time");
    else this.#options.socket.send(text);
  }

  #isTooSlow(): boolean {
    return this.#options.socket.bufferedAmount > UNREAD_BYTES_MAX;
  }
}
