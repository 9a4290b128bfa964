import { expect, it } from "vitest";
import { append, created, done, newDisk, open, say } from "../../../../test/sim/jsonl-kit.ts";

it("lets the event loop turn while it reads a large store", async () => {
  const { engine } = await open(newDisk());
  for (let n = 0; n < 100; n++) {
    const id = await created(engine);
    await done(engine, append(id, [say("a", "words ".repeat(10_000)), say("b")]));
  }
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  expect((await engine.verify()).findings).toEqual([]);
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});
