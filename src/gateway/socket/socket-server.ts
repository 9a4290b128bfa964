/** The WebSocket side of a gateway, at `/ws`. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { ColloquyError } from "../../errors.ts";
import type { GatewayContext } from "../context.ts";
import type { AllowedHosts } from "../http/allowed-hosts.ts";
import { httpError } from "../http/http-error.ts";
import { IncomingRequest } from "../http/incoming.ts";
import { CallLimits } from "./call-limits.ts";
import type { Method } from "./method.ts";
import { METHODS } from "./methods/table.ts";
import { SocketConnection } from "./socket-connection.ts";

const PATH = "/ws";
const FRAME_BYTES_MAX = 1024 * 1024;
const PING_MS = 20_000;
const GOING_AWAY = 1001;
/** How long clients have to answer the close. */
const FAREWELL_MS = 1000;
const LOOK_MS = 5;

export class SocketServer {
  readonly #gateway: GatewayContext;
  readonly #hosts: AllowedHosts;
  readonly #onProblem: (problem: ColloquyError) => void;
  readonly #server: WebSocketServer;
  readonly #methods: ReadonlyMap<string, Method> = new Map(METHODS.map((method) => [method.name, method]));
  readonly #connections = new Set<SocketConnection>();
  readonly #pings: NodeJS.Timeout;
  /** Of each token, for all of its connections. */
  readonly #limits = new Map<string, CallLimits>();
  #isClosing = false;

  constructor(gateway: GatewayContext, hosts: AllowedHosts, onProblem: (problem: ColloquyError) => void) {
    this.#gateway = gateway;
    this.#hosts = hosts;
    this.#onProblem = onProblem;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
      // A connection answers pings itself, as long as it is read.
      autoPong: false,
    });
    this.#pings = setInterval(() => {
      for (const connection of this.#connections) connection.ping();
      const nowMs = performance.now();
      for (const [source, limits] of this.#limits) if (limits.isIdle(nowMs)) this.#limits.delete(source);
    }, PING_MS).unref();
  }

  /** For the `upgrade` event of an HTTP server. */
  readonly upgrade = (message: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // One that vanishes before it is a WebSocket.
    socket.on("error", () => {});
    const request = new IncomingRequest(message);
    const { auth } = this.#gateway;
    let leave: () => void;
    try {
      auth.assertPeer(request);
      this.#hosts.check(request);
      checkSite(request);
      this.#assertOpen(message.url ?? "");
      leave = auth.enterAsStranger(auth.clientOf(request));
    } catch (error) {
      refuse(socket, error);
      return;
    }
    socket.once("close", leave);
    this.#server.handleUpgrade(message, socket, head, (webSocket) => {
      const connection = new SocketConnection({
        socket: webSocket,
        request,
        gateway: this.#gateway,
        methods: this.#methods,
        limitsOf: (source) => this.#limitsOf(source),
        onSignedIn: leave,
        onProblem: this.#onProblem,
      });
      this.#connections.add(connection);
      webSocket.on("close", () => this.#connections.delete(connection));
    });
  };

  /** Clients read what was sent before, and connect again when the gateway is back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#pings);
    for (const connection of this.#connections) connection.end(GOING_AWAY, "The gateway is stopping");
    const deadline = performance.now() + FAREWELL_MS;
    while (this.#connections.size > 0 && performance.now() < deadline) await sleep(LOOK_MS);
    for (const connection of this.#connections) connection.terminate();
  }

  #limitsOf(source: string): CallLimits {
    const limits = this.#limits.get(source) ?? new CallLimits();
    this.#limits.set(source, limits);
    return limits;
  }

  #assertOpen(url: string): void {
    // The query could only be a token, which does not belong in an address.
    if (url !== PATH) throw new ColloquyError("NOT_FOUND", `WebSockets are at ${PATH}, without a query`);
    if (this.#isClosing) throw new ColloquyError("SERVICE_UNAVAILABLE", "The gateway is stopping");
  }
}

/** An upgrade is a GET, but not one that a link can cause: only our own page may send it. */
function checkSite(request: IncomingRequest): void {
  const site = request.header("sec-fetch-site");
  if (site === undefined || site === "same-origin") return;
  throw new ColloquyError("FORBIDDEN", "Requests of other sites are refused", { field: "Sec-Fetch-Site" });
}

function refuse(socket: Duplex, error: unknown): void {
  const { status, body } = httpError(error);
  const text = JSON.stringify(body);
  // An upgraded connection has no time limits any more, and its other side may stay open for ever.
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
