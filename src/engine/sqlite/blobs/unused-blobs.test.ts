import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { MessageInput } from "../../../message/types.ts";
import { PAGE_BYTES } from "../../../sqlite/open.ts";
import { openStore } from "../../../store/open.ts";
import { sha256Hex } from "../../../util/sha256.ts";
import { inOneGo } from "../../../util/steps.ts";
import type { BlobOperation } from "../../operations.ts";
import { connect } from "../connection.ts";
import { SqliteEngine } from "../sqlite-engine.ts";
import { prepareStatements } from "../statements.ts";
import { Blobs } from "./blobs.ts";
import { takeUnused, type UnusedBlobs } from "./unused-blobs.ts";

const OPTIONS = { readonly: false, durability: "process", lockWaitMs: 1000, onProblem: () => {} } as const;
const [AT, LATER] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"] as const;

const WORDS = "shared ".repeat(9000);
const HASH = sha256Hex(WORDS);
const [TABLE_LEAF, INDEX_LEAF] = [13, 10];

const result = (content: string): MessageInput => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t", content }],
});

/** Two conversations that refer to one blob. */
async function shared(): Promise<{ path: string; one: string; two: string }> {
  const path = join(tempFolder(), "store.db");
  const store = await openStore(`sqlite:${path}`);
  const [one, two] = [await store.create(), await store.create()];
  for (const chat of [one, two]) await chat.append(result(WORDS));
  await store.close();
  return { path, one: one.id, two: two.id };
}

/** Change a digit of the hash in the second reference, in a leaf of the table or of the index. */
function flip(path: string, pageType: number | undefined): void {
  const bytes = readFileSync(path);
  const reference = Buffer.from(`"hash":"${HASH}`);
  const found: number[] = [];
  for (let at = bytes.indexOf(reference); at !== -1; at = bytes.indexOf(reference, at + 1)) {
    if (bytes[at - (at % PAGE_BYTES)] === pageType) found.push(at + reference.length - 1);
  }
  expect(found).toHaveLength(2);
  // Pages are filled from their end.
  const [at] = found as [number, number];
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

function storedBlob(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("SELECT 1 FROM blobs WHERE hash = ?").get(HASH);
  database.close();
  return row !== undefined;
}

describe("a blob that is in use", () => {
  it("stays when the index of references is damaged", async () => {
    const { path, one, two } = await shared();
    flip(path, INDEX_LEAF);
    const store = await openStore(`sqlite:${path}`);
    expect(await store.purge(one, { force: true })).toMatchObject({ entries: 1, blobs: 0 });
    const chat = await store.get(two);
    expect((await chat?.messages())?.items[0]?.message.content).toEqual(result(WORDS).content);
    await store.close();
  });

  it("stays when the entry that refers to it is damaged, and the receipt says so", async () => {
    const { path, one } = await shared();
    flip(path, INDEX_LEAF);
    flip(path, TABLE_LEAF);
    const problems: string[] = [];
    const store = await openStore(`sqlite:${path}`, { onProblem: ({ message }) => problems.push(message) });
    const receipt = await store.purge(one, { force: true });
    await store.close();
    expect({ receipt, isStored: storedBlob(path) }).toMatchObject({
      receipt: { blobs: 0, copies: [path] },
      isStored: true,
    });
    expect(problems.join()).toContain("does not match its checksum");
  });

  it("stays when an entry refers to it while it is searched for, or when it is uploaded again", async () => {
    const path = join(tempFolder(), "store.db");
    const engine = await SqliteEngine.open(path, OPTIONS);
    const create = {
      type: "create",
      idGiven: false,
      key: null,
      title: null,
      channel: null,
      model: null,
    } as const;
    await engine.commit([{ ...create, id: "a", profileId: null, at: AT, resume: false }]);
    const keep = (data: Buffer) => ({ hash: sha256Hex(data), size: data.length, encoding: "none" }) as const;
    const upload = (text: string, name: string, at: string): BlobOperation => {
      const data = Buffer.from(text);
      return { type: "blob", upload: name, position: 0, data, keep: keep(data), at };
    };
    await engine.commit(["used", "again", "unused"].map((text) => upload(text, text, AT)));
    const database = await connect(path, OPTIONS);
    const sql = prepareStatements(database);
    const searcher = new Blobs(sql);
    searcher.collect({ type: "collect", before: LATER, at: LATER });
    const unused = takeUnused(sql, searcher, false) as UnusedBlobs;
    inOneGo(unused.search());
    const blobs = [{ ...keep(Buffer.from("used")), path: ["content"], as: "text" as const }];
    const entry = { id: "1", idGiven: false, kind: "message", at: LATER, json: "{}", blobs };
    const append = { type: "append", operationId: undefined, expectedHead: undefined, at: LATER } as const;
    await engine.commit([
      { ...append, conversation: "a", entries: [entry] },
      upload("again", "second", LATER),
    ]);
    expect(unused.drop()).toEqual({ blobs: 1, bytes: 6 });
    expect(unused.drop()).toBeUndefined();
    database.close();
    const sizes = ["used", "again", "unused"].map(async (text) => engine.blob(sha256Hex(text), 0, 9));
    expect((await Promise.all(sizes)).map((part) => part?.size)).toEqual([4, 5, undefined]);
    await engine.close();
  });
});

describe("a blob that was in use", () => {
  it("is removed by the next opener if the process was killed before it looked for references", async () => {
    const { path, one, two } = await shared();
    const engine = await SqliteEngine.open(path, OPTIONS);
    await engine.commit(
      [one, two].map((conversation) => ({ type: "purge", conversation, force: true, at: AT })),
    );
    await engine.close();
    expect(storedBlob(path)).toBe(true);
    await (await openStore(`sqlite:${path}`)).close();
    expect(storedBlob(path)).toBe(false);
  });
});
