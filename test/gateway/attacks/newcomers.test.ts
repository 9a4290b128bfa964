import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../support/until.ts";
import { openPlace } from "../place.ts";

const EACH_MAX = 256;

async function openedPlace() {
  const place = await openPlace();
  onTestFinished(() => place[Symbol.asyncDispose]());
  const dial = (localAddress = "127.0.0.1"): Promise<Socket> => {
    const socket = connect({ host: "127.0.0.1", port: place.port, localAddress });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return once(socket, "connect").then(() => socket);
  };
  const health = async (socket: Socket): Promise<string> => {
    socket.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\n\r\n`);
    const [piece] = await Promise.race([once(socket, "data"), once(socket, "close")]);
    return String(piece).split("\r\n")[0] ?? "";
  };
  const many = (count: number): Promise<Socket[]> => Promise.all(Array.from({ length: count }, () => dial()));
  return { dial, health, many };
}

describe("one client that connects and says nothing", () => {
  it("cannot take the connections of others", { timeout: 30_000 }, async () => {
    const { dial, health, many } = await openedPlace();
    const idle = await many(EACH_MAX + 40);
    // The others are told, after a while, that they took too long.
    const closed = idle.map((socket) => once(socket.resume(), "close"));
    const refused = (): Socket[] => idle.filter((socket) => socket.destroyed && socket.bytesRead === 0);
    await until(() => refused().length >= 40);
    expect(await health(await dial("127.0.0.2"))).toBe("HTTP/1.1 200 OK");
    await Promise.all(closed);
    expect(refused()).toHaveLength(40);
    // There is room again.
    expect(await health(await dial())).toBe("HTTP/1.1 200 OK");
  });

  it("can have more that work", async () => {
    const { dial, health, many } = await openedPlace();
    for (let n = 0; n < 2; n++) {
      const busy = await many(EACH_MAX - 56);
      const answers = await Promise.all(busy.map((socket) => health(socket)));
      expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200 OK"]));
    }
    expect(await health(await dial())).toBe("HTTP/1.1 200 OK");
  });
});
