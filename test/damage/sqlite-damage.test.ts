import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/index.ts";
import { PAGE_BYTES } from "../../src/sqlite/open.ts";
import { rebuildStore } from "../../src/store/copy/repair.ts";
import { Dice } from "../sim/dice.ts";
import { replayable, seeds } from "../sim/seeds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { differences, fillStore, foreign, type Words, wordsOf } from "./full-store.ts";

let sound: Buffer;
let original: Words;
/** Where the root page of the index begins that pages are read by. */
let bySeq: number;
/** Where every page of an index begins, by its name. */
const indexPages = new Map<string, number[]>();

beforeAll(async () => {
  const path = join(tempFolder(), "sound.db");
  await fillStore(`sqlite:${path}`, 1200);
  const database = new DatabaseSync(path, { readOnly: true });
  const indexes = database.prepare("SELECT name, rootpage FROM sqlite_schema WHERE type = 'index'").all();
  database.close();
  sound = readFileSync(path);
  for (const { name, rootpage } of indexes) indexPages.set(String(name), pagesOf(Number(rootpage)));
  bySeq = indexPages.get("entries_by_seq")?.[0] as number;
  await using store = await openStore(`sqlite:${path}`, { readonly: true });
  original = await wordsOf(store);
});

/** A page of an index, and those below it. */
function pagesOf(number: number): number[] {
  const start = (number - 1) * PAGE_BYTES;
  const page = sound.subarray(start, start + PAGE_BYTES);
  const isInterior = page[0] === 2;
  if (!isInterior) return [start];
  const cells = Array.from({ length: page.readUInt16BE(3) }, (_, index) =>
    page.readUInt32BE(page.readUInt16BE(12 + 2 * index)),
  );
  return [start, ...[...cells, page.readUInt32BE(8)].flatMap(pagesOf)];
}

interface Read {
  readonly words: Words;
  readonly problems: string[];
}

async function read(path: string): Promise<Read> {
  const problems: string[] = [];
  await using store = await openStore(`sqlite:${path}`, {
    readonly: true,
    onProblem: ({ message }) => problems.push(message),
  });
  return { words: await wordsOf(store), problems };
}

function damagedCopy(damage: (bytes: Buffer) => void): string {
  const path = join(tempFolder(), "store.db");
  const bytes = Buffer.from(sound);
  damage(bytes);
  writeFileSync(path, bytes);
  return path;
}

/** As the command does it. */
async function repair(path: string, from?: string): Promise<{ codes: string[]; messages: string[] }> {
  const options = from === undefined ? {} : { from };
  const open = () => openStore(`sqlite:${path}`, { onProblem: () => {} });
  const rebuilt = await open().then(
    (store) => store.close().then(() => []),
    () => rebuildStore(`sqlite:${path}`, options),
  );
  await using store = await open();
  const { repaired, ok, findings } = await store.repair(options);
  expect({ ok, findings }).toEqual({ ok: true, findings: [] });
  const all = [...rebuilt, ...repaired];
  return { codes: all.map(({ code }) => code), messages: all.map(({ message }) => message) };
}

async function flip(seed: number): Promise<void> {
  const dice = new Dice(seed);
  const path = damagedCopy((bytes) => {
    const at = dice.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << dice.below(8));
  });
  const { words, problems } = await read(path);
  expect(foreign(words, original)).toEqual([]);
  if (differences(words, original).length === 0 || problems.length > 0) return;
  await using store = await openStore(`sqlite:${path}`, { readonly: true, onProblem: () => {} });
  const { findings } = await store.verify();
  expect({ differences: differences(words, original), findings: findings.length > 0 }).toMatchObject({
    findings: true,
  });
}

/** Only bytes that SQLite uses: a flip between the cells of a page changes nothing. */
async function flipIndex(name: string, seed: number): Promise<void> {
  const dice = new Dice(seed);
  const path = damagedCopy((bytes) => {
    const start = dice.pick(indexPages.get(name) as number[]);
    const cells = bytes.readUInt16BE(start + 5);
    const header = 8 + 2 * bytes.readUInt16BE(start + 3);
    const used = dice.below(header + PAGE_BYTES - cells);
    const at = start + (used < header ? used : cells + used - header);
    bytes[at] = (bytes[at] as number) ^ (1 << dice.below(8));
  });
  const { words, problems } = await read(path);
  expect(foreign(words, original)).toEqual([]);
  if (problems.length === 0) expect(differences(words, original)).toEqual([]);
}

async function overwrite(seed: number): Promise<void> {
  const dice = new Dice(seed);
  const path = damagedCopy((bytes) => {
    for (let count = 1 + dice.below(3); count > 0; count--) {
      const start = dice.below(bytes.length / PAGE_BYTES) * PAGE_BYTES;
      if (dice.chance(0.3)) bytes.fill(0, start, start + PAGE_BYTES);
      else dice.fill(bytes.subarray(start, start + PAGE_BYTES));
    }
  });
  const damaged = readFileSync(path);
  const before = await read(path);
  expect(foreign(before.words, original)).toEqual([]);
  const { codes } = await repair(path);
  const after = await read(path);
  expect(after.problems).toEqual([]);
  expect(foreign(after.words, original)).toEqual([]);
  expect([...before.words.keys()].filter((place) => !after.words.has(place))).toEqual([]);
  expect(await repair(path)).toEqual({ codes: [], messages: [] });
  if (codes.length === 0) return;
  const names = readdirSync(dirname(path)).filter((name) => /\.(damaged|repairing)-\d+$/.test(name));
  expect(names).toEqual([expect.stringMatching(/damaged/)]);
  await refill(damaged);
}

/** With a backup, nothing is lost. */
async function refill(damaged: Buffer): Promise<void> {
  const [path, backup] = [join(tempFolder(), "store.db"), join(tempFolder(), "backup.db")];
  writeFileSync(path, damaged);
  writeFileSync(backup, sound);
  await repair(path, backup);
  expect(differences((await read(path)).words, original)).toEqual([]);
}

describe("a damaged SQLite store", () => {
  it("never returns other words for a flipped bit without a report", async () => {
    for (const seed of seeds(40)) await replayable(seed, flip);
  }, 600_000);

  it.each(["entries_by_seq", "entries_marked"])(
    "reports entries that a flipped bit in %s hides",
    async (name) => {
      for (const seed of seeds(10)) await replayable(seed, (seed) => flipIndex(name, seed));
    },
    600_000,
  );

  it("is read by many at once", async () => {
    const path = damagedCopy((bytes) => bytes.fill(0xff, bySeq, bySeq + PAGE_BYTES));
    await using store = await openStore(`sqlite:${path}`, { readonly: true, onProblem: () => {} });
    const chats = await Promise.all([1, 2, 3, 4].map((number) => store.get(`cli:chat-${number}`)));
    const pages = await Promise.all(chats.map((chat) => chat?.entries({ limit: 5 })));
    expect(pages.map((page) => page?.items.length)).toEqual([5, 5, 5, 5]);
  });

  it("is reported even if nothing is lost", async () => {
    for (const start of [0, bySeq]) {
      const path = damagedCopy((bytes) => bytes.fill(0xff, start, start + PAGE_BYTES));
      const { words, problems } = await read(path);
      expect(differences(words, original)).toEqual([]);
      expect(problems).toEqual([expect.stringContaining("The file is damaged")]);
    }
  });

  it("keeps everything that can be read when pages are overwritten, and gets the rest from a backup", async () => {
    for (const seed of seeds(3)) await replayable(seed, overwrite);
  }, 600_000);
});
