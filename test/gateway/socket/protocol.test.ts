import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLOSE } from "../../../src/gateway/wire/frames.ts";
import { until } from "../../support/until.ts";
import { openPlace, type Place } from "../place.ts";
import { RawSocket, refusal } from "./raw-socket.ts";

async function opened(...given: Parameters<typeof openPlace>): Promise<Place> {
  const place = await openPlace(...given);
  onTestFinished(() => place[Symbol.asyncDispose]());
  return place;
}

describe("a connection", () => {
  it("is refused before it is one: other names, other pages, a token in the address", async () => {
    const { port } = await opened();
    const headers = (given: Record<string, string>): { headers: Record<string, string> } => ({
      headers: given,
    });
    expect(await refusal(port, headers({ host: "evil.example" }))).toBe(403);
    expect(await refusal(port, headers({ host: `evil.example:${port}` }))).toBe(403);
    expect(await refusal(port, { origin: "http://evil.example" })).toBe(403);
    expect(await refusal(port, { origin: "null" })).toBe(403);
    expect(await refusal(port, headers({ "sec-fetch-site": "cross-site" }))).toBe(403);
    expect(await refusal(port, {}, "/ws?token=secret")).toBe(404);
    expect(await refusal(port, {}, "/elsewhere")).toBe(404);
    await RawSocket.open(port, { origin: `http://127.0.0.1:${port}` });
  });

  it("signs in with its first frame, and is closed otherwise", async () => {
    const { port, secrets } = await opened();
    const token = secrets.get("read");
    const attempts: [method: string, params: unknown, code: string][] = [
      ["ping", {}, "UNAUTHORIZED"],
      ["subscribe", { topic: "conversations" }, "UNAUTHORIZED"],
      ["auth", { protocol: 1, token: `${token}x` }, "UNAUTHORIZED"],
      ["auth", { protocol: 1, ticket: "made-up" }, "UNAUTHORIZED"],
      ["auth", { protocol: 1 }, "VALIDATION_ERROR"],
      ["auth", { protocol: 1, token, ticket: "both" }, "VALIDATION_ERROR"],
      ["auth", { protocol: 1, token, more: 1 }, "VALIDATION_ERROR"],
      ["auth", { protocol: 2, token }, "NOT_SUPPORTED"],
    ];
    for (const [method, params, code] of attempts) {
      const raw = await RawSocket.open(port);
      expect((await raw.call(method, params))?.error?.code, `${method} ${code}`).toBe(code);
      expect(await raw.closed()).toBe(CLOSE.unauthorized);
    }
    const raw = await RawSocket.open(port);
    const signedIn = await raw.call("auth", { protocol: 1, token });
    expect(signedIn?.result).toMatchObject({ permission: "read", scope: null });
    expect((await raw.call("auth", { protocol: 1, token }))?.error?.code).toBe("NOT_FOUND");
  });

  it("takes a ticket once, for its origin", async () => {
    const { port, auth, secrets } = await opened();
    const origin = `http://127.0.0.1:${port}`;
    const principal = await auth.check(secrets.get("write") ?? "");
    const { ticket } = auth.issueTicket(principal, origin);
    const params = { protocol: 1, ticket };
    const first = await RawSocket.open(port, { origin });
    expect((await first.call("auth", params))?.result).toMatchObject({ permission: "write" });
    const second = await RawSocket.open(port, { origin });
    expect((await second.call("auth", params))?.error?.code).toBe("UNAUTHORIZED");
    const other = { protocol: 1, ticket: auth.issueTicket(principal, origin).ticket };
    const elsewhere = await RawSocket.open(port);
    expect((await elsewhere.call("auth", other))?.error?.code).toBe("UNAUTHORIZED");
  });

  it("has five seconds to sign in, and strangers have little room", async () => {
    const { port } = await opened();
    const strangers = await Promise.all(Array.from({ length: 32 }, () => RawSocket.open(port)));
    expect(await refusal(port, {})).toBe(429);
    for (const stranger of strangers.slice(1)) stranger.socket.terminate();
    expect(await strangers[0]?.closed()).toBe(CLOSE.unauthorized);
    await RawSocket.open(port);
  }, 30_000);

  it("ends when its token is revoked", async () => {
    const place = await opened();
    const raw = await RawSocket.signedIn(place, "write");
    const other = await RawSocket.signedIn(place, "read");
    const { tokenId } = await place.auth.check(place.secrets.get("write") ?? "");
    await place.auth.revokeToken(tokenId, "owner");
    expect(await raw.closed()).toBe(CLOSE.unauthorized);
    expect((await other.call("ping", {}))?.ok).toBe(true);
  });
});

describe("a frame", () => {
  it.each([
    ["not JSON", "{"],
    ["a list", "[]"],
    ["of another type", { type: "res", id: "1", ok: true, result: {} }],
    ["without an id", { type: "req", method: "ping", params: {} }],
    ["with more properties", { type: "req", id: "1", method: "ping", params: {}, more: 1 }],
    ["with a number as id", { type: "req", id: 1, method: "ping", params: {} }],
    ["with a long id", { type: "req", id: "x".repeat(129), method: "ping", params: {} }],
    ["with a prototype", '{"type":"req","id":"1","method":"ping","params":{"__proto__":{}}}'],
    [
      "with a constructor deep inside",
      '{"type":"req","id":"1","method":"messages.append","params":{"conversation":"web:1","messages":[{"role":"user","content":"x","usage":{"constructor":1}}]}}',
    ],
    [
      "that is deep",
      `{"type":"req","id":"1","method":"ping","params":{"a":${"[".repeat(9999)}${"]".repeat(9999)}}}`,
    ],
  ])("%s ends the connection", async (_, frame) => {
    const raw = await RawSocket.signedIn(await opened());
    raw.send(frame);
    expect(await raw.closed()).toBe(CLOSE.protocol);
  });

  it("of bytes, or of more than 1 MiB, ends the connection", async () => {
    const place = await opened();
    const bytes = await RawSocket.signedIn(place);
    bytes.socket.send(Buffer.from("{}"), { binary: true });
    expect(await bytes.closed()).toBe(CLOSE.protocol);
    const large = await RawSocket.signedIn(place);
    large.send({ type: "req", id: "1", method: "ping", params: { text: "x".repeat(1024 * 1024) } });
    expect(await large.closed()).toBe(1009);
  });

  it("is refused for an unknown method, an unknown property and a missing permission", async () => {
    const place = await opened();
    const raw = await RawSocket.signedIn(place, "read");
    const codes: [method: string, params: unknown, code: string][] = [
      ["nothing", {}, "NOT_FOUND"],
      ["constructor", {}, "NOT_FOUND"],
      ["ping", { more: 1 }, "VALIDATION_ERROR"],
      ["subscribe", { topic: "elsewhere" }, "VALIDATION_ERROR"],
      ["subscribe", { topic: "conversation:00000000-0000-7000-8000-000000000000" }, "NOT_FOUND"],
      ["subscribe", { topic: "conversation:web:1" }, "VALIDATION_ERROR"],
      ["chat.send", { text: "Hi", idempotencyKey: "1" }, "FORBIDDEN"],
      ["messages.append", { conversation: "web:1", messages: [{}] }, "FORBIDDEN"],
    ];
    expect(await raw.call("ping", undefined)).toMatchObject({ ok: true });
    for (const [method, params, code] of codes) {
      expect((await raw.call(method, params))?.error?.code, `${method} ${code}`).toBe(code);
    }
  });
});

describe("a client that asks for too much", () => {
  it("is told to wait, and is closed when it does not", async () => {
    const place = await opened();
    const raw = await RawSocket.signedIn(place);
    for (let n = 0; n < 1500 && raw.code === undefined; n++) {
      raw.send({ type: "req", id: `f${n}`, method: "chat.stop", params: { conversation: "web:1" } });
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await raw.closed()).toBe(CLOSE.tooMany);
    const refused = raw.frames.filter(({ error }) => error?.code === "RATE_LIMITED");
    expect(refused.length).toBeGreaterThan(0);
    expect((await (await RawSocket.signedIn(place)).call("ping", {}))?.ok).toBe(true);
  });

  it("and does not read gets a resync and is closed, while others are served", async () => {
    const place = await opened();
    const chat = await place.store.open("web:1");
    const topic = `conversation:${chat.id}`;
    const slow = await RawSocket.signedIn(place);
    await slow.call("subscribe", { topic });
    const good = await RawSocket.signedIn(place);
    await good.call("subscribe", { topic });
    slow.socket.pause();
    const text = "x".repeat(200_000);
    const seen = (): number => good.frames.filter(({ event }) => event === "conversation.entries").length;
    // More than the kernel keeps for a connection, yet soon: a connection that does not close is ended after 30 s.
    for (let n = 1; n <= 100; n++) {
      await chat.append({ role: "user", content: text });
      await until(() => seen() === n);
    }
    slow.socket.resume();
    expect(await slow.closed()).toBe(CLOSE.tooSlow);
    expect(slow.frames.at(-1)).toMatchObject({ event: "resync", data: { reason: "too-slow" } });
    expect((await good.call("ping", {}))?.ok).toBe(true);
  }, 60_000);
});

describe("the scope of a token", () => {
  it("limits topics and rows", async () => {
    const place = await opened({ web: { channels: ["web"] } });
    const [mine, other] = [await place.store.open("web:1"), await place.store.open("cli:1")];
    const raw = await RawSocket.signedIn(place, "web");
    const all = await RawSocket.signedIn(place);
    await all.call("subscribe", { topic: "conversations" });
    await all.call("subscribe", { topic: `conversation:${mine.id}` });
    await raw.call("subscribe", { topic: "conversations" });
    expect((await raw.call("subscribe", { topic: `conversation:${mine.id}` }))?.ok).toBe(true);
    expect((await raw.call("subscribe", { topic: `conversation:${other.id}` }))?.error?.code).toBe(
      "NOT_FOUND",
    );
    await other.update({ title: "Hidden" });
    await mine.update({ title: "Seen" });
    const told = (socket: RawSocket, word: string): boolean => JSON.stringify(socket.frames).includes(word);
    await until(() => told(all, "Hidden") && told(all, "Seen") && told(raw, "Seen"));
    expect(told(raw, "Hidden")).toBe(false);
    // A conversation that leaves the scope takes its topic with it.
    await mine.update({ channel: "cli" });
    await mine.append({ role: "user", content: "Secret" });
    await until(() => told(all, "Secret"));
    expect((await raw.call("ping", {}))?.ok).toBe(true);
    expect(told(raw, "Secret")).toBe(false);
  });
});

it("survives clients that vanish in each state", async () => {
  const place = await opened();
  const chat = await place.store.open("web:1");
  for (const state of ["unsigned", "signed", "subscribed", "asking"]) {
    const raw = state === "unsigned" ? await RawSocket.open(place.port) : await RawSocket.signedIn(place);
    if (state === "subscribed") await raw.call("subscribe", { topic: `conversation:${chat.id}` });
    if (state === "asking") {
      const messages = [{ role: "user", content: "kept" }];
      const params = { conversation: chat.id, messages, idempotencyKey: "1" };
      raw.send({ type: "req", id: "1", method: "messages.append", params });
    }
    raw.socket.terminate();
    await once(raw.socket, "close");
  }
  const raw = await RawSocket.signedIn(place);
  const messages = [{ role: "user", content: "kept" }];
  const again = { conversation: chat.id, messages, idempotencyKey: "1" };
  expect((await raw.call("messages.append", again))?.ok).toBe(true);
  expect((await chat.messages()).items).toHaveLength(1);
});
