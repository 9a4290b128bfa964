import { expect, it } from "vitest";
import { textOf } from "../../../src/message/text.ts";
import type { Conversation } from "../../../src/store/conversation.ts";
import { openStore } from "../../../src/store/open.ts";
import { until } from "../../support/until.ts";
import { chatScene, Watch } from "./chat-place.ts";
import { killableGateway } from "./killable-gateway.ts";

async function words(chat: Conversation | undefined): Promise<string[]> {
  return ((await chat?.messages()) ?? { items: [] }).items.map(({ message }) => textOf(message));
}

it("a message that is sent during an answer follows it, and is answered next", async () => {
  const { client, store, model } = await chatScene([
    [{ text: "One" }, { fault: "hang" }],
    [{ text: "Two" }],
    [{ text: "Three" }],
  ]);
  const chat = await store.open("web:1");
  const ada = client();
  const watch = new Watch(ada, `conversation:${chat.id}`);
  const send = (text: string): Promise<{ readonly run: string; readonly entry: string | null }> =>
    ada.request("chat.send", { conversation: chat.id, text, idempotencyKey: text });
  const first = await send("A");
  await until(() => watch.text === "One");
  const second = await send("B");
  await watch.until("chat.waiting");
  const told = watch.events.find(({ event }) => event === "chat.waiting");
  expect(told?.data).toEqual({ entry: second.entry, text: "B" });
  expect(await send("B")).toEqual(second);
  await expect(
    ada.request("chat.send", { conversation: chat.id, text: "Other", idempotencyKey: "B" }),
  ).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await words(chat)).toEqual(["A"]);
  const late = new Watch(client(), `conversation:${chat.id}`);
  await late.until("subscribed");
  const [subscribed] = late.events;
  expect(subscribed?.data).toMatchObject({ waiting: [{ entry: second.entry, text: "B" }] });
  // It is kept although its answer is stopped together with the first one.
  await ada.request("chat.stop", { conversation: chat.id, run: first.run });
  await expect.poll(() => words(chat), { timeout: 60_000 }).toEqual(["A", "One", "B"]);
  expect((await chat.messages({ last: 1 })).items[0]?.id).toBe(second.entry);
  const [third, fourth] = await Promise.all([send("C"), send("D")]);
  expect(third.run).not.toBe(fourth.run);
  await watch.until("chat.done", 3);
  expect(await words(chat)).toEqual(["A", "One", "B", "C", "Two", "D", "Three"]);
  expect(await send("B")).toEqual(second);
  expect((await store.jobs.list()).items).toEqual([]);
  expect(model.requests).toHaveLength(3);
});

it("follows the text that a killed gateway left, whether it was sent before the kill or after", async () => {
  const { target, start } = await killableGateway([
    [{ text: "Half " }, { fault: "hang" }],
    [{ text: "Two" }],
    [{ text: "Three" }],
  ]);
  const first = await start();
  const { conversation } = await first.client.request("chat.send", { text: "A", idempotencyKey: "1" });
  const watch = new Watch(first.client, `conversation:${conversation}`);
  await until(() => watch.text === "Half ");
  await first.client.request("chat.send", { conversation, text: "B", idempotencyKey: "2" });
  await first.kill();
  const second = await start();
  await second.client.request("chat.send", { conversation, text: "C", idempotencyKey: "3" });
  await using store = await openStore(target, { readonly: true });
  const chat = await store.get(conversation);
  await expect.poll(() => words(chat), { timeout: 60_000 }).toEqual(["A", "Half ", "B", "Two", "C", "Three"]);
}, 90_000);
