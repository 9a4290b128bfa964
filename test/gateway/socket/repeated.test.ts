import { expect, it } from "vitest";
import { connectGateway } from "../../../src/gateway/client/index.ts";
import { until } from "../../support/until.ts";
import { chatScene, Watch } from "./chat-place.ts";
import { RawSocket } from "./raw-socket.ts";

it("an unsubscribe that overtakes its subscribe ends it, and leaves no topic behind", async () => {
  const { store, place } = await chatScene([]);
  const raw = await RawSocket.signedIn(place);
  const chat = await store.open("web:1");
  const topic = `conversation:${chat.id}`;
  const answers = (): number => raw.frames.filter(({ type }) => type === "res").length;
  for (let n = 0; n < 250; n++) {
    // At most 128 may be in progress.
    if (n % 50 === 0) await until(() => answers() === 2 * n + 1);
    const { id } = n === 0 ? chat : await store.create();
    for (const method of ["subscribe", "unsubscribe"]) {
      raw.send({ type: "req", id: `${method}${n}`, method, params: { topic: `conversation:${id}` } });
    }
  }
  await until(() => answers() === 501);
  expect(raw.frames.filter(({ ok }) => ok === false)).toEqual([]);
  const other = await RawSocket.signedIn(place);
  await other.call("subscribe", { topic });
  await chat.append({ role: "user", content: "Hello" });
  await until(() => other.frames.some(({ event }) => event === "conversation.entries"));
  // Not any event: that of a new conversation may come while its topic is subscribed to.
  expect(raw.frames.filter(({ event }) => event === "conversation.entries")).toEqual([]);
  expect((await raw.call("subscribe", { topic }))?.ok).toBe(true);
});

it("a connection cannot have more than 200 topics, also if it asks for all at once", async () => {
  const { store, place } = await chatScene([]);
  const raw = await RawSocket.signedIn(place);
  const ids: string[] = [];
  for (let n = 0; n < 210; n++) ids.push((await store.create()).id);
  for (const id of ids.slice(0, 190)) await raw.call("subscribe", { topic: `conversation:${id}` });
  const answers = ids.slice(190).map((id) => raw.call("subscribe", { topic: `conversation:${id}` }));
  expect((await Promise.all(answers)).filter((answer) => answer?.ok)).toHaveLength(10);
});

it("the same wish for another answer, twice at the same time, is one", async () => {
  const { client, store, model } = await chatScene(() => [{ text: "An answer" }]);
  const chat = await store.open("web:1");
  const ada = client();
  const watch = new Watch(ada, `conversation:${chat.id}`);
  const { entry } = await ada.request("chat.send", {
    conversation: chat.id,
    text: "?",
    idempotencyKey: "1",
  });
  await watch.until("chat.done");
  const order = { conversation: chat.id, entry: entry ?? "", idempotencyKey: "2" };
  const again = await Promise.all(Array.from({ length: 8 }, () => ada.request("chat.regenerate", order)));
  expect(new Set(again.map(({ run }) => run)).size).toBe(1);
  await watch.until("chat.done", 2);
  expect(await chat.branches()).toHaveLength(2);
  expect(model.requests).toHaveLength(2);
});

it("a late stop of one answer does not stop the next", async () => {
  const { client, store } = await chatScene([
    [{ text: "One" }, { fault: "hang" }],
    [{ text: "Two" }, { fault: "hang" }],
  ]);
  const chat = await store.open("web:1");
  const ada = client();
  const watch = new Watch(ada, `conversation:${chat.id}`);
  const order = { conversation: chat.id, text: "?" };
  const first = await ada.request("chat.send", { ...order, idempotencyKey: "1" });
  await until(() => watch.text === "One");
  expect(await ada.request("chat.stop", { conversation: chat.id, run: first.run })).toEqual({
    stopped: true,
  });
  await watch.until("chat.done");
  const second = await ada.request("chat.send", { ...order, idempotencyKey: "2" });
  await until(() => watch.text === "Two");
  expect(await ada.request("chat.stop", { conversation: chat.id, run: first.run })).toEqual({
    stopped: false,
  });
  expect(await ada.request("chat.stop", { conversation: chat.id, run: second.run })).toEqual({
    stopped: true,
  });
  await watch.until("chat.done", 2);
});

it("a client without a credential, or with two, is refused before it connects", () => {
  const url = "http://127.0.0.1:1";
  expect(() => connectGateway({ url })).toThrow("Pass a token");
  expect(() => connectGateway({ url, token: "x", ticket: async () => "y" })).toThrow("Pass a token");
});
