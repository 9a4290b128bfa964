import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../support/until.ts";
import { openPlace, type Place } from "../place.ts";
import { RawSocket } from "../socket/raw-socket.ts";

describe("a client that takes its time", () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const dial = (lines: readonly string[]): { readonly socket: Socket; text(): string } => {
    const socket = connect(place.port, "127.0.0.1");
    const pieces: Buffer[] = [];
    socket.on("error", () => {}).on("data", (piece: Buffer) => pieces.push(piece));
    socket.write(lines.map((line) => `${line}\r\n`).join(""));
    onTestFinished(() => void socket.destroy());
    return { socket, text: () => Buffer.concat(pieces).toString() };
  };

  const BODIES: readonly (readonly [line: string, status: number])[] = [
    ["POST /auth/token", 408],
    ["POST /auth/refresh", 408],
    // These need no body.
    ["GET /health", 400],
    ["GET /nothing", 400],
    // This one is refused before it.
    ["POST /api/v1/conversations", 401],
  ];

  const dripping = async (socket: Socket, piece: string): Promise<void> => {
    const drip = setInterval(() => socket.write(piece), 100);
    onTestFinished(() => clearInterval(drip));
    // A piece that is under way when the gateway closes the connection resets it: that is a close, too.
    await new Promise((resolve) => socket.once("close", resolve));
  };

  it("cannot hold a connection with headers or a body that do not end", async () => {
    const headers = dial(["GET /health HTTP/1.1"]);
    const held = BODIES.map(async ([line, status]) => {
      const { socket, text } = dial([
        `${line} HTTP/1.1`,
        `Host: 127.0.0.1:${place.port}`,
        "Content-Type: application/json",
        "Content-Length: 1000",
        "",
      ]);
      await dripping(socket, " ");
      expect(text()).toContain(`HTTP/1.1 ${status} `);
    });
    await Promise.all([...held, dripping(headers.socket, "X: y\r\n")]);
  }, 30_000);

  it("cannot fill the memory with pongs that it does not read", async () => {
    const raw = await RawSocket.signedIn(place);
    raw.socket.pause();
    const ping = Buffer.alloc(125);
    for (let n = 0; n < 120_000 && raw.code === undefined; n++) {
      raw.socket.ping(ping);
      if (n % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    raw.socket.resume();
    await until(() => raw.code !== undefined);
    expect((await place.call("GET /health")).status).toBe(200);
  }, 60_000);
});
