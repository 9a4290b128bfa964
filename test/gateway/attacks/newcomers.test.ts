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
  it("cannot take the connections of others", async () => {
    const { dial, health, many } = await openedPlace();
    const idle = await many(EACH_MAX + 40);
    const closed = (): number => idle.filter((socket) => socket.destroyed || socket.readableEnded).length;
    for (const socket of idle) socket.resume();
    await until(() => closed() >= 40);
    expect(closed()).toBe(40);
    expect(await health(await dial("127.0.0.2"))).toBe("HTTP/1.1 200 OK");
    expect(await health(await dial())).not.toContain("200");
    // Those that leave, or ask for something, make room.
    idle.find((socket) => !socket.destroyed)?.destroy();
    await expect.poll(async () => health(await dial())).toBe("HTTP/1.1 200 OK");
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
