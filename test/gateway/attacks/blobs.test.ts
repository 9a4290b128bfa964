import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPlace, type Place } from "../place.ts";
import { RawSocket } from "../socket/raw-socket.ts";

const PICTURE = Buffer.from(Array.from({ length: 30_000 }, (_, n) => (n * 7919) % 251)).toString("base64");
const image = (data: string) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});

describe("the files of a token with a scope", () => {
  let place: Place;
  let ours = "";
  let theirs = "";
  let entry = "";
  let hidden = "";
  let seen = "";
  let secret = "";

  const stored = async (id: string, data: string): Promise<readonly [entry: string, hash: string]> => {
    const conversation = await place.store.get(id);
    await conversation?.append({ role: "user", content: [image(data)] } as never);
    const { items } = (await conversation?.messages({ last: 1, blobs: "references" })) ?? { items: [] };
    return [items[0]?.id ?? "", items[0]?.blobs?.[0]?.hash ?? ""];
  };

  beforeAll(async () => {
    place = await openPlace({
      one: { channels: ["web"] },
      two: { channels: ["web"] },
      three: { channels: ["web"] },
    });
    ours = (await place.store.create({ key: "web:ours", channel: "web" })).id;
    theirs = (await place.store.create({ key: "discord:theirs", channel: "discord" })).id;
    [entry, seen] = await stored(ours, PICTURE);
    [hidden, secret] = await stored(theirs, PICTURE.slice(4));
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const get = (conversation: string, of: string, hash: string, as = "one") =>
    place.call(`GET /api/v1/conversations/${conversation}/entries/${of}/blobs/${hash}?type=image/png`, {
      as,
    });

  it("can be read where they belong", async () => {
    const answer = await get(ours, entry, seen);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "image/png"]);
    expect((await get(theirs, hidden, secret, "read")).status).toBe(200);
  });

  it("cannot be read elsewhere", async () => {
    for (const [conversation, of, hash] of [
      [theirs, hidden, secret],
      [ours, entry, secret],
      [ours, hidden, secret],
      [ours, "none", seen],
      [ours, entry, "0".repeat(64)],
      [ours, entry, "..%2f..%2fetc"],
      [ours, entry, "__proto__"],
    ] as const)
      expect((await get(conversation, of, hash)).status).toBe(404);
    expect((await place.call(`GET /api/v1/blobs/${secret}`, { as: "one" })).status).toBe(403);
  });

  const reference = (hash: string) => ({
    role: "user",
    content: [{ type: "image", source: { type: "blob", hash, size: 1, media_type: "image/png" } }],
  });
  const inResult = (hash: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "a", content: reference(hash).content }],
  });

  it.each([
    ["appends over HTTP", `POST messages`],
    ["edits over HTTP", `POST entries/ENTRY/edit`],
  ])("cannot be taken by a message that it %s", async (_, line) => {
    const path = `POST /api/v1/conversations/${ours}/${line.slice(5).replace("ENTRY", entry)}`;
    for (const message of [reference(secret), inResult(secret)]) {
      const answer = await place.call(path, { as: "one", body: { messages: [message] } });
      expect([answer.status, answer.json()]).toMatchObject([404, { error: { code: "NOT_FOUND" } }]);
    }
    // Without a scope, every file may be seen.
    expect((await place.call(path, { as: "write", body: { messages: [reference(secret)] } })).status).toBe(
      201,
    );
  });

  it("cannot be taken over a WebSocket", async () => {
    const socket = await RawSocket.signedIn(place, "one");
    const messages = [reference(secret)];
    expect(await socket.call("messages.append", { conversation: ours, messages })).toMatchObject({
      error: { code: "NOT_FOUND" },
    });
    const attachments = [{ blob: secret, mediaType: "image/png" }];
    const send = { conversation: ours, text: "x", idempotencyKey: "1", attachments };
    expect(await socket.call("chat.send", send)).toMatchObject({ error: { code: "NOT_FOUND" } });
  });

  it("can be sent by the token that stored them, and by no other", async () => {
    const put = await place.call("POST /api/v1/blobs", { as: "one", body: new Uint8Array([1, 2, 3]) });
    const { hash } = put.json<{ hash: string }>();
    const path = `POST /api/v1/conversations/${ours}/messages`;
    const body = { messages: [reference(hash)] };
    expect((await place.call(path, { as: "two", body })).status).toBe(404);
    expect((await place.call(path, { as: "one", body })).status).toBe(201);
  });

  it("can be sent again by a token that read them in its own conversation", async () => {
    const path = `POST /api/v1/conversations/${ours}/messages`;
    const body = { messages: [reference(seen)] };
    expect((await place.call(path, { as: "three", body })).status).toBe(404);
    expect((await get(ours, entry, seen, "three")).status).toBe(200);
    expect((await place.call(path, { as: "three", body })).status).toBe(201);
    // A refused read is no way to them.
    expect((await get(theirs, hidden, secret, "three")).status).toBe(404);
    expect((await place.call(path, { as: "three", body: { messages: [reference(secret)] } })).status).toBe(
      404,
    );
  });
});
