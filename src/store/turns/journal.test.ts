import { afterEach, expect, it, vi } from "vitest";
import { EphemeralEngine } from "../../engine/ephemeral/ephemeral-engine.ts";
import type { Operation, Outcome } from "../../engine/index.ts";
import { unavailable } from "../../errors.ts";
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

/** Notes the pieces of text that are journalled, and can refuse appends. */
class WatchedEngine extends EphemeralEngine {
  readonly pieces: string[] = [];
  isFull = false;

  override commit(operations: readonly Operation[]): Outcome[] {
    for (const one of operations) if (one.type === "journal" && one.text !== "") this.pieces.push(one.text);
    if (!this.isFull || operations.every(({ type }) => type !== "append")) return super.commit(operations);
    return operations.map(() => ({ ok: false, error: unavailable("The disk is full") }));
  }
}

it("does not write text that is about to become a message", async () => {
  const engine = new WatchedEngine();
  await using store = await openStore(engine);
  const turn = await (await store.create()).beginTurn();
  await turn.delta("first, ");
  const later = [turn.delta("second, "), turn.delta("third")];
  await turn.add({ role: "assistant", content: "first, second, third" });
  await Promise.all(later);
  await turn.delta("fourth, ");
  const last = turn.delta("fifth");
  await turn.finish();
  await last;
  expect(engine.pieces).toEqual(["first, ", "fourth, "]);
});

it("writes it after all if the message cannot be written", async () => {
  const engine = new WatchedEngine();
  await using store = await openStore(engine);
  const turn = await (await store.create()).beginTurn();
  await turn.delta("first, ");
  const later = turn.delta("second");
  engine.isFull = true;
  await expect(turn.finish()).rejects.toThrow("The disk is full");
  await later;
  expect(engine.pieces).toEqual(["first, ", "second"]);
  engine.isFull = false;
  expect((await turn.finish())?.message.content).toBe("first, second");
});
