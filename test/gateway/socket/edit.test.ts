import { expect, it } from "vitest";
import { chatScene, Watch } from "./chat-place.ts";

/** A white pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";

it("an edited message keeps its image, and the model sees it", async () => {
  const { client, store, place, model } = await chatScene(() => [{ text: "An answer" }]);
  const chat = await store.open("web:1");
  const ada = client();
  const watch = new Watch(ada, `conversation:${chat.id}`);
  const { hash } = (await place.call("POST /api/v1/blobs", { body: Buffer.from(PIXEL, "base64") })).json<{
    hash: string;
  }>();
  const { entry } = await ada.request("chat.send", {
    conversation: chat.id,
    text: "What is this?",
    idempotencyKey: "1",
    attachments: [{ blob: hash, mediaType: "image/png", name: "pixel.png" }],
  });
  await watch.until("chat.done");
  const order = { conversation: chat.id, entry: entry ?? "" };
  await ada.request("chat.edit", { ...order, text: "And what is that?", idempotencyKey: "2" });
  await watch.until("chat.done", 2);
  const source = { type: "base64", media_type: "image/png", data: PIXEL };
  const [edited] = (await chat.messages()).items;
  const image = [
    { type: "text", text: "[file pixel.png (image/png, 68 bytes)]" },
    { type: "image", source },
  ];
  expect(edited?.message.content).toEqual([{ type: "text", text: "And what is that?" }, ...image]);
  expect(JSON.stringify(model.requests[1]?.body)).toContain(PIXEL);
  // Without words, the image is the message.
  await ada.request("chat.edit", { ...order, text: " ", idempotencyKey: "3" });
  await watch.until("chat.done", 3);
  expect((await chat.messages()).items[0]?.message.content).toEqual(image);
});
