import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/index.ts";
import { Dice } from "../sim/dice.ts";
import { replayable, seeds } from "../sim/seeds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { differences, fillStore, foreign, type Words, wordsOf } from "./full-store.ts";

/** A damaged marker of the folder is refused when it is opened. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0 && !/store\.\w+$/.test(path))
    .sort();
}

async function read(folder: string): Promise<{ words: Words; reports: number }> {
  let reports = 0;
  await using store = await openStore(`jsonl:${folder}`, { readonly: true, onProblem: () => reports++ });
  const words = await wordsOf(store, false);
  const { findings } = await store.verify();
  return { words, reports: reports + findings.length };
}

it("a JSONL store never returns other words for a flipped bit without a report", async () => {
  const sound = join(tempFolder(), "store");
  await fillStore(`jsonl:${sound}`, 120);
  const { words: original } = await read(sound);
  const flip = async (seed: number): Promise<void> => {
    const dice = new Dice(seed);
    const folder = join(tempFolder(), "store");
    cpSync(sound, folder, { recursive: true });
    const path = dice.pick(filesIn(folder));
    const bytes = readFileSync(path);
    const at = dice.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << dice.below(8));
    writeFileSync(path, bytes);
    const { words, reports } = await read(folder);
    expect(foreign(words, original)).toEqual([]);
    if (reports > 0) return;
    expect({ path, at, differences: differences(words, original) }).toMatchObject({ differences: [] });
  };
  for (const seed of seeds(30)) await replayable(seed, flip);
}, 120_000);
