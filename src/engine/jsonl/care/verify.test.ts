import { expect, it } from "vitest";
import { AT, append, created, done, newDisk, open, say } from "../../../../test/sim/jsonl-kit.ts";
import type { JsonlEngine } from "../jsonl-engine.ts";

/** Takes much longer to read than a turn of the event loop may. */
async function filled(): Promise<{ engine: JsonlEngine; ids: string[] }> {
  const { engine } = await open(newDisk());
  const ids: string[] = [];
  for (let n = 0; n < 100; n++) {
    const id = await created(engine);
    await done(engine, append(id, [say("a", "words ".repeat(10_000)), say("b")]));
    ids.push(id);
  }
  return { engine, ids };
}

it("lets the event loop turn while it reads a large store", async () => {
  const { engine } = await filled();
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

it("does not take a conversation that is moved meanwhile for two", async () => {
  const { engine, ids } = await filled();
  const verifying = engine.verify();
  await new Promise(setImmediate);
  for (const conversation of ids) await done(engine, { type: "trash", conversation, at: AT });
  expect((await verifying).findings).toEqual([]);
});
