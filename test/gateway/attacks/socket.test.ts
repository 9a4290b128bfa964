import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { OWNER } from "../../../src/gateway/auth/principal.ts";
import { CLOSE } from "../../../src/gateway/wire/frames.ts";
import { openPlace, type Place } from "../place.ts";

type Headers = Readonly<Record<string, string>>;
interface Heard {
  readonly frames: unknown[];
  /** The code of the close, or the HTTP status of a refusal. */
  readonly closed: Promise<number>;
  /** The same, or 0 if it was let in. */
  readonly refused: Promise<number>;
  readonly socket: WebSocket;
}

/** Sends frames as they are, and notes what comes back. */
function dial(
  place: Place,
  frames: readonly (string | Buffer | object)[],
  headers: Headers = {},
  path = "/ws",
): Heard {
  const socket = new WebSocket(`ws://127.0.0.1:${place.port}${path}`, { headers, perMessageDeflate: true });
  const heard: unknown[] = [];
  socket.on("message", (data) => heard.push(JSON.parse(String(data))));
  socket.on("open", () => {
    for (const frame of frames)
      socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  });
  const closed = new Promise<number>((resolve) => {
    socket.on("close", (code) => resolve(code));
    socket.on("unexpected-response", (_, response) => {
      socket.terminate();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", () => {});
  });
  const welcome = new Promise<number>((resolve) => {
    socket.on("message", (data) => {
      if (JSON.parse(String(data)).ok === true) resolve(0);
    });
  });
  return { frames: heard, closed, refused: Promise.race([closed, welcome]), socket };
}

const req = (method: string, params: object, id = "1"): object => ({ type: "req", id, method, params });
const auth = (params: object): object => req("auth", { protocol: 1, ...params });

const NEW = { name: "x", user: OWNER, permission: "read", scope: null, expiresAt: null } as const;

describe("a connection of a stranger", () => {
  let place: Place;
  const token = (name = "admin"): string => place.secrets.get(name) ?? "";
  const origin = (): string => `http://127.0.0.1:${place.port}`;
  const ticket = async (from: string | null = origin()): Promise<string> =>
    place.auth.issueTicket(await place.auth.check(token()), from).ticket;
  beforeAll(async () => {
    place = await openPlace();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it.each<readonly [string, Headers, string, number]>([
    ["from another site", { origin: "http://evil.example" }, "/ws", 403],
    ["from a page without an origin", { origin: "null" }, "/ws", 403],
    ["from another port of this machine", { origin: "http://127.0.0.1:1" }, "/ws", 403],
    ["for another name", { host: "rebind.evil.example" }, "/ws", 403],
    ["that the browser calls cross-site", { "sec-fetch-site": "cross-site" }, "/ws", 403],
    ["that the browser calls same-site", { "sec-fetch-site": "same-site" }, "/ws", 403],
    ["with a token in the URL", {}, "/ws?token=x", 404],
    ["at another address", {}, "/api/v1/conversations", 404],
  ])("does not open %s", async (_, headers, path, status) => {
    expect(await dial(place, [], headers, path).closed).toBe(status);
  });

  it("that is refused cannot be held open", async () => {
    const socket = connect({ port: place.port, host: "127.0.0.1", allowHalfOpen: true });
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.on("error", () => resolve()).on("data", () => {});
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await once(socket, "end");
    // Our side stays open: writing fails once the gateway has dropped the connection.
    const writes = setInterval(() => socket.write("x"), 20);
    onTestFinished(() => {
      clearInterval(writes);
      socket.destroy();
    });
    await promise;
  }, 20_000);

  it.each<readonly [string, (string | Buffer | object)[], number]>([
    ["another method first", [req("search", { q: "x" })], CLOSE.unauthorized],
    ["a wrong token", [auth({ token: "cqt_wrong" })], CLOSE.unauthorized],
    ["an empty token", [auth({ token: "" })], CLOSE.unauthorized],
    ["a token that is an object", [auth({ token: { $ne: 1 } })], CLOSE.unauthorized],
    ["neither token nor ticket", [auth({})], CLOSE.unauthorized],
    ["an unknown property", [auth({ token: "x", admin: true })], CLOSE.unauthorized],
    ["another protocol", [req("auth", { protocol: 99, token: "x" })], CLOSE.unauthorized],
    [
      "requests before the answer to its sign-in",
      [auth({ token: "x" }), req("search", { q: "x" }, "2")],
      CLOSE.unauthorized,
    ],
    ["text that is not JSON", ["hello"], CLOSE.protocol],
    ["a frame of another type", [{ type: "event", event: "x", n: 1 }], CLOSE.protocol],
    [
      "a frame with __proto__",
      ['{"type":"req","id":"1","method":"auth","params":{},"__proto__":{"x":1}}'],
      CLOSE.protocol,
    ],
    [
      "a frame that is nested a thousand levels",
      [`{"type":"req","id":"1","method":"auth","params":{"a":${"[".repeat(1000)}${"]".repeat(1000)}}}`],
      CLOSE.protocol,
    ],
    ["bytes", [Buffer.from([0, 1, 2])], CLOSE.protocol],
    ["two megabytes", ["x".repeat(2 * 1024 * 1024)], 1009],
  ])("is closed after %s", async (_, frames, code) => {
    const heard = dial(place, frames);
    expect(await heard.refused).toBe(code);
    expect(heard.frames.filter((frame) => (frame as { ok?: boolean }).ok === true)).toEqual([]);
  });

  it("does not sign in with the cookie of the browser", async () => {
    const access = token();
    const heard = dial(place, [req("search", { q: "x" })], {
      cookie: `colloquy-access-${place.port}=${access}`,
    });
    expect(await heard.closed).toBe(CLOSE.unauthorized);
  });

  it.each<readonly [string, () => Promise<string>, string]>([
    ["from another origin", () => ticket("http://127.0.0.1:1"), "OURS"],
    ["of a program, in a browser", () => ticket(null), "OURS"],
    ["of a browser, in a program", () => ticket(), ""],
    [
      "that was used",
      async () => {
        const used = await ticket();
        place.auth.takeTicket(used, origin());
        return used;
      },
      "OURS",
    ],
    ["that it made up", async () => `cqw_${"A".repeat(43)}`, "OURS"],
    ["that is a token", async () => token(), "OURS"],
    [
      "of a token that was revoked",
      async () => {
        const made = await place.auth.createToken(NEW);
        const principal = await place.auth.check(made.secret);
        const spent = place.auth.issueTicket(principal, origin()).ticket;
        await place.auth.revokeToken(made.info.id, OWNER);
        return spent;
      },
      "OURS",
    ],
  ])("is closed with a ticket %s", async (_, issue, from) => {
    const headers: Headers = from === "" ? {} : { origin: origin() };
    expect(await dial(place, [auth({ ticket: await issue() })], headers).refused).toBe(CLOSE.unauthorized);
  });

  it("cannot open a second one with a ticket while the first is open", async () => {
    const once = await ticket();
    const first = dial(place, [auth({ ticket: once })], { origin: origin() });
    await expect.poll(() => first.frames).toMatchObject([{ ok: true }]);
    expect(await dial(place, [auth({ ticket: once })], { origin: origin() }).refused).toBe(
      CLOSE.unauthorized,
    );
    first.socket.close();
  });

  it("cannot send a ticket or a token where the other one is wanted", async () => {
    const answer = await place.call("GET /api/v1/conversations", { as: await ticket() });
    expect(answer.status).toBe(401);
  });

  it("is closed when its token is revoked", async () => {
    const made = await place.auth.createToken(NEW);
    const heard = dial(place, [auth({ token: made.secret })]);
    await expect.poll(() => heard.frames).toMatchObject([{ ok: true }]);
    await place.auth.revokeToken(made.info.id, OWNER);
    expect(await heard.closed).toBe(CLOSE.unauthorized);
  });

  it("gets no more events on a stream whose token was revoked", async () => {
    const made = await place.auth.createToken({ ...NEW, name: "stream" });
    const headers = { authorization: `Bearer ${made.secret}` };
    const asked = get({ host: "127.0.0.1", port: place.port, path: "/api/v1/changes", headers });
    const [stream] = await once(asked, "response");
    stream.resume();
    await place.auth.revokeToken(made.info.id, OWNER);
    await once(stream, "end");
  });

  it("cannot write with a token that only reads", async () => {
    const params = { conversation: "web:x", messages: [{ role: "user", content: "x" }] };
    const heard = dial(place, [auth({ token: token("read") })]);
    await expect.poll(() => heard.frames).toHaveLength(1);
    heard.socket.send(JSON.stringify(req("messages.append", params, "2")));
    await expect.poll(() => heard.frames[1]).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
    heard.socket.close();
  });

  it.each(["__proto__", "constructor", "toString", "eval", "../auth", "AUTH"])(
    "cannot call %s",
    async (name) => {
      const heard = dial(place, [auth({ token: token() })]);
      await expect.poll(() => heard.frames).toHaveLength(1);
      heard.socket.send(JSON.stringify(req(name, {}, "2")));
      await expect.poll(() => heard.frames[1]).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
      heard.socket.close();
    },
  );

  it("is closed when it floods the gateway with frames that are refused", async () => {
    const heard = dial(place, [auth({ token: token() })]);
    await expect.poll(() => heard.frames).toHaveLength(1);
    for (let n = 0; n < 1000; n++) heard.socket.send(JSON.stringify(req("nothing", {}, `n${n}`)));
    expect(await heard.closed).toBe(CLOSE.tooMany);
    expect(heard.frames.length).toBeLessThan(500);
  });

  it("gets no compression, which would tell secrets by their length", async () => {
    const heard = dial(place, []);
    await once(heard.socket, "open");
    expect(heard.socket.extensions).toBe("");
    heard.socket.terminate();
  });

  it("cannot take all places with connections that never sign in", async () => {
    const idle = Array.from({ length: 70 }, () => dial(place, []));
    const last = dial(place, []);
    expect(await last.closed).toBe(429);
    for (const { socket } of idle) socket.terminate();
    await Promise.all(idle.map(({ closed }) => closed));
  });

  it("cannot upgrade a connection with a body behind it", async () => {
    const socket = connect(place.port, "127.0.0.1");
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\nGET /api/v1/tokens HTTP/1.1\r\n\r\n`,
    );
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400/);
    socket.destroy();
  });
});
