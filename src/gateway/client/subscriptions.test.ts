import { describe, expect, it } from "vitest";
import type { AnyEventFrame, Methods } from "../wire/frames.ts";
import { Subscriptions, type TopicEvent } from "./subscriptions.ts";

type Answer = Methods["subscribe"]["result"];

const TOPIC = "conversation:1";
const frame = (n: number): AnyEventFrame => ({
  type: "event",
  event: "chat.notice",
  topic: TOPIC,
  n,
  data: { run: "1", text: `${n}` },
});

/** What one listener is told, in order. */
function listen(subscriptions: Subscriptions): { readonly told: string[]; readonly open: () => Opening } {
  const told: string[] = [];
  const listener = (event: TopicEvent): void => {
    told.push("n" in event ? `${event.n}` : event.event);
  };
  const start = subscriptions.add(TOPIC, listener, {});
  return {
    told,
    open: () => {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const opened = start(() => promise);
      const answer = async (n: number): Promise<void> => {
        resolve({ stream: "s", n, running: null, waiting: [] });
        await opened;
      };
      const fail = async (code: string): Promise<void> => {
        reject({ code, message: "No" });
        await opened;
      };
      return { answer, fail };
    },
  };
}

interface Opening {
  answer(n: number): Promise<void>;
  fail(code: string): Promise<void>;
}

describe("a subscription", () => {
  it("tells of what came with its answer in the order of the gateway: missed events, the snapshot, later ones", async () => {
    const subscriptions = new Subscriptions();
    const { told, open } = listen(subscriptions);
    const opening = open();
    for (const n of [1, 2, 3]) subscriptions.received(frame(n));
    await opening.answer(2);
    expect(told).toEqual(["1", "2", "subscribed", "3"]);
    subscriptions.received(frame(3));
    subscriptions.received(frame(4));
    expect(told).toEqual(["1", "2", "subscribed", "3", "4"]);
  });

  it("holds events back until the last of two listeners has its snapshot", async () => {
    const subscriptions = new Subscriptions();
    const first = listen(subscriptions);
    const second = listen(subscriptions);
    const [one, two] = [first.open(), second.open()];
    await one.answer(0);
    subscriptions.received(frame(1));
    await two.answer(0);
    expect(first.told).toEqual(["subscribed", "1"]);
    expect(second.told).toEqual(["subscribed", "1"]);
  });

  it.each([
    ["NETWORK_ERROR", ["1"]],
    ["FORBIDDEN", ["refused", "1"]],
  ])("continues after %s", async (code, expected) => {
    const subscriptions = new Subscriptions();
    const { told, open } = listen(subscriptions);
    const opening = open();
    subscriptions.received(frame(1));
    await opening.fail(code);
    expect(told).toEqual(expected);
  });
});
