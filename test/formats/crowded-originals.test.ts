import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { originalSources } from "../../src/formats/export/original/original.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";

/*
 * A file of more conversations than an import has open at once: version 1.0 of Claude Code wrote sub-agents between the
 * lines of their session. Those that were used least recently are completed, and go on later.
 */
const SESSION = "21000000-0000-4000-8000-000000000003";
const AGENTS = 200;

let folder: string;
let file: string;
beforeEach(() => {
  folder = tempFolder();
  mkdirSync(join(folder, "sources"));
  file = join(folder, "sources", `${SESSION}.jsonl`);
});

function says(uuid: string, parentUuid: string | null, isSidechain: boolean, content: string): string {
  const message = { role: "user", content };
  return `${JSON.stringify({ sessionId: SESSION, type: "user", uuid, parentUuid, isSidechain, message })}\n`;
}

/** Lines of the session after `parent`, long enough that each of them is soon written. */
function lines(name: string, parent: string | null): string[] {
  return Array.from({ length: AGENTS }, (_, index) => {
    const before = index === 0 ? parent : `${name}-${index - 1}`;
    return says(`${name}-${index}`, before, false, `${name} ${index} ${"x".repeat(3000)}`);
  });
}

async function take(store: Store, options: { verify?: boolean; again?: boolean } = {}) {
  const report = await importConversations(store, [join(folder, "sources")], options);
  expect(report.missing).toEqual([]);
  return report;
}

/** The ids of the lines that a conversation keeps of the file, for each of its originals. */
async function kept(store: Store, key: string): Promise<string[][]> {
  const sources = await originalSources(store, key);
  return Promise.all(
    sources.map(async (source) => {
      const pieces: Buffer[] = [];
      for await (const piece of source.bytes()) pieces.push(piece);
      return idsIn(Buffer.concat(pieces).toString().split("\n"));
    }),
  );
}

const idsIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { uuid: string }).uuid]));

it.each(["sqlite", "jsonl"])(
  "keeps the lines of each conversation of a crowded file in one original: %s",
  async (engine) => {
    await using store = await openStore(`${engine}:${join(folder, "store")}`);
    const key = `claude-code:${SESSION}`;
    const first = lines("first", null);
    const begun = first.map((_, index) => says(`begun-${index}`, null, true, `agent ${index}`));
    const ended = first.map((_, index) => says(`ended-${index}`, `begun-${index}`, true, "ended"));
    writeFileSync(file, [...first.flatMap((line, index) => [line, begun[index] ?? ""]), ...ended].join(""));
    await take(store);
    expect(await kept(store, key)).toEqual([idsIn(first)]);

    // The session was completed before the last of its agents, and goes on in a later import.
    const second = lines("second", `first-${AGENTS - 1}`);
    appendFileSync(file, second.join(""));
    await take(store);
    const whole = idsIn([...first, ...second]);
    expect(await kept(store, key)).toEqual([whole]);
    const { items } = await store.list({ limit: 1000 });
    const agents = await Promise.all(
      items.filter((info) => info.key !== key).map(async ({ id }) => JSON.stringify(await kept(store, id))),
    );
    const all = begun.map((_, index) => JSON.stringify([[`begun-${index}`, `ended-${index}`]]));
    expect(new Set(agents)).toEqual(new Set(all));

    // All of it is compared with what the store has, and nothing is added.
    for (const options of [{ verify: true }, { again: true }]) {
      await take(store, options);
      expect(await kept(store, key)).toEqual([whole]);
    }
  },
);
