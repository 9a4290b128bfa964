import { expect, it, vi } from "vitest";
import { Hub } from "./hub.ts";
import type { Subscriber } from "./topic.ts";

it("a topic that was forgotten is read again by a client that comes back with its last number", () => {
  vi.useFakeTimers();
  const hub = new Hub();
  try {
    const frames: string[] = [];
    const client: Subscriber = {
      deliver: (frame) => frames.push(String(frame)),
      scope: null,
    };
    const order = { topic: "conversations", subject: undefined, text: "deltas", stream: hub.stream } as const;
    const n = hub.subscribe(client, { ...order, after: undefined });
    hub.unsubscribe(client, order.topic);
    vi.advanceTimersByTime(200_000);
    expect(hub.isKept(order.topic)).toBe(false);
    hub.subscribe(client, { ...order, after: n });
    expect(frames.join()).toContain("too-old");
  } finally {
    hub.close();
    vi.useRealTimers();
  }
});
