import { afterEach, expect, it, vi } from "vitest";
import { openStore } from "../open.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("does not pause before the last write of a turn, or before a message that takes the text over", async () => {
  await using store = await openStore("ephemeral:");
  const chat = await store.create();
  // No timer ends.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const turn = await chat.beginTurn();
  await turn.delta("written at once, ");
  const later = turn.delta("then with a pause");
  await turn.add({ role: "assistant", content: "written at once, then with a pause" });
  await later;
  void turn.delta("next, ");
  void turn.delta("last");
  const answer = await turn.finish();
  expect(answer?.message.content).toBe("next, last");
});
