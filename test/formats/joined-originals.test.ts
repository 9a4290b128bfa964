import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { joinConversations } from "../../src/doctor/keys/join.ts";
import { type Fidelity, originalSources } from "../../src/formats/export/original/original.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { placeOf } from "../../src/store/originals/erased-texts.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";

const FIXTURES = "test/fixtures/claude-code";
const NAMES = ["parallel-tool-results.jsonl", "compaction.jsonl"];

async function filesOf(store: Store, id: string): Promise<[string, string, boolean][]> {
  const files: [string, string, boolean][] = [];
  for (const { file, bytes } of await originalSources(store, id)) {
    const parts: Buffer[] = [];
    const reading = bytes();
    let next = await reading.next();
    for (; !next.done; next = await reading.next()) parts.push(Buffer.from(next.value));
    const { isExact }: Fidelity = next.value;
    files.push([file, Buffer.concat(parts).toString(), isExact]);
  }
  return files;
}

describe.each(["sqlite", "jsonl", "ephemeral"])("conversations that are joined, in %s", (engine) => {
  it("keep each file whole, and every entry its place, also when the join was cut off", async () => {
    const folder = tempFolder();
    const sources = join(folder, "sources");
    mkdirSync(sources);
    for (const name of NAMES) cpSync(join(FIXTURES, name), join(sources, name));
    await using store = await openStore(
      engine === "ephemeral" ? "ephemeral:" : `${engine}:${join(folder, "store")}`,
    );
    const { imported } = await importConversations(store, [sources]);
    const [from = "", into = ""] = NAMES.toReversed().map(
      (name) => imported.find(({ source }) => source.endsWith(name))?.id ?? "",
    );
    const ingest = store.ingest();
    for (let time = 0; time < 2; time++) {
      await joinConversations(store, into, from);
      const expected = NAMES.map((name) => [name, readFileSync(join(sources, name), "utf8"), true]);
      expect(await filesOf(store, into)).toEqual(expected);
      for await (const entry of ingest.log(into, 0)) {
        const { original, at } = placeOf(entry);
        const text = expected[Number(original) - 1]?.[1];
        // The line of an entry names it.
        for (const [start, bytes] of at.slice(0, 1)) {
          expect(Buffer.from(String(text)).toString("utf8", start, start + bytes)).toContain(entry.id);
        }
      }
      // As a join that was cut off leaves it.
      await ingest.restore(from);
    }
  });
});
