import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Engine, EngineOptions } from "../engine.ts";
import type { AppendOperation, Operation, Outcome } from "../operations.ts";
import type { FeedPlace } from "../queries.ts";
import { SqliteEngine } from "./sqlite-engine.ts";

const AT = "2026-01-01T00:00:00.000Z";
const LATER = "2026-01-02T00:00:00.000Z";
const OPTIONS: EngineOptions = {
  readonly: false,
  durability: "process",
  lockWaitMs: 5000,
  onProblem: (problem) => {
    throw problem;
  },
};

const open = (path = join(tempFolder(), "store.db")): Promise<SqliteEngine> =>
  SqliteEngine.open(path, OPTIONS);

const create = (id: string): Operation => {
  const nothing = { key: null, title: null, channel: null, model: null, profileId: null };
  return { type: "create", id, idGiven: true, ...nothing, at: AT, resume: false };
};

function append(conversation: string, ...ids: string[]): AppendOperation {
  const json = JSON.stringify({ role: "user", content: "word" });
  const entries = ids.map((id) => ({ id, idGiven: true, kind: "message", at: AT, json }));
  return { type: "append", conversation, entries, operationId: undefined, expectedHead: undefined, at: AT };
}

/** An append of one entry that refers to a blob. */
function referring(conversation: string, id: string, hash: string, size: number): AppendOperation {
  const operation = append(conversation, id);
  const blobs = [{ hash, size, path: [], as: "reference" as const }];
  return { ...operation, entries: operation.entries.map((entry) => ({ ...entry, blobs })) };
}

/** The only outcome of the only operation. */
async function one(engine: Engine, operation: Operation): Promise<Outcome> {
  const [outcome] = await engine.commit([operation]);
  return outcome as Outcome;
}

/** Before the first change. */
async function start(engine: SqliteEngine): Promise<FeedPlace> {
  return [0, (await engine.changes(null, 1)).place[1]];
}

const numbers = async (engine: SqliteEngine): Promise<number[]> =>
  (await engine.changes(await start(engine), 1000)).changes.map(({ place }) => place[0]);

describe("the feed of the SQLite engine", () => {
  it("never reuses a number, whatever this or another connection purges", async () => {
    const path = join(tempFolder(), "store.db");
    const [here, there] = [await open(path), await open(path)];
    await here.commit([create("a"), append("a", "1", "2"), create("b")]);
    const before = (await here.changes(null, 1)).place;
    expect(await numbers(here)).toEqual([1, 2, 3, 4]);
    await here.commit([append("b", "3"), { type: "purge", force: true, conversation: "b", at: AT }]);
    await there.commit([append("a", "4")]);
    await here.commit([{ type: "purge", force: true, conversation: "a", at: AT }]);
    await there.commit([create("c")]);
    const late = (await here.changes(before, 1000)).changes;
    expect(late.map(({ place, type }) => [place[0], type])).toEqual([
      [6, "purged"],
      [8, "purged"],
      [9, "created"],
    ]);
    for (const engine of [here, there]) engine.close();
  });

  it("continues with the next number after it is opened again", async () => {
    const path = join(tempFolder(), "store.db");
    const first = await open(path);
    await first.commit([
      create("a"),
      append("a", "1"),
      { type: "purge", force: true, conversation: "a", at: AT },
    ]);
    first.close();
    const second = await open(path);
    await second.commit([create("b")]);
    expect(await numbers(second)).toEqual([1, 3, 4]);
    second.close();
  });

  it("is read page by page without a gap", async () => {
    const engine = await open();
    await engine.commit([create("a"), append("a", "1", "2"), create("b"), append("b", "3")]);
    const seen: string[] = [];
    for (let place = await start(engine); ; ) {
      const step = await engine.changes(place, 2);
      if (step.changes.length === 0) break;
      seen.push(...step.changes.map(({ type, entry }) => entry?.id ?? type));
      place = step.place;
    }
    expect(seen).toEqual(["created", "1", "2", "created", "3"]);
    engine.close();
  });
});

describe("cached trees of the SQLite engine", () => {
  it("equal those that are read from the marks", async () => {
    const path = join(tempFolder(), "store.db");
    const engine = await open(path);
    await using store = await openStore(engine);
    const chat = await store.create();
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return (seed >> 8) % below;
    };
    await chat.append({ role: "user", content: "first" });
    for (let round = 0; round < 120; round++) {
      const { items } = await chat.messages();
      const names = (await chat.branches()).map(({ name }) => name);
      const any = items[random(items.length)]?.id as string;
      const name = names[random(names.length)] as string;
      const steps = [
        () => chat.append({ role: "user", content: `${round}` }, { branch: name }),
        () => chat.append({ role: "user", content: `${round}` }),
        () => chat.branch(any, { checkout: random(2) === 0 }),
        () => chat.checkout(name),
        () => chat.label(any, round % 3 === 0 ? null : `label ${round}`),
        () => chat.edit(any, { role: "user", content: `edited ${round}` }),
        () => chat.compact({ summarize: () => Promise.resolve("short"), keepMessages: 1 }),
        () => (random(4) === 0 ? chat.flatten() : chat.checkout(name)),
        () => chat.pruneBranches({ names: [name] }),
        () => chat.redact(any),
      ];
      // Not everything is allowed everywhere, such as one more branch at the depth of ten.
      await steps[random(steps.length)]?.().catch(({ code }) => expect(code).not.toBe("INTERNAL_ERROR"));
      const reopened = await open(path);
      expect(await engine.logEnd(chat.id)).toEqual(await reopened.logEnd(chat.id));
      expect((await reopened.verify()).findings).toEqual([]);
      reopened.close();
    }
  });

  it("are read again when another connection has branched", async () => {
    const path = join(tempFolder(), "store.db");
    const [here, there] = [await openStore(`sqlite:${path}`), await openStore(`sqlite:${path}`)];
    const mine = await here.open("cli:x");
    const [first] = (await mine.append(["a", "b"].map((content) => ({ role: "user" as const, content }))))
      .entries;
    const theirs = await there.open("cli:x");
    await theirs.branch(first?.id as string, { name: "other", checkout: true });
    await theirs.append({ role: "user", content: "c" });
    await mine.append({ role: "user", content: "d" });
    const contents = (await mine.messages()).items.map(({ message }) => message?.content);
    expect(contents).toEqual(["a", "c", "d"]);
    await Promise.all([here.close(), there.close()]);
  });
});

describe("blobs in SQLite", () => {
  const bytes = Uint8Array.from({ length: 700_001 }, (_, index) => (index * 31 + (index >> 8)) % 251);
  const hash = "ab".repeat(32);
  const piece = (position: number, end: number, more = {}): Operation => {
    const data = bytes.subarray(position, end);
    return { type: "blob", upload: "u", position, data, at: AT, keep: undefined, ...more };
  };
  const keep = { hash, size: bytes.length, encoding: "none" } as const;

  it("are uploaded in pieces of any size, even if one is repeated, and read from any offset", async () => {
    const engine = await open();
    expect(await one(engine, piece(0, 300_000))).toEqual({ ok: true, length: 300_000 });
    expect(await one(engine, piece(200_000, 300_007))).toEqual({ ok: true, length: 300_007 });
    expect(await engine.blob(hash, 0, 1)).toBeUndefined();
    expect(await one(engine, piece(300_007, 700_001, { keep }))).toEqual({ ok: true, length: 700_001 });
    for (const [offset, length] of [
      [0, 1e9],
      [1, 1],
      [262_143, 2],
      [262_144, 262_144],
      [299_999, 9],
      [700_000, 5],
      [700_001, 5],
    ]) {
      const part = await engine.blob(hash, offset as number, length as number);
      const wanted = bytes.slice(offset, (offset as number) + (length as number));
      expect(part).toEqual({ size: bytes.length, encoding: "none", storedBytes: bytes.length, data: wanted });
    }
    engine.close();
  });

  it("are refused with a gap, and stored once", async () => {
    const engine = await open();
    expect(await one(engine, piece(5, 9))).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    await engine.commit([piece(0, 700_001, { keep }), piece(0, 700_001, { keep, upload: "again" })]);
    expect((await engine.blob(hash, 0, 1e9))?.data).toEqual(bytes);
    await engine.commit([{ type: "collect", before: LATER, at: LATER }]);
    expect(await engine.erase()).toMatchObject({ blobs: 1, bytes: bytes.length });
    engine.close();
  });

  it("are collected when unused and old enough, and so are unfinished uploads", async () => {
    const engine = await open();
    await engine.commit([create("a"), piece(0, 1000, { keep: { ...keep, size: 1000 } })]);
    await engine.commit([piece(0, 500, { upload: "half" }), piece(0, 7, { upload: "late", at: LATER })]);
    const collect = (before: string): Operation => ({ type: "collect", before, at: LATER });
    expect(await one(engine, collect(AT))).toMatchObject({ removed: { blobs: 0, bytes: 0 } });
    await engine.commit([referring("a", "1", hash, 1000)]);
    expect((await engine.page(PAGE)).entries[0]?.blobs).toMatchObject([{ hash, size: 1000 }]);
    expect(await one(engine, collect(LATER))).toMatchObject({ removed: { blobs: 1, bytes: 500 } });
    expect((await engine.blob(hash, 0, 10))?.data).toEqual(bytes.slice(0, 10));
    expect(await engine.erase()).toMatchObject({ blobs: 0 });
    expect(await one(engine, { type: "purge", force: true, conversation: "a", at: AT })).toMatchObject({
      removed: { entries: 1 },
    });
    expect(await engine.erase()).toMatchObject({ blobs: 1, bytes: 1000 });
    expect(await engine.blob(hash, 0, 10)).toBeUndefined();
    engine.close();
  });

  it("stay as long as a damaged reference may refer to them", async () => {
    const path = join(tempFolder(), "store.db");
    const engine = await open(path);
    await engine.commit([create("a"), create("b"), piece(0, 9, { keep: { ...keep, size: 9 } })]);
    await engine.commit([referring("a", "1", hash, 9), referring("b", "1", hash, 9)]);
    const database = new DatabaseSync(path);
    database.exec("UPDATE entries SET blobs = substr(blobs, 3) WHERE n = 3");
    database.close();
    await engine.commit([{ type: "purge", force: true, conversation: "b", at: AT }]);
    await engine.erase();
    expect((await engine.blob(hash, 0, 9))?.data).toHaveLength(9);
    engine.close();
  });
});

const PAGE = {
  conversation: "a",
  direction: "forward",
  from: null,
  limit: 100,
  bytesMax: 1e9,
  kind: undefined,
} as const;

describe("journals in SQLite", () => {
  const journal = (position: number, text: string, more = {}): Operation => {
    return {
      type: "journal",
      conversation: "a",
      epoch: 1,
      turn: "t",
      header: undefined,
      position,
      text,
      ...more,
    };
  };
  const lease: Operation = {
    type: "lease",
    action: "acquire",
    conversation: "a",
    token: "me",
    ttlMs: 60_000,
    wait: false,
  };

  it("keep each half of a surrogate pair, and skip text that is repeated", async () => {
    const engine = await open();
    await engine.commit([create("a"), lease, journal(0, "a\ud83d", { header: { model: "m" } })]);
    expect(await one(engine, journal(1, "\ud83d\ude00b"))).toEqual({ ok: true, length: 4 });
    expect(await one(engine, journal(1, "\ud83d"))).toEqual({ ok: true, length: 4 });
    expect(await engine.turn("a", 0)).toEqual({ id: "t", header: { model: "m" }, text: "a😀b", length: 4 });
    expect([(await engine.turn("a", 2))?.text, (await engine.turn("a", 4))?.text]).toEqual(["\ude00b", ""]);
    engine.close();
  });

  it("refuse a gap, another turn and a lost lease, and end with their append", async () => {
    const engine = await open();
    await engine.commit([create("a"), lease, journal(0, "abc", { header: {} })]);
    const refused = await engine.commit([
      journal(9, "x"),
      journal(0, "x", { turn: "other", header: {} }),
      journal(3, "x", { epoch: 2 }),
      { ...append("a", "1"), endsTurn: "other" },
    ]);
    expect(refused.map((outcome) => (outcome.ok ? "ok" : outcome.error.code))).toEqual([
      "CONFLICT",
      "CONFLICT",
      "CONFLICT",
      "ok",
    ]);
    expect((await engine.turn("a", 0))?.text).toBe("abc");
    await engine.commit([{ ...append("a", "2"), endsTurn: "t", epoch: 1 }]);
    expect(await engine.turn("a", 0)).toBeUndefined();
    expect((await engine.verify()).findings).toEqual([]);
    engine.close();
  });
});
