/** One WebSocket, from its opening to its end. */
import {
  CLOSE,
  type Frame,
  PROTOCOL_VERSION,
  type RequestFrame,
  type ResponseFrame,
} from "../wire/frames.ts";
import { GatewayError } from "./gateway-error.ts";

export interface ConnectionEvents {
  /** Signed in: requests can be sent. */
  onOpen(): void;
  onFrame(frame: Frame): void;
  /** Called once. `isRefused`: another attempt with the same credential would be refused too. */
  onEnd(isRefused: boolean, error: GatewayError | undefined): void;
}

/** Asked this long after the last frame whether the gateway is still there … */
const QUIET_MS = 25_000;
/** … and given up this much later. */
const ANSWER_MS = 10_000;
const SIGN_IN_ID = "auth";

export class Connection {
  readonly #events: ConnectionEvents;
  readonly #socket: WebSocket;
  #isOpen = false;
  #error: GatewayError | undefined;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;

  constructor(url: string, credential: { token: string } | { ticket: string }, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = new WebSocket(url);
    this.#socket.onopen = () => {
      this.send({
        type: "req",
        id: SIGN_IN_ID,
        method: "auth",
        params: { protocol: PROTOCOL_VERSION, ...credential },
      });
      this.#listen();
    };
    this.#socket.onmessage = ({ data }) => this.#received(JSON.parse(String(data)) as Frame);
    this.#socket.onclose = ({ code }) => this.#end(code === CLOSE.unauthorized);
    this.#socket.onerror = () => this.#end(false);
  }

  send(frame: RequestFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  close(): void {
    this.#socket.close(1000);
    this.#end(false);
  }

  #received(frame: Frame): void {
    if (this.#hasEnded) return;
    this.#listen();
    if (this.#isOpen) this.#events.onFrame(frame);
    else if (frame.type === "res" && frame.id === SIGN_IN_ID) this.#signedIn(frame);
  }

  #signedIn(frame: ResponseFrame): void {
    if (frame.ok) {
      this.#isOpen = true;
      this.#events.onOpen();
      return;
    }
    this.#error = new GatewayError(frame.error);
    this.#socket.close(1000);
    this.#end(["UNAUTHORIZED", "FORBIDDEN", "NOT_SUPPORTED"].includes(frame.error.code));
  }

  /** A connection can be dead without a close: a laptop slept, a cable was pulled. */
  #listen(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      if (this.#isOpen) this.send({ type: "req", id: "ping", method: "ping", params: {} });
      this.#quiet = setTimeout(() => this.close(), ANSWER_MS);
    }, QUIET_MS);
  }

  #end(isRefused: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#quiet);
    this.#events.onEnd(isRefused, this.#error);
  }
}
