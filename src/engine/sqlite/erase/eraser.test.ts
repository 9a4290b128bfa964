import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { PAGE_BYTES } from "../../../sqlite/open.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { inOneGo } from "../../../util/steps.ts";
import { waitUntil } from "../../../util/wait.ts";
import { Blobs } from "../blobs/blobs.ts";
import { takeUnused, type UnusedBlobs } from "../blobs/unused-blobs.ts";
import { connect } from "../connection.ts";
import { SqliteEngine } from "../sqlite-engine.ts";
import { prepareStatements } from "../statements.ts";

/** The files of a store that hold the text. Read by another process: reading them here would release our locks. */
function holding(folder: string, text: string): string[] {
  const { stdout } = spawnSync("grep", ["-rlaF", "--", text, folder], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

async function fresh(): Promise<{ folder: string; path: string; store: Store }> {
  const folder = tempFolder();
  const path = join(folder, "store.db");
  return { folder, path, store: await openStore(`sqlite:${path}`) };
}

const say = (content: string): { role: "user"; content: string } => ({ role: "user", content });

describe("purged data", () => {
  it("is removed from every file of the store: messages, titles, keys, context, blobs", async () => {
    const { folder, store } = await fresh();
    const chat = await store.open("cli:CANARY", { title: "CANARY" });
    await chat.append([say("CANARY"), say(`${"x".repeat(30_000)} CANARY`)], { operationId: "op CANARY" });
    // Noise is not compressed, so that the word can be read in the file.
    const data = Buffer.concat([randomBytes(40_000), Buffer.from("CANARY")]).toString("base64");
    const image = { type: "base64", media_type: "image/png", data };
    await chat.append({ role: "user", content: [{ type: "image", source: image }] });
    await chat.update({ contextState: { note: "CANARY" } });
    expect(holding(folder, "CANARY")).not.toEqual([]);
    const receipt = await store.purge(chat.id, { force: true });
    expect(receipt).toMatchObject({ entries: 3, blobs: 1, copies: [] });
    expect(holding(folder, "CANARY")).toEqual([]);
    expect(await store.stats()).toMatchObject({ conversations: 0, entries: 0 });
    await store.close();
    expect(holding(folder, "CANARY")).toEqual([]);
  });

  it("includes the title of a conversation without messages", async () => {
    const { folder, store } = await fresh();
    const chat = await store.create({ title: "CANARY" });
    await store.purge(chat.id, { force: true });
    expect(holding(folder, "CANARY")).toEqual([]);
    await store.close();
  });

  it("does not survive in pages from which other rows were moved", async () => {
    const { folder, store } = await fresh();
    const left: [name: string, chat: Conversation][] = [];
    for (let n = 0; n < 12; n++) left.push([`CANARY-${n}-`, await store.create({ title: `CANARY-${n}-` })]);
    let seed = 2;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return (seed >> 8) % below;
    };
    // Short and long rows in any order, so that pages are joined when some of them go.
    const grow = (count: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: count }, () => {
          const [name, chat] = left[random(left.length)] as [string, Conversation];
          return chat.append(say(`${name} `.repeat([2, 30, 300][random(3)] as number)));
        }),
      );
    await grow(400);
    while (left.length > 0) {
      const [[name, chat]] = left.splice(random(left.length), 1) as [[string, Conversation]];
      await store.purge(chat.id, { force: true });
      expect(holding(folder, name), `${left.length} are left`).toEqual([]);
      if (left.length > 0) await grow(10);
    }
    await store.close();
  });

  it("does not include a blob that others refer to, even from the trash", async () => {
    const { store } = await fresh();
    const part = { type: "tool_result", tool_use_id: "t", content: "shared ".repeat(9000) };
    const [one, two] = [await store.create(), await store.create()];
    for (const chat of [one, two]) await chat.append({ role: "user", content: [part] });
    await store.delete(two.id);
    expect(await store.purge(one.id, { force: true })).toMatchObject({ entries: 1, blobs: 0 });
    await store.restore(two.id);
    expect((await two.messages()).items[0]?.message?.content).toEqual([part]);
    await store.delete(two.id);
    expect(await store.purge(two.id)).toMatchObject({ entries: 1, blobs: 1 });
    await store.close();
  });

  it("is reported in the log while another process reads it, and in copies", async () => {
    const { folder, path, store } = await fresh();
    const chat = await store.create();
    await chat.append(say("CANARY"));
    const copy = `${path}.backup-v1-20260101000000000`;
    writeFileSync(copy, "");
    const reader = spawn(process.execPath, [
      "--input-type=module",
      "-e",
      `const { DatabaseSync } = await import("node:sqlite");
      const database = new DatabaseSync(process.argv[1], { readOnly: true });
      database.exec("BEGIN; SELECT count(*) FROM entries");
      process.stdout.write("reading");
      setInterval(() => {}, 1000);`,
      path,
    ]);
    await once(reader.stdout, "data");
    const receipt = await store.purge(chat.id, { force: true });
    expect(receipt.copies).toEqual([`${path}-wal`, copy]);
    reader.kill("SIGKILL");
    await once(reader, "exit");
    // Asking again completes it.
    await expect(store.purge(chat.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(holding(folder, "CANARY")).toEqual([]);
    await store.close();
  });

  it("is erased by the next opener if the process was killed before", async () => {
    const { folder, path, store } = await fresh();
    const chat = await store.create({ title: "CANARY" });
    await chat.append(say("CANARY"));
    await store.close();
    const engine = new URL("../sqlite-engine.ts", import.meta.url);
    const killed = spawn(process.execPath, [
      "--input-type=module",
      "-e",
      `const { SqliteEngine } = await import(${JSON.stringify(engine.href)});
      const engine = await SqliteEngine.open(process.argv[1], { durability: "full", lockWaitMs: 1000 });
      await engine.commit([{ type: "purge", conversation: process.argv[2], force: true }]);
      process.kill(process.pid, "SIGKILL");`,
      path,
      chat.id,
    ]);
    await once(killed, "exit");
    expect(holding(folder, "CANARY")).not.toEqual([]);
    await (await openStore(`sqlite:${path}`)).close();
    expect(holding(folder, "CANARY")).toEqual([]);
    const again = new DatabaseSync(path, { readOnly: true });
    expect(again.prepare("SELECT count(*) AS n FROM erasures").get()?.n).toBe(0);
    again.close();
  });
});

describe("erasing from a large file", () => {
  it("removes every trace, and no other operation waits for it", async () => {
    const { folder, path, store } = await fresh();
    const chats = await Promise.all(
      Array.from({ length: 12 }, (_, n) => store.create({ title: `CANARY-${n}-` })),
    );
    for (let round = 0; round < 20; round++) {
      const texts = (n: number) => [1, 100, 1000].map((size) => say(`CANARY-${n}- `.repeat(size + round)));
      await Promise.all(chats.map((chat, n) => chat.append(texts(n))));
    }
    const order: string[] = [];
    const purged = chats.slice(0, 6).map((chat) => store.purge(chat.id, { force: true }));
    const receipts = Promise.all(purged).then((all) => {
      order.push("erased");
      return all;
    });
    await (chats[7] as Conversation).append(say("meanwhile"));
    order.push("appended");
    expect((await receipts).map(({ entries, copies }) => [entries, copies])).toEqual(Array(6).fill([60, []]));
    expect(order).toEqual(["appended", "erased"]);
    expect(statSync(path).size).toBeGreaterThan(2 * 1024 * 1024);
    for (let n = 0; n < 6; n++) expect(holding(folder, `CANARY-${n}-`), `of ${n}`).toEqual([]);
    expect((await store.verify()).findings).toEqual([]);
    await store.close();
  });

  it("is reported as not done while a reader keeps the log, and done when it is asked again", async () => {
    const { folder, path, store } = await fresh();
    const chat = await store.create();
    const long = Array.from({ length: 300 }, () => say("x".repeat(9000)));
    const [entry] = (await chat.append([say("CANARY"), ...long])).entries;
    await (await store.create()).append(say("y"));
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM entries");
    expect((await chat.redact(entry?.id as string)).copies).toEqual([path, `${path}-wal`]);
    reader.close();
    expect((await chat.redact(entry?.id as string)).copies).toEqual([]);
    expect(holding(folder, "CANARY")).toEqual([]);
    await store.close();
  });
});

/** A blob of zeros that nothing needs to read. */
function addBlob(path: string, hash: string, chunks: number): void {
  const database = new DatabaseSync(path);
  const bytes = chunks * 256 * 1024;
  database
    .prepare("INSERT INTO blobs (hash, size, encoding, stored_bytes, stored_at) VALUES (?, ?, 'none', ?, 0)")
    .run(hash, bytes, bytes);
  database.exec(`WITH c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < ${chunks - 1})
    INSERT INTO blob_chunks (blob, position, data) SELECT max(n), i * 262144, zeroblob(262144) FROM blobs, c GROUP BY i`);
  database.close();
}

/** What SQLite leaves behind when it moves rows: a word in the gap of a page, the last one that has room for it. */
function plant(path: string, word: string): void {
  const bytes = readFileSync(path);
  const starts = Array.from({ length: bytes.length / PAGE_BYTES - 1 }, (_, page) => (page + 1) * PAGE_BYTES);
  const gapOf = (start: number): [from: number, to: number] => [
    start + 8 + 2 * bytes.readUInt16BE(start + 3),
    start + bytes.readUInt16BE(start + 5),
  ];
  const page = starts.findLast((start) => {
    const [from, to] = gapOf(start);
    return bytes[start] === 13 && to - from > 2 * word.length;
  });
  bytes.write(word, gapOf(page as number)[0] + 2);
  writeFileSync(path, bytes);
}

function countOf(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  database.close();
  return Number(row?.n);
}

describe("an erasure that ends halfway", () => {
  const options = { readonly: false, durability: "process", lockWaitMs: 1000, onProblem: () => {} } as const;
  const at = "2026-01-01T00:00:00.000Z";

  it("leaves a large blob without a name, and the next opener deletes the rest of it", async () => {
    const { path, store } = await fresh();
    await store.close();
    const hashes = ["a", "b", "c"].map((letter) => letter.repeat(64));
    for (const hash of hashes) addBlob(path, hash, 24);
    const database = await connect(path, options);
    const sql = prepareStatements(database);
    const blobs = new Blobs(sql);
    blobs.collect({ type: "collect", before: at, at });
    const unused = takeUnused(sql, blobs, false) as UnusedBlobs;
    inOneGo(unused.search());
    for (const _ of hashes) expect(unused.drop()).toEqual({ blobs: 1, bytes: 24 * 256 * 1024 });
    expect(unused.drop()).toBeUndefined();
    for (const hash of hashes) expect(blobs.part(hash, 0, 1)).toBeUndefined();
    expect(blobs.dropReleased()).toBe(true);
    // One transaction deletes 2 MB at most.
    expect(countOf(path, "blob_chunks")).toBe(64);
    database.close();
    const copy = join(tempFolder(), "copy.db");
    const left = await SqliteEngine.open(path, { ...options, readonly: true });
    expect((await left.verify()).findings).toEqual([]);
    await left.backup(copy);
    expect([countOf(copy, "blobs"), countOf(copy, "blob_chunks")]).toEqual([0, 0]);
    await left.close();
    await (await openStore(`sqlite:${path}`)).close();
    expect(["blobs", "blob_chunks", "erasures"].map((table) => countOf(path, table))).toEqual([0, 0, 0]);
  });

  it("is completed by the next opener when the process that scrubs is killed", {
    timeout: 60_000,
  }, async () => {
    const { folder, path, store } = await fresh();
    const chats = await Promise.all(
      Array.from({ length: 8 }, (_, n) => store.create({ title: `CANARY-${n % 2}-` })),
    );
    // In front of the rest, so that the process is far from the end when its first slice ends.
    addBlob(path, "a".repeat(64), 120);
    for (const [n, chat] of chats.entries())
      await chat.append(Array.from({ length: 20 }, () => say(`CANARY-${n % 2}- `.repeat(90))));
    await store.close();
    const engine = await SqliteEngine.open(path, options);
    for (const [n, { id }] of chats.entries())
      if (n % 2 === 0) await engine.commit([{ type: "purge", conversation: id, force: true, at }]);
    await engine.close();
    plant(path, "CANARY-0-");
    const script = new URL("../../../sqlite/scrub-process.ts", import.meta.url);
    const scrubber = spawn(process.execPath, [fileURLToPath(script), path]);
    const exit = once(scrubber, "exit");
    // The commit that ends its first slice.
    const watch = new DatabaseSync(path, { readOnly: true });
    const version = watch.prepare("PRAGMA data_version");
    const before = version.get()?.data_version;
    expect(await waitUntil(() => version.get()?.data_version !== before, 30_000)).toBe(true);
    scrubber.kill("SIGKILL");
    await exit;
    watch.close();
    expect(countOf(path, "erasures")).toBe(4);
    await (await openStore(`sqlite:${path}`)).close();
    expect(holding(folder, "CANARY-0-")).toEqual([]);
    expect(holding(folder, "CANARY-1-")).toEqual([path]);
    expect(countOf(path, "erasures")).toBe(0);
  });
});

describe("redacted data", () => {
  it("is removed from every file of the store, and all else is unchanged", async () => {
    const { folder, store } = await fresh();
    const chat = await store.create();
    const part = { type: "tool_result", tool_use_id: "t", content: "CANARY ".repeat(9000) };
    await chat.append([say("before"), say("CANARY"), { role: "user", content: [part] }, say("after")]);
    const { items } = await chat.messages();
    expect(await chat.redact(items[1]?.id as string)).toMatchObject({ entries: 1, blobs: 0, copies: [] });
    expect(await chat.redact(items[2]?.id as string)).toMatchObject({ entries: 1, blobs: 1, copies: [] });
    expect(holding(folder, "CANARY")).toEqual([]);
    const left = (await chat.messages()).items;
    expect(left.map(({ id, parentId }) => [id, parentId])).toEqual(
      items.map(({ id, parentId }) => [id, parentId]),
    );
    expect([left[0], left[3]]).toEqual([items[0], items[3]]);
    expect(await store.verify()).toMatchObject({ ok: true });
    await store.close();
  });
});

describe("purging a long conversation", () => {
  const options = { readonly: false, durability: "process", lockWaitMs: 1000, onProblem: () => {} } as const;

  it("takes several transactions, each of which leaves a valid store", async () => {
    const { folder, path, store } = await fresh();
    const chat = await store.open("cli:CANARY", { title: "CANARY" });
    const [first] = (await chat.append(say("CANARY"), { operationId: "op CANARY" })).entries;
    await chat.append(Array.from({ length: 1100 }, (_, n) => say(`CANARY ${n}`)));
    await chat.branch(first?.id as string, { name: "CANARY", checkout: true });
    await chat.append(Array.from({ length: 1100 }, (_, n) => say(`CANARY ${n}`)));
    await store.close();
    const engine = await SqliteEngine.open(path, options);
    const at = new Date().toISOString();
    const [step] = await engine.commit([{ type: "purge", conversation: chat.id, force: true, at }]);
    expect(step).toMatchObject({ ok: true, removed: { entries: 500, more: true } });
    expect((await engine.verify()).findings).toEqual([]);
    expect(await engine.byKey("cli:CANARY")).toBeUndefined();
    const { changes } = await engine.changes([0, (await engine.changes(null, 1)).place[1]], 10_000);
    expect(changes.slice(-2).map(({ type }) => type)).toEqual(["trashed", "swept"]);
    await engine.close();
    // The next opener finishes it.
    await (await openStore(`sqlite:${path}`)).close();
    expect(holding(folder, "CANARY")).toEqual([]);
    const again = await openStore(`sqlite:${path}`);
    expect(await again.stats()).toMatchObject({ conversations: 0, entries: 0 });
    expect((await again.verify()).findings).toEqual([]);
    await again.close();
  });

  it("is one call with one receipt, and other writes come in between", async () => {
    const { store } = await fresh();
    const [chat, other] = [await store.create(), await store.create()];
    await chat.append(Array.from({ length: 2500 }, (_, n) => say(`${n}`)));
    const order: string[] = [];
    const purging = store.purge(chat.id, { force: true }).then((receipt) => {
      order.push("purged");
      return receipt;
    });
    await other.append(say("meanwhile"));
    order.push("appended");
    expect(await purging).toMatchObject({ entries: 2500, copies: [] });
    expect(order).toEqual(["appended", "purged"]);
    expect(await store.stats()).toMatchObject({ conversations: 1, entries: 1 });
    expect((await store.verify()).findings).toEqual([]);
    await store.close();
  });
});

describe("pruning a long branch", () => {
  it("takes several transactions, and the next opener finishes what a killed process began", async () => {
    const { path, store } = await fresh();
    const chat = await store.create();
    const [first] = (await chat.append([say("q"), say("a")])).entries;
    await chat.branch(first?.id as string, { name: "long", checkout: true });
    await chat.append(Array.from({ length: 1500 }, (_, n) => say(`${n}`)));
    await chat.checkout("main");
    await store.close();
    const engine = await SqliteEngine.open(path, {
      readonly: false,
      durability: "process",
      lockWaitMs: 1000,
      onProblem: () => {},
    });
    const at = new Date().toISOString();
    const data = { type: "prune", branches: [3] };
    const prune = { id: "p", idGiven: true, kind: "info", at, json: JSON.stringify(data), data };
    const append = { type: "append", operationId: undefined, expectedHead: undefined, at } as const;
    await engine.commit([{ ...append, conversation: chat.id, entries: [prune] }]);
    const sweep = { type: "sweep", conversation: chat.id, at } as const;
    expect(await engine.commit([sweep])).toMatchObject([{ ok: true, removed: { entries: 500, more: true } }]);
    expect((await engine.verify()).findings).toEqual([]);
    await engine.close();
    // The next opener finishes it: two messages are left, three entries of the tree, and the place of the branch.
    await (await openStore(`sqlite:${path}`)).close();
    const again = await openStore(`sqlite:${path}`);
    expect(await again.stats()).toMatchObject({ conversations: 1, entries: 6 });
    expect((await again.verify()).findings).toEqual([]);
    await again.close();
  });
});
