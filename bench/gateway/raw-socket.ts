/**
 * A WebSocket that asks the same question again and again, and reads no more of an answer than that it is a success.
 *
 * The clients share the processors with the gateway: what they cost would count as its cost.
 */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Socket } from "node:net";

const SUCCESS = Buffer.from('"ok":true');
/** The length of a longer frame is in the next two bytes. */
const SHORT_MAX = 125;
const LENGTH_MAX = 0xff_ff;
const PING = 0x89;
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

export class RawSocket {
  readonly #socket: Socket;
  #left = 0;
  #done: (error?: Error) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay();
    socket.on("data", (bytes: Buffer) => this.#received(bytes));
    socket.on("close", () => this.#done(new Error("The connection was closed")));
  }

  static open(url: string): Promise<RawSocket> {
    const headers = {
      ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
      "sec-websocket-key": randomBytes(16).toString("base64"),
    };
    return new Promise((resolve, reject) => {
      request(`${url}/ws`, { headers })
        .on("upgrade", (_, socket: Socket) => resolve(new RawSocket(socket)))
        .on("response", ({ statusCode }) => reject(new Error(`Status ${statusCode}`)))
        .on("error", reject)
        .end();
    });
  }

  /** Resolves when the answer is complete. One question at a time. */
  ask(frame: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = (error) => (error === undefined ? resolve() : reject(error));
      this.#socket.write(frame);
    });
  }

  #received(bytes: Buffer): void {
    const rest = bytes.subarray(this.#left);
    const isComplete = this.#left > 0 && this.#left <= bytes.length;
    this.#left = Math.max(0, this.#left - bytes.length);
    if (rest.length > 0) this.#begun(rest);
    else if (isComplete) this.#done();
  }

  /** The first bytes of a frame. */
  #begun(bytes: Buffer): void {
    const length = bytes.readUInt8(1);
    if (bytes[0] === PING) {
      this.#socket.write(PONG);
      this.#received(bytes.subarray(2));
    } else if (length > SHORT_MAX + 1 || !bytes.includes(SUCCESS)) {
      this.#done(new Error(`Refused: ${bytes.toString("utf8", 0, 500)}`));
    } else {
      this.#left = length > SHORT_MAX ? 4 + bytes.readUInt16BE(2) : 2 + length;
      this.#received(bytes);
    }
  }
}

/** A text as a client sends it. */
export function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > LENGTH_MAX) throw new Error("The frame is too long");
  const header = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  const mask = randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([header, mask, masked]);
}
