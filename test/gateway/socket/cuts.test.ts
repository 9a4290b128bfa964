import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../../src/store/open.ts";
import { until } from "../../support/until.ts";
import { chatScene, Watch } from "./chat-place.ts";
import { Cuttable } from "./cuttable.ts";
import { killableGateway } from "./killable-gateway.ts";
import { RawSocket } from "./raw-socket.ts";

const words = (name: string): { text: string }[] =>
  Array.from({ length: 20 }, (_, n) => ({ text: `${name}${n} ` }));
const textOf = (pieces: readonly { text: string }[]): string => pieces.map(({ text }) => text).join("");

describe("a client whose connection is cut in the middle of an answer", () => {
  it("misses no text and gets none twice", async () => {
    const cable = await Cuttable.open();
    onTestFinished(() => cable.close());
    const gates = [1, 2].map(() => Promise.withResolvers<void>());
    const [a, b, c] = [words("a"), words("b"), words("c")];
    const { place, store, client, model } = await chatScene(
      [
        [
          ...a,
          { until: gates[0]?.promise ?? Promise.resolve() },
          ...b,
          { until: gates[1]?.promise ?? Promise.resolve() },
          ...c,
        ],
      ],
      { hosts: [`127.0.0.1:${cable.port}`] },
    );
    cable.target = place.port;
    const chat = await store.open("web:1");
    const topic = `conversation:${chat.id}`;
    const cutOff = client("admin", `http://127.0.0.1:${cable.port}`);
    const states: string[] = [];
    cutOff.onState((state) => states.push(state));
    const watch = new Watch(cutOff, topic);
    await watch.until("subscribed");
    const sent = cutOff.request("chat.send", { conversation: chat.id, text: "?", idempotencyKey: "1" });
    // The answer to the request may be lost with the connection: it is sent again, and nothing happens twice.
    cable.cut();
    await sent;
    await until(() => watch.text === textOf(a));
    cable.isCut = true;
    cable.cut();
    await until(() => cutOff.state === "reconnecting");
    gates[0]?.resolve();
    const other = new Watch(client(), topic);
    await until(() => other.text === textOf([...a, ...b]));
    cable.isCut = false;
    await until(() => watch.text === textOf([...a, ...b]));
    gates[1]?.resolve();
    await watch.until("chat.done");
    expect(watch.text).toBe(textOf([...a, ...b, ...c]));
    expect((await chat.messages()).items).toHaveLength(2);
    expect(model.requests).toHaveLength(1);
    const numbers = watch.frames.map(({ n }) => n);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(watch.all("resync")).toEqual([]);
    expect(states[0]).toBe("connecting");
    expect(states.at(-1)).toBe("open");
  });

  it("gets what was stored meanwhile, even if it was the only one that listened", async () => {
    const { store, place } = await chatScene([]);
    const chat = await store.open("web:1");
    const topic = `conversation:${chat.id}`;
    const alone = await RawSocket.signedIn(place);
    const first = await alone.call("subscribe", { topic });
    const { stream, n } = (first as { result: { stream: string; n: number } }).result;
    alone.socket.terminate();
    await alone.closed();
    const other = await RawSocket.signedIn(place);
    await other.call("subscribe", { topic: "conversations" });
    await chat.append({ role: "user", content: "Meanwhile" });
    await until(() => JSON.stringify(other.frames).includes("Meanwhile"));
    const back = await RawSocket.signedIn(place);
    await back.call("subscribe", { topic, after: n, stream });
    await until(() => back.frames.some(({ event }) => event === "conversation.entries"));
    expect(JSON.stringify(back.frames)).toContain("Meanwhile");
  });

  it("reads the topic again if too much has happened, or if the gateway is another one", async () => {
    const { store, place } = await chatScene([]);
    const chat = await store.open("web:1");
    const raw = await RawSocket.signedIn(place);
    const topic = `conversation:${chat.id}`;
    const first = await raw.call("subscribe", { topic });
    const { stream, n } = (first as { result: { stream: string; n: number } }).result;
    await raw.call("subscribe", { topic, after: n, stream: "another" });
    await raw.call("subscribe", { topic, after: n + 1000, stream });
    const reasons = raw.frames
      .filter(({ event }) => event === "resync")
      .map((frame) => JSON.stringify(frame));
    expect(reasons.map((text) => /"reason":"([a-z-]+)"/.exec(text)?.[1])).toEqual(["restarted", "too-old"]);
  });
});

describe("a gateway that is killed in the middle of an answer", () => {
  it("has kept the message and the text so far, and completes the answer on demand", async () => {
    const { model, target, start } = await killableGateway([
      [{ text: "Half " }, { fault: "hang" }],
      [{ text: "Whole" }],
    ]);
    const first = await start();
    const order = { text: "Hello", idempotencyKey: "1" };
    const { conversation, run } = await first.client.request("chat.send", order);
    const watch = new Watch(first.client, `conversation:${conversation}`);
    await until(() => watch.text === "Half ");
    await first.kill();
    const second = await start();
    const again = new Watch(second.client, `conversation:${conversation}`);
    await again.until("subscribed");
    {
      await using store = await openStore(target, { readonly: true });
      const chat = await store.get(conversation);
      const { items } = (await chat?.messages()) ?? { items: [] };
      expect(items.map(({ message }) => [message.content, message.endState])).toEqual([
        ["Hello", undefined],
        ["Half ", "interrupted"],
      ]);
    }
    expect(await second.client.request("chat.resume", { conversation })).toEqual({ run });
    await again.until("chat.done");
    expect(again.text).toBe("Whole");
    expect(await second.client.request("chat.send", order)).toEqual({ conversation, run, entry: run });
    expect(model.requests).toHaveLength(2);
  }, 60_000);
});
