import { expect, it } from "vitest";
import type { ConversationDetails } from "../../../src/gateway/wire/rest.ts";
import { chatScene, Watch } from "./chat-place.ts";

it("the model that was chosen for a conversation writes its answers and its summaries", async () => {
  const { client, store, model, place } = await chatScene(() => [{ text: "An answer" }]);
  const chat = await store.open("web:1");
  const ada = client();
  const watch = new Watch(ada, `conversation:${chat.id}`);
  const asked = (): unknown => model.requests.at(-1)?.body.model;
  const path = `/api/v1/conversations/${chat.id}`;
  const send = (idempotencyKey: string, more = {}): Promise<unknown> =>
    ada.request("chat.send", { conversation: chat.id, text: "Hello", idempotencyKey, ...more });

  await send("1");
  await watch.until("chat.done", 1);
  expect(asked()).toBe("small");
  const changed = await place.call(`PATCH ${path}`, { body: { model: "local/large" } });
  expect(changed.json<ConversationDetails>().answeredBy.model).toBe("local/large");
  await send("2");
  await watch.until("chat.done", 2);
  expect(asked()).toBe("large");
  expect(watch.all("chat.started").map(({ model: name }) => name)).toEqual(["local/small", "local/large"]);
  await send("3", { model: "local/small" });
  await watch.until("chat.done", 3);
  expect(asked()).toBe("small");
  expect((await place.call(`POST ${path}/compactions`, { body: { keepMessages: 1 } })).status).toBe(201);
  expect(asked()).toBe("large");
  await place.call(`PATCH ${path}`, { body: { model: null } });
  await send("4");
  await watch.until("chat.done", 4);
  expect(asked()).toBe("small");
});

it("a conversation that was begun with a model keeps it", async () => {
  const { client, store, model } = await chatScene(() => [{ text: "An answer" }]);
  const ada = client();
  const order = { text: "Hello", idempotencyKey: "1", model: "local/large" };
  const { conversation } = await ada.request("chat.send", order);
  expect((await store.info(conversation))?.model).toBe("local/large");
  const watch = new Watch(ada, `conversation:${conversation}`);
  await ada.request("chat.send", { conversation, text: "And?", idempotencyKey: "2" });
  await expect.poll(() => model.requests.length).toBe(2);
  expect(model.requests.map(({ body }) => body.model)).toEqual(["large", "large"]);
  await watch.until("chat.done");
});
