import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AgentLoop } from "../../../src/agent/index.ts";
import { Chats } from "../../../src/gateway/chat/chats.ts";
import { Conversation } from "../../../src/store/conversation.ts";
import { openStore } from "../../../src/store/open.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { chatScene, Watch } from "./chat-place.ts";
import { RawSocket } from "./raw-socket.ts";

describe("an answer that another store writes, as another process does", () => {
  it("is streamed to those who watch, with each of its steps", async () => {
    const target = `sqlite:${join(tempFolder(), "store.db")}`;
    const [store, other] = [await openStore(target), await openStore(target)];
    onTestFinished(async () => {
      await other.close();
      await store.close();
    });
    const { client } = await chatScene([], { store });
    const chat = await store.open("cli:1");
    const [early, late] = [new Watch(client(), `conversation:${chat.id}`), Promise.withResolvers<void>()];
    await early.until("subscribed");
    const model = scriptedModel([["One ", "two ", () => late.promise, "three"]]);
    const answered = new AgentLoop({ store: other, key: "cli:1", model }).run("Count");
    await until(() => early.text === "One two ");
    const watch = new Watch(client(), `conversation:${chat.id}`);
    await watch.until("subscribed");
    expect(watch.text).toBe("One two ");
    late.resolve();
    const { reply } = await answered;
    for (const one of [early, watch]) {
      await one.until("chat.done");
      expect(one.text).toBe(reply);
    }
    expect(early.all("chat.started")).toHaveLength(1);
  });
});

describe("a new conversation without a title", () => {
  it("is listed with its first and last words", async () => {
    const { client, store } = await chatScene([]);
    const list = new Watch(client(), "conversations");
    await list.until("subscribed");
    const chat = await store.open("discord:dm:1");
    await chat.append([
      { role: "user", content: "Where is Lisbon?" },
      { role: "assistant", content: "In Portugal." },
    ]);
    const rows = () => list.all("conversation.changed").map(({ info }) => info);
    await until(() => rows().some((row) => row?.messageCount === 2));
    expect(rows().at(-1)).toMatchObject({ firstWords: "Where is Lisbon?", lastWords: "In Portugal." });
    await chat.update({ title: "Cities" });
    await until(() => rows().at(-1)?.title === "Cities");
    expect(rows().at(-1)).toMatchObject({ firstWords: null });
  });
});

it("an answer that another store writes has not ended because its watcher has left", async () => {
  const target = `sqlite:${join(tempFolder(), "store.db")}`;
  const [store, other] = [await openStore(target), await openStore(target)];
  onTestFinished(async () => {
    await other.close();
    await store.close();
  });
  const { place } = await chatScene([], { store });
  const chat = await store.open("cli:1");
  const topic = `conversation:${chat.id}`;
  const raw = await RawSocket.signedIn(place);
  const pieces = Array.from({ length: 300 }, () => Promise.withResolvers<void>());
  const model = scriptedModel([["One ", ...pieces.flatMap(({ promise }) => [() => promise, "more "])]]);
  const answered = new AgentLoop({ store: other, key: "cli:1", model }).run("Count");
  const turnText = async (): Promise<string | undefined> => (await chat.turn())?.text;
  await expect.poll(turnText, { timeout: 60_000 }).toBe("One ");
  const first = await raw.call("subscribe", { topic });
  const { stream, n } = (first as { result: { stream: string; n: number } }).result;
  await until(() => JSON.stringify(raw.frames).includes("One "));
  raw.socket.terminate();
  await raw.closed();
  // The gateway sees that nobody watches with the first piece of text after it has noticed the cut.
  let released = 0;
  const isRunning = async (): Promise<unknown> => {
    pieces[released++]?.resolve();
    return (await place.call(`GET /api/v1/conversations/${chat.id}`)).json().running;
  };
  await expect.poll(isRunning, { timeout: 60_000, interval: 200 }).toBe(false);
  const back = await RawSocket.signedIn(place);
  await back.call("subscribe", { topic, after: n, stream });
  expect(JSON.stringify(back.frames)).not.toContain("chat.done");
  for (const { resolve } of pieces) resolve();
  await answered;
  await until(() => JSON.stringify(back.frames).includes("chat.done"));
});

it("a conversation in which nothing is expected is looked at once for each watcher", async () => {
  const looks = vi.spyOn(Conversation.prototype, "turn");
  onTestFinished(() => looks.mockRestore());
  const { store, place } = await chatScene([]);
  const chat = await store.open("web:1");
  await chat.append([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hello to you" },
  ]);
  const raw = await RawSocket.signedIn(place);
  for (let n = 0; n < 3; n++) await raw.call("subscribe", { topic: `conversation:${chat.id}` });
  await sleep(500);
  // And once more if the feed tells of the append only now.
  expect(looks.mock.calls.length).toBeLessThanOrEqual(4);
});

it("gives up on an answer that does not end when it is stopped", async () => {
  await using store = await openStore("ephemeral:");
  const never = new Promise<never>(() => {});
  const chats = new Chats({
    redaction: undefined,
    agentFor: () => never,
    publish: () => () => {},
    onRunning: () => {},
    onProblem: () => {},
  });
  const conversation = await store.create();
  const order = { run: "1", conversation, entry: null, lookup: "all", model: undefined } as const;
  chats.order({ ...order, work: () => never });
  await chats.close(1, 1);
  expect(chats.isRunning(conversation.id)).toBe(true);
});

describe("a gateway that is closed", () => {
  it("lets an answer finish, and refuses new ones", async () => {
    const rest = Promise.withResolvers<void>();
    const { client, store, place } = await chatScene([
      [{ text: "Nearly " }, { until: rest.promise }, { text: "done" }],
    ]);
    const chat = await store.open("web:1");
    const ada = client();
    const watch = new Watch(ada, `conversation:${chat.id}`);
    await ada.request("chat.send", { conversation: chat.id, text: "?", idempotencyKey: "1" });
    await until(() => watch.text === "Nearly ");
    const closed = place.gateway.close();
    const more = { conversation: chat.id, text: "!", idempotencyKey: "2" };
    await expect(ada.request("chat.send", more)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    rest.resolve();
    await closed;
    const { items } = await chat.messages();
    expect(items.map(({ message }) => message.endState)).toEqual([undefined, "finished"]);
    expect(watch.all("chat.done")).toMatchObject([{ state: "finished" }]);
  });
});

it("gives browsers a client of less than 4 kB", async () => {
  await using bundle = await rolldown({ input: "src/gateway/client/index.ts", platform: "browser" });
  const { output } = await bundle.generate({ minify: true });
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(4096);
});
