/** An index whose file is damaged, foreign, unwritable or gone: a search answers, and the index becomes complete. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { PAGE_BYTES } from "../../src/sqlite/open.ts";
import { found, Place, say } from "./kit.ts";

const TEXTS = Array.from({ length: 120 }, (_, index) => `lighthouse number${index} of ${index % 7} keepers`);

async function filled(place: Place): Promise<void> {
  await using store = await place.open();
  await (await store.open("cli:a")).append(say(...TEXTS));
  expect(await found(store, "number17")).toEqual([TEXTS[17]]);
}

function overwrite(path: string, from: number, bytes: Uint8Array): void {
  const content = readFileSync(path);
  content.set(bytes, from);
  writeFileSync(path, content);
}

/** Not random, so that a failure happens again. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  });
}

const DAMAGE: Record<string, (path: string) => void> = {
  "no bytes": (path) => truncateSync(path, 0),
  "its first half": (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  "half a page more than one page": (path) => truncateSync(path, PAGE_BYTES * 1.5),
  text: (path) => writeFileSync(path, "Dear diary, ".repeat(5000)),
  "a header of zeros": (path) => overwrite(path, 0, new Uint8Array(100)),
  "noise instead of its schema": (path) => overwrite(path, 100, noise(PAGE_BYTES - 100, 3)),
  "noise in every page after the first": (path) =>
    overwrite(path, PAGE_BYTES, noise(statSync(path).size - PAGE_BYTES, 5)),
  "zeros in every page after the first": (path) =>
    overwrite(path, PAGE_BYTES, new Uint8Array(statSync(path).size - PAGE_BYTES)),
  "an older schema": (path) => sql(path, "PRAGMA user_version = 1; DROP TABLE forgotten"),
  "a newer schema": (path) => sql(path, "PRAGMA user_version = 99"),
  "other words": (path) =>
    sql(path, "UPDATE state SET value = '0' WHERE name = 'version'; DELETE FROM documents"),
  "a place that is not one": (path) => sql(path, "UPDATE state SET value = '[7' WHERE name = 'place'"),
  "the place of another store": (path) => sql(path, "UPDATE state SET value = '[1,7]' WHERE name = 'place'"),
  "languages that are not any": (path) => sql(path, "UPDATE state SET value = 'x' WHERE name = 'languages'"),
  "one table less": (path) => sql(path, "DROP TABLE conversations"),
  "no words": (path) => sql(path, "DROP TABLE vocabulary; DROP TABLE instances; DROP TABLE words"),
};

function sql(path: string, text: string): void {
  using database = new DatabaseSync(path);
  database.exec(text);
}

// The file is the same for every engine.
const engine = "jsonl";

describe("the file of an index", () => {
  it.each(Object.keys(DAMAGE))("is built again from %s", async (name) => {
    const place = new Place(engine);
    await filled(place);
    DAMAGE[name]?.(place.index);
    await using store = await place.open();
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
    expect((await store.search("keepers channel:cli role:user")).indexed).toBe(true);
    await (await store.open("cli:a")).append(say("after the damage"));
    expect(await found(store, "damage")).toEqual(["after the damage"]);
  });

  it("answers right wherever a page is damaged", async () => {
    const place = new Place(engine);
    await filled(place);
    const whole = readFileSync(place.index);
    for (let page = 1; page < whole.length / PAGE_BYTES; page++) {
      writeFileSync(place.index, whole);
      overwrite(place.index, page * PAGE_BYTES, noise(PAGE_BYTES, page));
      await using store = await place.open();
      // A damaged page that this search does not need stays unnoticed, which is all right.
      for (const text of ["number17", "lighthouse", "numbre18 in:text", "keepers channel:cli"]) {
        const { hits, indexed } = await store.search(text);
        expect([hits.length > 0, indexed], `${text}, page ${page}`).toEqual([true, true]);
      }
    }
  });

  it("is repaired when it is damaged while it is open", async () => {
    const place = new Place(engine);
    await using store = await place.open();
    await (await store.open("cli:a")).append(say(...TEXTS));
    await store.search("number17");
    sql(place.index, "PRAGMA wal_checkpoint(TRUNCATE)");
    overwrite(place.index, PAGE_BYTES, noise(statSync(place.index).size - PAGE_BYTES, 5));
    await (await store.open("cli:a")).append(say("after the damage"));
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
    expect(await found(store, "damage")).toEqual(["after the damage"]);
  });

  it("can be built again when it is damaged", async () => {
    const place = new Place(engine);
    await filled(place);
    overwrite(place.index, PAGE_BYTES, noise(statSync(place.index).size - PAGE_BYTES, 5));
    await using store = await place.open();
    await store.rebuildSearch();
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
  });

  it("is made anew when it is removed while it is open", async () => {
    const place = new Place(engine);
    await using store = await place.open();
    await (await store.open("cli:a")).append(say(...TEXTS));
    await store.search("number17");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(place.index + suffix);
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
    expect(existsSync(place.index)).toBe(true);
  });

  it("is made anew when only its log is left", async () => {
    const place = new Place(engine);
    await filled(place);
    rmSync(place.index);
    writeFileSync(`${place.index}-wal`, noise(5000, 1));
    await using store = await place.open();
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
  });

  it("leaves a database of another program alone, and is kept in memory", async () => {
    const place = new Place(engine);
    await using first = await place.open();
    await (await first.open("cli:a")).append(say(...TEXTS));
    await first.close();
    sql(place.index, "CREATE TABLE recipes (text); INSERT INTO recipes VALUES ('two eggs')");
    const before = readFileSync(place.index);
    await using store = await place.open();
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
    expect(readFileSync(place.index).equals(before)).toBe(true);
    expect(place.problems.map(({ message }) => message).join()).toContain("belongs to another program");
  });

  it("is kept in memory while a folder is in its place, and in a file afterwards", async () => {
    const place = new Place(engine);
    await using store = await place.open();
    await (await store.open("cli:a")).append(say(...TEXTS));
    mkdirSync(place.index);
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
    await expect(store.rebuildSearch()).rejects.toThrow("is a folder");
    await store.search("number18");
    expect(place.problems.length).toBe(1);
    rmdirSync(place.index);
    expect(await found(store, "number17")).toEqual([TEXTS[17]]);
    expect(statSync(place.index).isFile()).toBe(true);
  });

  it("is not made again by an append, nor by closing the store", async () => {
    const place = new Place(engine);
    await filled(place);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(place.index + suffix, { force: true });
    const store = await place.open();
    await (await store.open("cli:a")).append(say("new"));
    await store.close();
    expect(existsSync(place.index)).toBe(false);
  });
});
