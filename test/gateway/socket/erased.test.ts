import { expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { chatScene, Watch } from "./chat-place.ts";
import { RawSocket } from "./raw-socket.ts";

it("content that was erased is neither sent again nor left where it is shown", async () => {
  const { store, place, client } = await chatScene([]);
  const chat = await store.open("web:1");
  const topic = `conversation:${chat.id}`;
  const [watch, list] = [new Watch(client(), topic), new Watch(client(), "conversations")];
  for (const one of [watch, list]) await one.until("subscribed");
  const raw = await RawSocket.signedIn(place);
  const placeIn = async (name: string): Promise<{ stream: string; n: number }> => {
    const answer = await raw.call("subscribe", { topic: name });
    return (answer as { result: { stream: string; n: number } }).result;
  };
  const [before, beforeInList] = [await placeIn(topic), await placeIn("conversations")];
  raw.socket.terminate();
  const { entries } = await chat.append({ role: "user", content: "the hidden word" });
  await watch.until("conversation.entries");
  await until(() => JSON.stringify(list.all("conversation.changed")).includes("the hidden word"));
  await chat.redact(entries[0]?.id ?? "");
  await watch.until("resync");
  expect(watch.all("resync")).toEqual([{ reason: "erased" }]);
  const rows = (): string => JSON.stringify(list.all("conversation.changed").at(-1));
  await until(() => !rows().includes("the hidden word"));

  const back = await RawSocket.signedIn(place);
  await back.call("subscribe", { topic, after: before.n, stream: before.stream });
  await back.call("subscribe", { topic: "conversations", after: beforeInList.n, stream: before.stream });
  const seen = JSON.stringify(back.frames);
  expect(seen).not.toContain("the hidden word");
  expect(seen.match(/"reason":"too-old"/g)).toHaveLength(2);
});
