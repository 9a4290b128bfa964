/** Databases of other programs with damaged pages: what is intact is imported, and the rest once they are mended. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { ENGINES } from "../process/child-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

const PAGE_BYTES = 4096;
const SESSIONS = 12;
const MESSAGES = 40;

const TMPDIR = process.env.TMPDIR;
let folder: string;
beforeEach(() => {
  folder = tempFolder();
  // Of its own, to see what is left in it.
  process.env.TMPDIR = join(folder, "temporary");
  mkdirSync(process.env.TMPDIR);
});
afterEach(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

/** A database of opencode that is closed. */
function opencode(): string {
  mkdirSync(join(folder, "opencode"));
  const path = join(folder, "opencode/opencode.db");
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT, title TEXT, version TEXT,
      time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
      time_updated INTEGER, data TEXT);
    CREATE INDEX message_session_idx ON message (session_id);
    CREATE INDEX part_message_idx ON part (message_id);
    CREATE INDEX part_session_idx ON part (session_id);
    BEGIN;`);
  for (let session = 0; session < SESSIONS; session++) {
    const own = `ses_${pad(session)}`;
    const put = "INSERT INTO session VALUES (?, 'p', '/d', ?, '1', ?, 1)";
    database.prepare(put).run(own, `Talk ${session} ${"title ".repeat(40)}`, session);
    for (let index = 0; index < MESSAGES; index++) {
      const [id, time] = [`msg_${pad(session)}_${pad(index)}`, index + 1];
      const data = JSON.stringify({
        role: "user",
        time: { created: time },
        summary: { title: "t".repeat(100) },
      });
      database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(id, own, time, time, data);
      const part = JSON.stringify({ type: "text", text: `${own} ${index} ${"words ".repeat(60)}` });
      database.prepare("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)").run(`prt_${id}`, id, own, part);
    }
  }
  database.exec("COMMIT");
  database.close();
  return path;
}

function pad(number: number): string {
  return String(number).padStart(3, "0");
}

/** The pages of a table or an index that have its rows, without those above them, in their order in the file. */
function leavesOf(path: string, name: string): number[] {
  using database = new DatabaseSync(path);
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage;
  const bytes = readFileSync(path);
  const leaves: number[] = [];
  const visit = (page: number): void => {
    const at = (page - 1) * PAGE_BYTES;
    const isLeaf = (bytes[at] as number) > 8;
    if (isLeaf) return void leaves.push(page);
    for (let cell = 0; cell < bytes.readUInt16BE(at + 3); cell++)
      visit(bytes.readUInt32BE(at + bytes.readUInt16BE(at + 12 + 2 * cell)));
    visit(bytes.readUInt32BE(at + 8));
  };
  visit(Number(root));
  return leaves;
}

/** Flips the bytes of the head of a page, and of some of its cells. */
function damage(path: string, ...pages: readonly (number | undefined)[]): void {
  const bytes = readFileSync(path);
  for (const page of pages) {
    const at = ((page as number) - 1) * PAGE_BYTES;
    for (let index = at; index < at + 200; index++) bytes[index] = (bytes[index] as number) ^ 0xff;
  }
  writeFileSync(path, bytes);
}

/** The texts of all conversations. */
async function textsIn(store: Store): Promise<string[]> {
  const texts: string[] = [];
  for await (const { id } of store.list()) {
    for await (const { message } of (await store.snapshot(id)).log()) {
      const content = Array.isArray(message?.content) ? message.content : [];
      texts.push(...content.flatMap((block) => ("text" in block ? String(block.text) : [])));
    }
  }
  return texts.map((text) => text.split(" ").slice(0, 2).join(" ")).sort();
}

const ALL = Array.from(
  { length: SESSIONS * MESSAGES },
  (_, index) => `ses_${pad(Math.floor(index / MESSAGES))} ${index % MESSAGES}`,
).sort();

/** Imports the database, checks what came of it, mends it, and checks that all of it is there. */
async function importTwice(
  engine: string,
  path: string,
  change: () => void,
  expected: { readonly lost: readonly RegExp[]; readonly missing: (texts: readonly string[]) => void },
): Promise<void> {
  const whole = readFileSync(path);
  change();
  await using store = await openStore(`${engine}:${join(folder, "store")}`);
  const { skipped } = await importConversations(store, [path]);
  expect(skipped.map(({ reason }) => reason)).toEqual(
    expected.lost.map((reason) => expect.stringMatching(reason)),
  );
  const texts = await textsIn(store);
  expect(texts).toEqual(ALL.filter((text) => texts.includes(text)));
  expected.missing(ALL.filter((text) => !texts.includes(text)));
  expect(readdirSync(tmpdir())).toEqual([]);
  // Looking for what is intact takes time, which a watch would take every minute.
  expect(await importConversations(store, [path])).toMatchObject({ messages: 0, unchanged: 1, skipped });
  writeFileSync(path, whole);
  expect(await importConversations(store, [path])).toMatchObject({ skipped: [] });
  expect([...new Set(await textsIn(store))]).toEqual(ALL);
  expect(await importConversations(store, [path])).toMatchObject({ messages: 0, skipped: [] });
  expect((await importConversations(store, [path], { verify: true })).missing).toEqual([]);
}

const DAMAGED = /^is damaged: what is intact was read$/;

describe.each(ENGINES)("a damaged database of opencode, imported into %s", (engine) => {
  it.each(["part", "message"])("gives what is intact, and the rest once it is mended: %s", async (table) => {
    const path = opencode();
    const leaves = leavesOf(path, table);
    await importTwice(engine, path, () => damage(path, leaves[3], leaves[4], leaves[20], leaves.at(-1)), {
      lost: [DAMAGED, new RegExp(`^\\d+ rows of ${table} could not be read: session_id ses_.*, ses_011$`)],
      missing: (texts) => {
        expect(texts.length).toBeGreaterThan(10);
        expect(texts.length).toBeLessThan(100);
        expect(texts).toContain("ses_011 39");
      },
    });
  });
});

describe("a damaged database of opencode", () => {
  const nothing = (texts: readonly string[]): void => expect(texts).toEqual([]);

  it("gives the messages of sessions whose rows are lost", async () => {
    const path = opencode();
    await importTwice("sqlite", path, () => damage(path, leavesOf(path, "session")[0]), {
      lost: [DAMAGED, /^\d+ rows of session could not be read$/],
      missing: nothing,
    });
  });

  it.each(["message_session_idx", "part_message_idx", "sqlite_autoindex_message_1"])(
    "gives everything if an index is damaged: %s",
    async (index) => {
      const path = opencode();
      const damageAll = (): void => damage(path, ...leavesOf(path, index));
      await importTwice("sqlite", path, damageAll, { lost: [DAMAGED], missing: nothing });
    },
  );

  it("gives what is intact if no index is", async () => {
    const path = opencode();
    const indexes = ["part_message_idx", "part_session_idx", "sqlite_autoindex_part_1"];
    const pages = indexes.flatMap((index) => leavesOf(path, index));
    await importTwice("sqlite", path, () => damage(path, ...pages, leavesOf(path, "part").at(-1)), {
      lost: [DAMAGED, /^rows of part could not be read$/],
      missing: (texts) => expect(texts).toContain("ses_011 39"),
    });
  });

  it("whose rows are not JSON any more is read again once it is mended", async () => {
    const path = opencode();
    const change = (): void => {
      const bytes = readFileSync(path);
      bytes.write("!", bytes.indexOf('{"type":"text","text":"ses_004 7 '));
      writeFileSync(path, bytes);
    };
    await using store = await openStore(`sqlite:${join(folder, "store")}`);
    const whole = readFileSync(path);
    change();
    expect(await importConversations(store, [path])).toMatchObject({
      skipped: [{ reason: "the data of prt_msg_004_007 is not a JSON object" }],
    });
    expect(await textsIn(store)).not.toContain("ses_004 7");
    writeFileSync(path, whole);
    expect(await importConversations(store, [path])).toMatchObject({ skipped: [] });
    expect([...new Set(await textsIn(store))]).toEqual(ALL);
  });
});
