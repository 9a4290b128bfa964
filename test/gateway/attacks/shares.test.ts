import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CLOSE } from "../../../src/gateway/wire/frames.ts";
import { openPlace, type Place } from "../place.ts";
import { RawSocket } from "../socket/raw-socket.ts";

describe("one client among many", () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace({}, { config: { gateway: { trustedProxies: ["127.0.0.1"] } } });
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const signedIn = async (token: string): Promise<string> => {
    const answer = await place.call("POST /auth/token", { as: null, body: { token } });
    return answer.json<{ accessToken: string }>().accessToken;
  };

  it("cannot take the places of others that have not signed in yet", async () => {
    const dial = (address: string) =>
      new WebSocket(`ws://127.0.0.1:${place.port}/ws`, { headers: { "x-forwarded-for": address } }).on(
        "error",
        () => {},
      );
    const idle = Array.from({ length: 40 }, () => dial("198.51.100.7"));
    const refused = await Promise.all(
      idle.map((socket) =>
        Promise.race([
          once(socket, "open").then(() => false),
          once(socket, "unexpected-response").then(() => true),
        ]),
      ),
    );
    expect(refused.filter(Boolean)).toHaveLength(8);
    const other = dial("198.51.100.8");
    await once(other, "open");
    for (const socket of [...idle, other]) socket.terminate();
  });

  it("cannot take the connections of others with one token, however often it signs in", async () => {
    const token = place.secrets.get("read") ?? "";
    const leave = Array.from({ length: 1024 }, () => place.auth.check(token)).map(async (principal) =>
      place.auth.enter(await principal),
    );
    await Promise.all(leave);
    for (const credential of [token, await signedIn(token)]) {
      const socket = await RawSocket.open(place.port);
      expect(await socket.call("auth", { protocol: 1, token: credential })).toMatchObject({
        error: { code: "RATE_LIMITED" },
      });
      expect(await socket.closed()).toBe(CLOSE.tooMany);
      expect((await place.call("GET /api/v1/changes", { as: credential })).status).toBe(429);
    }
    (await leave[0])?.();
    expect((await place.call("GET /api/v1/changes", { as: token })).status).toBe(200);
    expect((await RawSocket.signedIn(place, "write")).frames).toMatchObject([{ ok: true }]);
  });

  it("cannot call a method more often by opening more connections", async () => {
    const token = place.secrets.get("write") ?? "";
    const call = async (credential: string): Promise<number> => {
      const socket = await RawSocket.open(place.port);
      await socket.call("auth", { protocol: 1, token: credential });
      const calls = Array.from({ length: 40 }, () =>
        socket.call("chat.resume", { conversation: "web:none" }),
      );
      const answers = await Promise.all(calls);
      return answers.filter((answer) => answer?.error?.code === "NOT_FOUND").length;
    };
    expect(await call(token)).toBe(40);
    // Twenty, and one for each second that has passed.
    expect(await call(await signedIn(token))).toBeLessThan(40);
    expect(await call(place.secrets.get("admin") ?? "")).toBe(40);
  });
});
