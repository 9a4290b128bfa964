import { expect, it } from "vitest";
import { Live } from "../../../src/gateway/socket/live.ts";
import type { MethodConnection } from "../../../src/gateway/socket/method.ts";
import { TOPIC_METHODS } from "../../../src/gateway/socket/methods/topics.ts";
import { openStore } from "../../../src/store/open.ts";

it("does not keep a connection that closed while it subscribed", async () => {
  await using store = await openStore("ephemeral:");
  const chat = await store.open("web:1");
  const live = new Live({
    store,
    agentFor: () => Promise.reject(new Error("No agent")),
    onChange: () => {},
    onProblem: () => {},
  });
  const topic = `conversation:${chat.id}`;
  const connection: MethodConnection = { scope: null, topics: new Set(), isOpen: false, deliver: () => {} };
  const subscribe = TOPIC_METHODS.find(({ name }) => name === "subscribe");
  const principal = { user: "a", permission: "read", scope: null, tokenId: "t", source: "t", expiresAt: 1 };
  const call = { params: { topic }, principal, connection } as never;
  await expect(subscribe?.handle(call, { store, live } as never)).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
  });
  expect(live.hub.isWanted(topic)).toBe(false);
  await live.close(0);
});
