import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { randomFrom } from "../../conformance/random.ts";
import { ColloquyError } from "../../errors.ts";
import type { Conversation } from "../conversation.ts";
import { openStore, type StoreOptions } from "../open.ts";
import type { Store } from "../store.ts";

const ENGINES = ["ephemeral", "jsonl", "sqlite"] as const;
type EngineName = (typeof ENGINES)[number];

function open(engine: EngineName, place: string, options: StoreOptions = {}): Promise<Store> {
  const durability = engine === "ephemeral" ? {} : { durability: "process" as const };
  return openStore(`${engine}:${place}`, { ...durability, onWarning: () => {}, ...options });
}

/** Larger than what stays in a message. */
const PICTURE = Buffer.alloc(40_000, 7).toString("base64");

/** One random change of a conversation. What the tree does not allow is left out. */
async function step(chat: Conversation, random: (below: number) => number, n: number): Promise<void> {
  const { items } = await chat.entries({ all: true, limit: 1000 });
  const messages = items.filter(({ kind }) => kind === "message");
  const some = messages[random(Math.max(1, messages.length))]?.id;
  const branches = (await chat.branches()).map(({ name }) => name);
  const branch = branches[random(branches.length)] as string;
  const say = (text: string): { role: "user"; content: string } => ({ role: "user", content: text });
  const changes: (() => Promise<unknown>)[] = [
    () => chat.append(say(`one ${n}`)),
    () => chat.append([say(`two ${n}`), { role: "assistant", content: `three ${n}`, model: "m" }]),
    () => chat.append(say(`elsewhere ${n}`), { branch, operationId: `op-${n}` }),
    () => chat.branch(some ?? null, { name: `b${n}`, checkout: random(2) === 0 }),
    () => chat.edit(some as string, [say(`edited ${n}`), say(`and more ${n}`)]),
    () => chat.checkout(branch),
    () => chat.flatten(),
    () => chat.pruneBranches({ names: [branch] }),
    () => chat.pruneBranches({ keep: 2 }),
    () => chat.label(some as string, `label ${n}`),
    () => chat.replaceTranscript(say(`anew ${n}`)),
    () => chat.compact({ summarize: async () => `so far ${n}`, keepMessages: 1 }),
    () => chat.redact(some as string),
    () => chat.update({ title: `title ${n}`, contextState: { range: [n, 0.5], ключ: "é" } }),
    () =>
      chat.append({
        role: "user",
        content: [{ type: "image", source: { type: "base64", data: `${PICTURE}` } }],
      }),
  ];
  await (changes[random(changes.length)] as () => Promise<unknown>)().catch((error: unknown) => {
    if (!(error instanceof ColloquyError) || error.code === "INTERNAL_ERROR") throw error;
  });
}

async function fill(store: Store, seed: number): Promise<void> {
  const random = randomFrom(seed);
  let clock = 0;
  for (const key of ["web:a", "web:b", "cli:é ü", "web:trash"]) {
    const chat = await store.open(key, { title: `of ${key}`, model: "m1", profileId: "p" });
    const steps = 5 + random(25);
    for (let n = 0; n < steps; n++) await step(chat, random, clock++);
  }
  await store.delete("web:trash");
  // The key of a trashed conversation is in use again.
  await (await store.open("web:trash")).append({ role: "user", content: "here" });
  await store.create({ title: "empty" });
}

/** Branch by branch, as people read it. */
async function read(store: Store): Promise<unknown> {
  const { items } = await store.list({ limit: 100 });
  const found: Record<string, unknown> = {};
  for (const { id } of items) {
    const chat = (await store.get(id)) as Conversation;
    const branches = await chat.branches();
    const paths = branches.map(async ({ name }) => (await chat.entries({ branch: name, limit: 1000 })).items);
    found[id] = { branches, paths: await Promise.all(paths), labels: await chat.labels() };
  }
  return found;
}

describe("a copy of a store", () => {
  for (const from of ENGINES) {
    for (const to of ENGINES) {
      it(`from ${from} to ${to} holds the same, whatever was done to it`, async () => {
        for (const seed of [1, 2, 3, 4]) {
          const folder = tempFolder();
          await using source = await open(from, join(folder, "from"));
          await fill(source, seed * 31);
          await using target = await open(to, join(folder, "to"));
          const report = await source.copyTo(target);
          expect(report.skipped).toEqual([]);
          expect(report).toMatchObject({ conversations: 6, verified: true });
          expect((await target.verify()).findings).toEqual([]);
          expect(await read(target)).toEqual(await read(source));
          expect((await target.list({ trash: true })).items).toEqual(
            (await source.list({ trash: true })).items,
          );
          // Copying back returns the same hash, and a second copy changes nothing.
          await using back = await open("ephemeral", "");
          expect((await target.copyTo(back)).hash).toBe(report.hash);
          const again = await source.copyTo(target);
          expect(again.items.map(({ added }) => added)).toEqual([0, 0, 0, 0, 0, 0]);
          expect(again).toMatchObject({ hash: report.hash, verified: true, skipped: [] });
        }
      });
    }
  }

  it("takes new entries on the same branches as the source", async () => {
    for (const to of ENGINES) {
      const folder = tempFolder();
      await using source = await open("sqlite", join(folder, "from"));
      await fill(source, 5);
      await using target = await open(to, join(folder, "to"));
      await source.copyTo(target);
      for (const store of [source, target]) {
        for (const key of ["web:a", "web:b"]) {
          const chat = (await store.get(key)) as Conversation;
          const { items } = await chat.messages({ limit: 1 });
          await chat.append({ role: "user", content: "next", id: "next", at: "2026-11-15T00:00:00Z" });
          await chat.edit(
            items[0]?.id ?? "next",
            { role: "user", content: "other", id: "other" },
            { name: "other" },
          );
        }
      }
      const isMade = /[aA]t$|operationId/;
      const paths = async (store: Store): Promise<unknown> =>
        JSON.parse(
          JSON.stringify(await read(store), (name, value) => (isMade.test(name) ? undefined : value)),
        );
      expect(await paths(target)).toEqual(await paths(source));
    }
  });

  it("finds an operation again, so that a retry after the move writes nothing twice", async () => {
    const folder = tempFolder();
    await using source = await open("jsonl", join(folder, "from"));
    const words = [1, 2, 3].map((n) => ({ role: "user" as const, content: `word ${n}` }));
    const first = await (await source.open("web:a")).append(words, { operationId: "op" });
    await using target = await open("sqlite", join(folder, "to"));
    await source.copyTo(target);
    const again = await (await target.open("web:a")).append(words, { operationId: "op" });
    expect(again).toEqual({ ...first, replayed: true });
  });

  it("sends its changes to followers of the target, even where entries are missing", async () => {
    await using source = await open("ephemeral", "");
    const chat = await source.open("web:a");
    const said = async (content: string, branch = "main"): Promise<string> =>
      (await chat.append({ role: "user", content }, { branch })).entries[0]?.id as string;
    const ids = [await said("one")];
    await chat.branch(ids[0] as string, { name: "gone" });
    for (const word of ["x", "y", "z"]) await said(word, "gone");
    ids.push(await said("two"), await said("three"));
    await chat.pruneBranches({ names: ["gone"] });
    for (const engine of ENGINES) {
      await using target = await open(engine, join(tempFolder(), "to"));
      const feed = target.changes({ signal: AbortSignal.timeout(120_000) });
      await source.copyTo(target);
      await (await target.open("web:a")).append({ role: "user", content: "last", id: "last" });
      const told: string[] = [];
      for await (const { entry } of feed) {
        if (entry?.kind === "message") told.push(entry.id);
        if (entry?.id === "last") break;
      }
      expect(told).toEqual([...ids, "last"]);
    }
  });

  it("continues where it was stopped", async () => {
    const folder = tempFolder();
    await using source = await open("sqlite", join(folder, "from"));
    for (let n = 0; n < 20; n++) {
      const chat = await source.open(`web:${n}`);
      await chat.append({ role: "user", content: `hello ${n}` });
    }
    await using target = await open("jsonl", join(folder, "to"));
    const stop = new AbortController();
    const stopped = source.copyTo(target, {
      signal: stop.signal,
      onProgress: ({ conversations }) => conversations === 7 && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: /^Stopped: 7 of 20/,
    });
    const report = await source.copyTo(target);
    expect(report).toMatchObject({ conversations: 20, entries: 20, verified: true });
    expect(report.items.filter(({ added }) => added === 1)).toHaveLength(13);
  });

  it("made by two callers at once is one copy, and the second reports a conflict or finds it done", async () => {
    for (const to of ["jsonl", "sqlite"] as const) {
      const folder = tempFolder();
      await using source = await open("ephemeral", "");
      await fill(source, 9);
      await using one = await open(to, join(folder, "to"));
      await using two = await open(to, join(folder, "to"));
      const reports = await Promise.all([source.copyTo(one), source.copyTo(two)]);
      for (const { skipped } of reports)
        expect(
          skipped.map(({ code }) => code).filter((code) => !["CONFLICT", "NOT_FOUND"].includes(code)),
        ).toEqual([]);
      const last = await source.copyTo(one);
      expect(last).toMatchObject({ conversations: 6, verified: true, skipped: [] });
      expect((await two.verify()).findings).toEqual([]);
    }
  });

  it("completes a creation of which a kill left only the first line", async () => {
    const folder = tempFolder();
    await using source = await open("sqlite", join(folder, "from"));
    const chat = await source.open("web:a", { title: "t", model: "m", channel: "other" });
    await chat.append({ role: "user", content: "one" });
    const { id, createdAt } = await chat.info();
    await using target = await open("jsonl", join(folder, "to"));
    const none = { title: null, channel: null, model: null };
    await target.ingest().create({ id, key: "web:a", ...none, atMs: Date.parse(createdAt) });
    expect(await source.copyTo(target)).toMatchObject({ skipped: [], verified: true, entries: 1 });
  });

  it("brings an older copy up to date", async () => {
    const folder = tempFolder();
    await using source = await open("jsonl", join(folder, "from"));
    const chat = await source.open("web:a");
    await chat.append({ role: "user", content: "one" });
    await using target = await open("sqlite", join(folder, "to"));
    await source.copyTo(target);
    await chat.append({ role: "user", content: "two" });
    await chat.update({ contextState: { seen: 2 } });
    await source.delete(chat.id);
    const report = await source.copyTo(target);
    expect(report).toMatchObject({ verified: true, items: [{ added: 1, entries: 2 }], skipped: [] });
    expect((await target.list({ trash: true })).items).toMatchObject([{ id: chat.id }]);
  });

  it("overwrites nothing, and reports conflicts", async () => {
    const folder = tempFolder();
    await using source = await open("sqlite", join(folder, "from"));
    await using target = await open("jsonl", join(folder, "to"));
    const words = { role: "user" as const, content: "words" };
    for (const key of ["web:same", "web:longer", "web:other", "web:titled", "web:key"]) {
      const chat = await source.open(key, { title: "t" });
      await chat.append({ ...words, id: "e1", at: "2026-01-01T00:00:00Z" });
    }
    await source.copyTo(target);
    const inTarget = async (key: string): Promise<Conversation> => (await target.get(key)) as Conversation;
    await (await inTarget("web:longer")).append({ role: "user", content: "mine" });
    await (await inTarget("web:titled")).update({ title: "mine" });
    await (await inTarget("web:other")).redact("e1");
    const id = (await inTarget("web:key")).id;
    await target.purge(id, { force: true });
    await target.open("web:key");
    const before = await read(target);
    const { skipped, conversations } = await source.copyTo(target);
    expect(conversations).toBe(1);
    const reasons = skipped.map(({ key, code, reason }) => `${key} ${code} ${reason}`).sort();
    expect(reasons).toEqual([
      expect.stringMatching(/^web:key CONFLICT The session key web:key is in use/),
      expect.stringMatching(/^web:longer CONFLICT .*other entries/),
      expect.stringMatching(/^web:other CONFLICT .*its entry e1 differs/),
      expect.stringMatching(/^web:titled CONFLICT .*its title differs/),
    ]);
    expect(await read(target)).toEqual(before);
  });

  it("of an answer that has not ended is refused, and made once it is sealed", async () => {
    for (const engine of ["jsonl", "sqlite"] as const) {
      const folder = tempFolder();
      await using source = await open(engine, join(folder, "from"));
      const turn = await (await source.open("web:a")).beginTurn();
      await turn.add({ role: "user", content: "hm?" });
      await turn.delta("half an ans");
      await using target = await open("ephemeral", "");
      expect((await source.copyTo(target)).skipped).toMatchObject([{ key: "web:a", code: "CONFLICT" }]);
      expect((await target.list()).items).toEqual([]);
      await turn.finish("stopped");
      expect(await source.copyTo(target)).toMatchObject({ skipped: [], entries: 2, verified: true });
    }
  });

  it("says what the source itself has lost, and copies the rest", async () => {
    const folder = tempFolder();
    const place = join(folder, "from");
    await using made = await open("jsonl", place);
    const chat = await made.open("web:a");
    for (const content of ["one", "two", "three"]) await chat.append({ role: "user", content });
    const image = { type: "image", source: { type: "base64", data: PICTURE } };
    await chat.append({ role: "user", content: [image] });
    await made.close();
    const log = join(place, readdirSync(place).find((name) => /^\d{17}\.jsonl$/.test(name)) as string);
    writeFileSync(log, readFileSync(log, "utf8").replace('"two"', '"twa"'));
    const [blob] = readdirSync(join(place, "blobs"), { recursive: true, withFileTypes: true }).filter(
      (item) => item.isFile(),
    );
    const file = join(blob?.parentPath as string, blob?.name as string);
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(12) ^ 1, 12);
    writeFileSync(file, bytes);
    await using source = await open("jsonl", place, { readonly: true, onProblem: () => {} });
    await using target = await open("sqlite", join(folder, "to"));
    const { skipped, verified } = await source.copyTo(target);
    expect(verified).toBe(true);
    expect(skipped.map(({ code, reason }) => `${code} ${reason.split(":", 1)}`)).toEqual([
      "DAMAGED bad-line",
      "DAMAGED bad-blob",
    ]);
    const { items } = await ((await target.get("web:a")) as Conversation).messages();
    expect(items.map(({ message }) => message?.content)).toMatchObject(["one", "three", [{ type: "image" }]]);
    expect((await target.verify()).findings).toEqual([]);
  });

  it("does not pass on a damaged size of a compressed part", async () => {
    const folder = tempFolder();
    const place = join(folder, "from");
    const text = "a long text ".repeat(50_000);
    {
      await using made = await open("jsonl", place);
      const chat = await made.open("web:a");
      const source = { type: "base64", data: Buffer.from(text).toString("base64") };
      await chat.append({ role: "user", content: [{ type: "document", source }] });
      const { hash } = await made.putBlob(Buffer.from(`${text}!`));
      await chat.append({ role: "user", content: [{ type: "document", source: { type: "blob", hash } }] });
    }
    const blobs = readdirSync(join(place, "blobs"), { recursive: true, withFileTypes: true })
      .filter((item) => item.name.endsWith(".zst"))
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(blobs).toHaveLength(2);
    for (const file of blobs) {
      const bytes = readFileSync(file);
      bytes.writeUInt8((bytes.at(-8) as number) ^ 1, bytes.length - 8);
      writeFileSync(file, bytes);
    }
    await using source = await open("jsonl", place, { readonly: true, onProblem: () => {} });
    await using target = await open("jsonl", join(folder, "to"));
    expect(await source.copyTo(target)).toMatchObject({ verified: true });
    expect((await target.verify()).findings).toEqual([]);
  });

  it("is only planned with dryRun", async () => {
    await using source = await open("ephemeral", "");
    await fill(source, 3);
    await using target = await open("ephemeral", "");
    const report = await source.copyTo(target, { dryRun: true });
    expect(report).toMatchObject({ conversations: 6, verified: false });
    expect(report.items.every(({ added, entries }) => added === entries)).toBe(true);
    expect((await target.list()).items).toEqual([]);
  });
});
