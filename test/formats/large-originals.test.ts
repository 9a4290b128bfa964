/** Files that are read in many chunks, while readers hold records. */
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeOriginals } from "../../src/formats/export/original/write-originals.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

const FIXTURES = "test/fixtures";
/** Conversations of Colloquy itself have no originals. */
const OWN = new Set(["own", "colloquy"]);
/** Their files have several conversations, and each keeps its own lines. */
const SHARED = new Set(["llama-ui", "sharegpt"]);
const linesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
const FORMATS = readdirSync(FIXTURES).filter(
  (name) => !OWN.has(name) && !SHARED.has(name) && linesIn(join(FIXTURES, name)).length > 0,
);

/** Records of some 20 KB, so that a few of them end in each chunk, and one between two. */
function padded(text: string): string {
  const lines = text.split("\n");
  return lines
    .map((line, index) => (line.endsWith("}") ? `${line.slice(0, -1)},"padding":"${pad(index)}"}` : line))
    .join("\n");
}

function pad(index: number): string {
  return `${index} `.repeat(2000 + ((index * 977) % 9000));
}

it.each(FORMATS)("large files of %s come back as they were", async (format) => {
  const sources = join(tempFolder(), "sources");
  cpSync(join(FIXTURES, format), sources, { recursive: true });
  for (const name of linesIn(sources)) {
    writeFileSync(join(sources, name), padded(readFileSync(join(sources, name), "utf8")));
  }
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  const { imported } = await importConversations(store, [sources]);
  const out = join(tempFolder(), "out");
  const ids = imported.map(({ id }) => id);
  let exact = 0;
  for (const { file, path, isExact } of await writeOriginals(store, ids, out)) {
    if (!isExact || !existsSync(join(sources, file))) continue;
    exact++;
    expect(readFileSync(path).equals(readFileSync(join(sources, file))), file).toBe(true);
  }
  expect(exact).toBeGreaterThan(0);
  expect(await importConversations(store, [sources], { verify: true })).toMatchObject({ missing: [] });
});

it("what follows a changed line is missing once, however large it is", async () => {
  const file = join(tempFolder(), "a.jsonl");
  const lines = (changed: string): string =>
    piHeader("a") +
    Array.from({ length: 400 }, (_, index) =>
      piSays(`a${index}`, index === 0 ? null : `a${index - 1}`, index === 100 ? changed : pad(index)),
    ).join("");
  writeFileSync(file, lines("One"));
  await using store = await openStore("ephemeral:");
  await importConversations(store, [file]);
  writeFileSync(file, lines("Two"));
  const { missing } = await importConversations(store, [file], { verify: true });
  const sizes = missing.map(({ reason }) => Number(/^(\d+) bytes/.exec(reason)?.[1] ?? 0));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(statSync(file).size);
});
