import { expect, it } from "vitest";
import { AT, append, blobOf, created, done, newDisk, open, say } from "../../../../test/sim/jsonl-kit.ts";
import { turnsDuring } from "../../../../test/support/processes/loop-turns.ts";
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
  expect(await turnsDuring(async () => expect((await engine.verify()).findings).toEqual([]))).toBeGreaterThan(
    1,
  );
});

/** One append, 20 kB for each entry. */
async function long(length: number): Promise<{ engine: JsonlEngine; id: string }> {
  const { engine } = await open(newDisk());
  const id = await created(engine);
  const words = "words ".repeat(3500);
  const entries = Array.from({ length }, (_, n) => say(`e${n}`, words));
  await done(engine, append(id, entries));
  return { engine, id };
}

it("lets the event loop turn while it reads a long conversation", async () => {
  const { engine } = await long(2000);
  expect(await turnsDuring(async () => expect((await engine.verify()).findings).toEqual([]))).toBeGreaterThan(
    5,
  );
});

it("lets the event loop turn while it repairs, and other writes wait", async () => {
  const { engine, id } = await long(2000);
  const turns = turnsDuring(async () => expect(await engine.repair()).toEqual([]));
  await new Promise(setImmediate);
  const written = done(engine, append(id, [say("later")]));
  expect(await turns).toBeGreaterThan(5);
  await written;
  expect((await engine.verify()).findings).toEqual([]);
});

it("finds nothing wrong with a long conversation that is purged or rewritten meanwhile", async () => {
  for (const type of ["purge", "redact"] as const) {
    const { engine, id } = await long(200);
    const { blob, ref } = blobOf(Buffer.from("picture"));
    await done(engine, append(id, [say("last", "x", [ref])], { blobs: [blob] }));
    const verifying = engine.verify();
    await new Promise(setImmediate);
    await done(
      engine,
      type === "purge"
        ? { type, conversation: id, force: true, at: AT }
        : { type, conversation: id, entry: "last", json: '{"role":"user","content":""}', at: AT },
    );
    expect((await verifying).findings).toEqual([]);
  }
});

it("does not take a conversation that is moved meanwhile for two", async () => {
  const { engine, ids } = await filled();
  const verifying = engine.verify();
  await new Promise(setImmediate);
  for (const conversation of ids) await done(engine, { type: "trash", conversation, at: AT });
  expect((await verifying).findings).toEqual([]);
});
