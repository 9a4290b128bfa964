import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { fc } from "../../../test/support/fast-check.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { importConversations } from "./run.ts";

const FIXTURES = "test/fixtures";
const ENGINES = ["sqlite", "jsonl", "ephemeral"];

/** In a worker thread, as in the command: reading continues while the store writes. */
function openIn(engine: string, folder: string): Promise<Store> {
  if (engine === "ephemeral") return openStore("ephemeral:");
  return openStore(`${engine}:${join(folder, "store")}`, { worker: true });
}

/** Messages in the store, on all branches, and all ids, to find one that is stored twice. */
async function stored(store: Store): Promise<{ messages: number; ids: string[] }> {
  let messages = 0;
  const ids: string[] = [];
  for (const { id, messageCount } of (await store.list({ limit: 1000 })).items) {
    messages += messageCount;
    for await (const entry of store.ingest().log(id, 0)) ids.push(`${id} ${entry.id}`);
  }
  return { messages, ids };
}

/** Import a folder, and check that the report says what the store has. */
async function importAll(engine: string, sources: string): Promise<number> {
  await using store = await openIn(engine, tempFolder());
  const report = await importConversations(store, [sources]);
  const { messages, ids } = await stored(store);
  expect(report.skipped).toEqual([]);
  expect(report.messages).toBe(messages);
  expect(report.imported.reduce((sum, { added }) => sum + added, 0)).toBe(messages);
  expect(report.imported.reduce((sum, item) => sum + item.messages, 0)).toBe(messages);
  expect(new Set(ids).size).toBe(ids.length);
  expect((await store.verify()).findings).toEqual([]);
  expect(await importConversations(store, [sources], { again: true })).toMatchObject({
    messages: 0,
    branches: 0,
    skipped: [],
  });
  return messages;
}

/** Copy a fixture to each of the paths. */
function place(sources: string, fixture: string, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(sources, path)), { recursive: true });
    cpSync(join(FIXTURES, fixture), join(sources, path), { recursive: true });
  }
}

describe.each(ENGINES)("files of one conversation in several folders, into %s", (engine) => {
  it("are stored once, and counted once", async () => {
    const alone = tempFolder();
    place(alone, "claude-code/compaction.jsonl", ["a.jsonl"]);
    const sources = tempFolder();
    place(sources, "claude-code/compaction.jsonl", ["a.jsonl", "x/a.jsonl", "x/y/a.jsonl", "z/a.jsonl"]);
    expect(await importAll(engine, sources)).toBe(await importAll(engine, alone));
  });

  it("may be rollouts of one Codex conversation in the folders of two days", async () => {
    const alone = tempFolder();
    place(alone, "codex/typed-lines.jsonl", ["rollout.jsonl"]);
    const sources = tempFolder();
    const days = ["01", "02", "03"].map((day) => `sessions/2026/11/${day}/rollout-${day}.jsonl`);
    place(sources, "codex/typed-lines.jsonl", days);
    const grown = readFileSync(join(FIXTURES, "codex/typed-lines.jsonl"), "utf8").trimEnd().split("\n");
    writeFileSync(join(sources, days[0] as string), `${grown.slice(0, grown.length >> 1).join("\n")}\n`);
    expect(await importAll(engine, sources)).toBe(await importAll(engine, alone));
  });

  it("may be forks of Claude Code in the folders of two projects", async () => {
    const alone = tempFolder();
    place(alone, "claude-code/fork-session", ["p"]);
    const sources = tempFolder();
    place(sources, "claude-code/fork-session", ["backup/p", "p", "q"]);
    for (const name of ["real-forks.jsonl", "parallel-tool-results.jsonl"]) {
      place(alone, `claude-code/${name}`, [`r/${name}`]);
      place(sources, `claude-code/${name}`, [`r/${name}`, `s/${name}`]);
    }
    expect(await importAll(engine, sources)).toBe(await importAll(engine, alone));
  });
});

describe("generated files of a few conversations in a few folders", () => {
  const file = fc.record({
    folder: fc.constantFrom("a", "a/b", "c", "d/e"),
    conversation: fc.integer({ min: 1, max: 2 }),
    /** How much of the conversation it holds. */
    length: fc.integer({ min: 1, max: 6 }),
    /** It continues with its own entry after this one. */
    fork: fc.option(fc.integer({ min: 1, max: 6 })),
  });
  const files = fc.array(file, { minLength: 2, maxLength: 8 });

  it.each(ENGINES)(
    "are imported into %s completely, and counted as stored",
    async (engine) => {
      await fc.assert(
        fc.asyncProperty(files, async (made) => {
          const sources = tempFolder();
          made.forEach(({ folder, conversation, length, fork }, index) => {
            const says = (n: number): string =>
              piSays(`c${conversation}-${n}`, n === 1 ? null : `c${conversation}-${n - 1}`, `Message ${n}`);
            const lines = Array.from({ length }, (_, n) => says(n + 1));
            if (fork !== null) {
              const parent = `c${conversation}-${Math.min(fork, length)}`;
              lines.push(piSays(`f${index}`, parent, `Fork ${index}`));
            }
            mkdirSync(join(sources, folder), { recursive: true });
            const text = piHeader(`s${conversation}`) + lines.join("");
            writeFileSync(join(sources, folder, `${index}.jsonl`), text);
          });
          const longest = [1, 2].map((wanted) =>
            Math.max(0, ...made.filter((one) => one.conversation === wanted).map(({ length }) => length)),
          );
          const forks = made.filter(({ fork }) => fork !== null).length;
          expect(await importAll(engine, sources)).toBe(longest.reduce((sum, count) => sum + count, forks));
        }),
        { numRuns: 12 },
      );
    },
    60_000,
  );
});

describe("the order of files", () => {
  it("decides which of them names a conversation, in whatever folders they are", async () => {
    const sources = tempFolder();
    for (const folder of ["b", "a", "c"]) {
      mkdirSync(join(sources, folder));
      writeFileSync(join(sources, folder, "s.jsonl"), piHeader("s1") + piSays("a1", null, "Hello"));
    }
    await using store = await openStore("ephemeral:");
    const { imported } = await importConversations(store, [sources]);
    expect(imported.map(({ source }) => basename(dirname(source)))).toEqual(["a"]);
  });
});
