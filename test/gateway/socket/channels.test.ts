import { expect, it } from "vitest";
import { BOT_TOKEN, TelegramServer } from "../../support/servers/telegram-server.ts";
import { until } from "../../support/until.ts";
import { chatScene, Watch } from "./chat-place.ts";

const ANNA = { id: 7, first_name: "Anna" };

it("runs the channels of the config, and shows their answers while they are written", async () => {
  const telegram = await TelegramServer.start();
  const shown = Promise.withResolvers<void>();
  const { client, store } = await chatScene(
    [[{ text: "Good " }, { until: shown.promise }, { text: "morning" }]],
    {
      config: { channels: { telegram: { token: BOT_TOKEN, apiRoot: telegram.url, allowFrom: ["7"] } } },
    },
  );
  const ada = client();
  const list = new Watch(ada, "conversations");
  await list.until("subscribed");
  telegram.write({ from: ANNA, text: "Hello" });
  await list.until("conversation.changed");
  const [{ id } = { id: "" }] = (await store.list()).items;
  const watch = new Watch(ada, `conversation:${id}`);
  await until(() => watch.text === "Good ");
  shown.resolve();
  await watch.until("chat.done");
  await until(() => telegram.sent.length > 0);
  expect(watch.text).toBe("Good morning");
  expect(telegram.sent).toMatchObject([{ chat_id: "7", text: "Good morning" }]);
});
