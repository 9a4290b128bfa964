/** Several processes import the same folder, some of them into the same store. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { watchConversations } from "../../src/formats/import/watch.ts";
import { openStore } from "../../src/store/open.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { contentDifferences, contentOf, type StoreContent } from "../support/samples/store-content.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { writeSources } from "../torture/import/sources.ts";

const IMPORTER = "test/torture/import/importer.ts";

async function importIn(target: string, paths: readonly string[]): Promise<{ readonly error?: string }> {
  const child = new LineProcess(IMPORTER, [JSON.stringify({ target, paths })]);
  await child.closed;
  return JSON.parse(child.lines.at(-1) ?? "{}");
}

async function contentAt(target: string): Promise<StoreContent> {
  await using store = await openStore(target);
  expect((await store.verify()).findings).toEqual([]);
  return await contentOf(store);
}

it("two imports and a watching one make the same store as one import", async () => {
  const folder = tempFolder();
  const sources = [join(folder, "sources")];
  writeSources(join(folder, "sources"), { formats: ["codex"], longBytes: 200_000 });
  const targets = ["sqlite", "jsonl"].map((engine) => `${engine}:${join(folder, engine)}`);
  const [target = "", other = ""] = targets;
  const stop = new AbortController();
  const passes = Promise.withResolvers<void>();
  const watching = (async () => {
    await using store = await openStore(target);
    const { signal } = stop;
    await watchConversations(store, sources, { signal, intervalMs: 50, onPass: () => passes.resolve() });
  })();
  const ends = await Promise.all([
    importIn(target, sources),
    importIn(target, sources),
    importIn(other, sources),
    passes.promise,
  ]);
  stop.abort();
  await watching;
  // Only one import of a store runs at a time; the other says so.
  for (const end of ends) expect(["import-running", undefined]).toContain(end?.error);
  for (const [index, store] of targets.entries()) {
    const whole = `${store}-whole`;
    await using one = await openStore(whole);
    await importConversations(one, sources);
    expect(contentDifferences(await contentOf(one), await contentAt(store)), targets[index]).toEqual([]);
  }
});
