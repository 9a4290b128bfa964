import { expect, it } from "vitest";
import { loadStore } from "../../eval/recall/load-store.ts";
import { readSet } from "../../eval/recall/read-set.ts";
import { refText } from "../../eval/recall/set.ts";
import { openStore, textOf } from "../../src/index.ts";
import { toySet } from "./toy-set.ts";

it("stores a set as agents write it, and knows the message of every entry", async () => {
  const store = await openStore("ephemeral:");
  const refs = await loadStore(store, readSet(toySet()));
  const stored: string[][] = [];
  for await (const { id } of store.list()) {
    const conversation = await store.get(id);
    for (const entry of (await conversation?.messages())?.items ?? []) {
      const ref = refs(id, entry.id);
      const text = textOf(entry.message, { toolResults: true });
      stored.push([ref === undefined ? "" : refText(ref), entry.message.role, text]);
    }
  }
  const titles = (await store.list()).items.map(({ id }) => refs(id, null)?.conversation);
  await store.close();
  expect(titles.sort()).toEqual(["cellar", "pump"]);
  expect(stored.sort()).toEqual([
    ["cellar/m1", "user", "Ana: There is water in the cellar."],
    ["cellar/m2", "assistant", "Let me read the sensor."],
    ["cellar/m2", "user", "humidity 91 percent"],
    ["pump/m1", "user", "The garden pump is loud. Which spare part fits?"],
    ["pump/m2", "assistant", "The bearing 6203, two of them."],
    ["pump/m3", "user", "Thanks, ordered."],
  ]);
});
