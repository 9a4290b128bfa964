/** Rows of a database that are longer than a segment, which their tool changes in place. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { writeOriginals } from "../../src/formats/export/original/write-originals.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { resumeConversation } from "../../src/formats/resume/resume.ts";
import { openStore } from "../../src/store/open.ts";
import { recordGroups } from "../../src/store/originals/blank-segments.ts";
import type { Store } from "../../src/store/store.ts";
import { sha256Hex } from "../../src/util/sha256.ts";
import { damageBlobs } from "../support/damage-blobs.ts";
import { tempFolder } from "../support/temp-folder.ts";

const KEY = "opencode:s1";
const KIB = 1024;

/** A database of opencode with one session. */
class Session {
  readonly folder: string = join(tempFolder(), "sources");
  readonly #path: string = join(this.folder, "opencode.db");
  #time = 1;

  constructor(texts: readonly string[]) {
    mkdirSync(this.folder);
    this.#open((database) => {
      database.exec(`
        CREATE TABLE session (id TEXT, project_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER,
          time_updated INTEGER);
        CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
        CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
        INSERT INTO session VALUES ('s1', 'p', '/d', 'Rows', '1', 1, 1);`);
      for (const [index, text] of texts.entries()) {
        const data = JSON.stringify({ role: "user", time: { created: index } });
        database.prepare("INSERT INTO message VALUES (?, 's1', ?, ?)").run(`m${index}`, index, data);
        const part = database.prepare("INSERT INTO part VALUES (?, ?, 's1', ?)");
        part.run(`p${index}`, `m${index}`, dataOf(text));
      }
    });
  }

  change(index: number, text: string): void {
    this.#open((database) => {
      database.prepare("UPDATE part SET data = ? WHERE id = ?").run(dataOf(text), `p${index}`);
      database.prepare("UPDATE session SET time_updated = ?").run(++this.#time);
    });
  }

  /** Every row, as it is kept. */
  get rows(): string[] {
    const rowsOf = (database: DatabaseSync, table: string): string[] =>
      database
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => JSON.stringify({ table, row }));
    return this.#open((database) =>
      ["session", "message", "part"].flatMap((table) => rowsOf(database, table)),
    );
  }

  #open<T>(work: (database: DatabaseSync) => T): T {
    const database = new DatabaseSync(this.#path);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
}

function dataOf(text: string): string {
  return JSON.stringify({ type: "text", text });
}

/** Text that repeats nothing. */
function words(seed: number, length: number): string {
  const word = (index: number): string => Math.sin(seed * 7919 + index).toString(36);
  return Array.from({ length: Math.ceil(length / 8) }, (_, index) => word(index))
    .join(" ")
    .slice(0, length);
}

/** Of the same length, so that most of its pieces stay as they are. */
function changed(text: string): string {
  const middle = text.length >> 1;
  return `${text.slice(0, middle)}CHANGED${text.slice(middle + 7)}`;
}

/** A text whose row takes this many bytes. */
function textFor(index: number, bytes: number): string {
  const row = { id: `p${index}`, message_id: `m${index}`, session_id: "s1", data: dataOf("") };
  return words(index, bytes - Buffer.byteLength(`${JSON.stringify({ table: "part", row })}\n`));
}

async function exported(store: Store): Promise<string> {
  const id = (await store.get(KEY))?.id as string;
  const [written, ...others] = await writeOriginals(store, [id], tempFolder());
  expect(others).toEqual([]);
  return readFileSync(written?.path as string, "utf8");
}

/** Each row once, in a form that can be read where they differ. */
function shown(rows: Iterable<string>): string[] {
  return [...rows].map((row) => `${row.slice(0, 30)} ${row.length} ${sha256Hex(row)}`).sort();
}

async function keptRows(store: Store): Promise<string[]> {
  const text = await exported(store);
  expect(text.endsWith("\n")).toBe(true);
  return shown(text.slice(0, -1).split("\n"));
}

async function restoredTexts(store: Store): Promise<string[]> {
  const id = (await store.get(KEY))?.id as string;
  const [home, data] = [tempFolder(), tempFolder()];
  const { files } = await resumeConversation(store, id, { home, data, environment: {} }, tempFolder());
  const { messages } = JSON.parse(readFileSync(files[0]?.path as string, "utf8"));
  return messages.map(({ parts }: { parts: { text: string }[] }) => parts[0]?.text);
}

describe.each(["sqlite", "jsonl"])("a long row that its tool changes a little, in %s", (engine) => {
  it("is kept whole, in each of its forms", async () => {
    const texts = [words(0, 100), words(1, 700 * KIB), words(2, 300), words(3, 2048 * KIB), words(4, 50)];
    const session = new Session(texts);
    await using store = await openStore(`${engine}:${join(tempFolder(), "store")}`);
    await importConversations(store, [session.folder]);
    const all = new Set(session.rows);
    expect(await keptRows(store)).toEqual(shown(all));
    for (const index of [1, 3]) {
      texts[index] = changed(texts[index] as string);
      session.change(index, texts[index]);
      await importConversations(store, [session.folder]);
      for (const row of session.rows) all.add(row);
      expect(await keptRows(store)).toEqual(shown(all));
    }
    expect(await restoredTexts(store)).toEqual(texts);
    expect((await store.verify()).findings).toEqual([]);
    expect(await importConversations(store, [session.folder], { verify: true })).toMatchObject({
      missing: [],
    });
    await importConversations(store, [session.folder], { again: true });
    expect(await keptRows(store)).toEqual(shown(all));
  });
});

/** Records of more than the last are cut, into pieces of the first. */
const LIMITS = [256 * KIB, 512 * KIB];

it("rows are kept whole on both sides of every limit", async () => {
  const sizes = LIMITS.flatMap((limit) => [limit - 1, limit, limit + 1]);
  const all = [...sizes, 768 * KIB, 768 * KIB + 1];
  const texts = all.map((bytes, index) => textFor(index, bytes));
  const session = new Session(texts);
  const lengths = session.rows.map((row) => row.length + 1);
  expect(lengths.filter((bytes) => bytes > 1000)).toEqual(all);
  await using store = await openStore("ephemeral:");
  await importConversations(store, [session.folder]);
  const rows = new Set(session.rows);
  expect(await keptRows(store)).toEqual(shown(rows));
  for (const [index, text] of texts.entries()) session.change(index, changed(text));
  const { missing } = await importConversations(store, [session.folder], { verify: true });
  const reasons = missing.map(({ reason }) => /^(\d+) bytes of the original are not/.exec(reason)?.[1]);
  const bytes = reasons.reduce((sum, found) => sum + Number(found ?? 0), 0);
  // And the row of the session, which has another time.
  expect(bytes).toBe(all.reduce((sum, length) => sum + length, 0) + (session.rows[0]?.length ?? 0) + 1);
  await importConversations(store, [session.folder]);
  for (const row of session.rows) rows.add(row);
  expect(await keptRows(store)).toEqual(shown(rows));
  expect(await restoredTexts(store)).toEqual(texts.map(changed));
  expect(await importConversations(store, [session.folder], { verify: true })).toMatchObject({ missing: [] });
});

it("words that were erased from long rows do not come back with another import", async () => {
  // All over the row, and across the ends of its segments.
  const long = (index: number): string => `The launch code of ${index} is 7781. `.repeat(40_000);
  const texts = Array.from({ length: 52 }, (_, index) => (index < 47 ? `Message ${index}` : long(index)));
  const session = new Session(texts);
  await using store = await openStore("ephemeral:");
  await importConversations(store, [session.folder]);
  const chat = await store.open(KEY);
  const erased = [47, 48, 49, 50];
  for (const index of erased) await chat.redact(`m${index}`);
  const text = await exported(store);
  for (const index of erased) expect(text).not.toContain(`code of ${index}`);
  expect(text).toContain("code of 51");
  const rows = await keptRows(store);
  expect(await importConversations(store, [session.folder], { verify: true })).toMatchObject({ missing: [] });
  await importConversations(store, [session.folder], { again: true });
  expect(await keptRows(store)).toEqual(rows);
  for (const index of erased) session.change(index, `${long(index)}And more.`);
  await importConversations(store, [session.folder]);
  const after = await exported(store);
  for (const index of erased) expect(after).not.toContain(`code of ${index}`);
  expect((await store.verify()).findings).toEqual([]);
});

/** Of each row, the one piece that is damaged; `undefined` stands for all. */
const PIECES = [undefined, 0, 1, 2];

describe.each(["sqlite", "jsonl"])("rows whose segments are damaged, in %s", (engine) => {
  it.each(PIECES)("are reported, and healed by the next import (piece %s)", async (piece) => {
    const sizes = [9, 700, 9, 600, 9].map((size) => size * KIB);
    const session = new Session(sizes.map((size, index) => words(index, size)));
    const place = join(tempFolder(), "store");
    const damaged = new Set<string>();
    {
      await using store = await openStore(`${engine}:${place}`);
      await importConversations(store, [session.folder]);
      const id = (await store.get(KEY))?.id as string;
      const segments = (await store.ingest().originals(id)).flatMap(({ announcements }) =>
        announcements.flatMap((announcement) => announcement.segments),
      );
      for (const group of recordGroups(segments)) {
        for (const [index, { hash }] of group.entries()) if (index === (piece ?? index)) damaged.add(hash);
      }
    }
    damageBlobs(engine, place, (hash) => damaged.has(hash));
    await using store = await openStore(`${engine}:${place}`);
    const { missing } = await importConversations(store, [session.folder], { verify: true });
    expect(missing).toHaveLength(damaged.size);
    for (const { reason } of missing) expect(reason).toMatch(/bytes of the original are damaged$/);
    const short = shown(session.rows.filter((row) => row.length < 100 * KIB));
    // Rows beside those that have lost a piece are whole.
    if (piece === 1 || piece === 2) expect(await keptRows(store)).toEqual(expect.arrayContaining(short));
    await importConversations(store, [session.folder]);
    expect((await store.verify()).findings).toEqual([]);
    expect(await keptRows(store)).toEqual(shown(session.rows));
    await importConversations(store, [session.folder], { again: true });
    expect(await keptRows(store)).toEqual(shown(session.rows));
  });
});
