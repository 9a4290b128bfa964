/** A client without manners: it sends what a test tells it to. */
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { until } from "../../support/until.ts";
import type { Place } from "../place.ts";

export interface Answered {
  readonly type?: string;
  readonly id?: string;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly field: string | null };
  readonly event?: string;
  readonly n?: number;
}

export class RawSocket {
  readonly socket: WebSocket;
  readonly frames: Answered[] = [];
  /** How the gateway closed it. */
  code: number | undefined;
  #count = 0;

  constructor(port: number, options: ClientOptions = {}, path = "/ws") {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
    this.socket.on("message", (data) => this.frames.push(JSON.parse(String(data))));
    this.socket.on("close", (code) => {
      this.code = code;
    });
    this.socket.on("error", () => {});
    onTestFinished(() => this.socket.terminate());
  }

  static async open(port: number, options: ClientOptions = {}): Promise<RawSocket> {
    const raw = new RawSocket(port, options);
    await once(raw.socket, "open");
    return raw;
  }

  static async signedIn(place: Place, as = "admin"): Promise<RawSocket> {
    const raw = await RawSocket.open(place.port);
    await raw.call("auth", { protocol: 1, token: place.secrets.get(as) ?? as });
    return raw;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** The answer, or `undefined` if the connection was closed instead. */
  async call(method: string, params: unknown): Promise<Answered | undefined> {
    const id = `r${++this.#count}`;
    this.send({ type: "req", id, method, params });
    const answer = (): Answered | undefined => this.frames.find((frame) => frame.id === id);
    await until(() => answer() !== undefined || this.code !== undefined);
    return answer();
  }

  async closed(): Promise<number> {
    await until(() => this.code !== undefined);
    return this.code as number;
  }
}

/** The status of a refused upgrade. */
export function refusal(port: number, options: ClientOptions, path = "/ws"): Promise<number> {
  const { socket } = new RawSocket(port, options, path);
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (_, response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    socket.on("open", () => reject(new Error("The upgrade was not refused")));
  });
}
