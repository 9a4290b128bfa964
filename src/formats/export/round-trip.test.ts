import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Recorded,
  RecordingSink,
  readLines,
  recordsIn,
  surroundings,
} from "../../../test/support/samples/recording-sink.ts";
import { exported, sampleStore } from "../../../test/support/samples/sample-conversation.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { toStoredData } from "../../message/entry.ts";
import type { StoredEntry } from "../../message/types.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { decodeLine } from "../../transcript/lines.ts";
import { isJsonObject } from "../../util/json.ts";
import { FoundBefore } from "../import/forks/found-before.ts";
import { importConversations } from "../import/run.ts";
import { colloquy } from "../readers/colloquy/index.ts";

let store: Store;
let id: string;
beforeAll(async () => {
  ({ store, id } = await sampleStore());
});
afterAll(() => store.close());

/** As it is stored: exports and readers use the names that are on disk. */
async function logOf(from: Store): Promise<StoredEntry[]> {
  const chat = await from.get(id);
  const { items } = (await chat?.entries({ all: true, limit: 1000 })) ?? { items: [] };
  return items.map(
    (entry) =>
      (isJsonObject(entry.data) ? { ...entry, data: toStoredData(entry.data) } : entry) as StoredEntry,
  );
}

/** Entries on a path, and labels: what a reader adds. */
function content(entries: readonly StoredEntry[]): unknown[] {
  return entries
    .filter(({ kind }) => kind !== "info")
    .map(({ id, parentId, kind, at, message, data }) => ({
      id,
      parent: kind === "label" ? undefined : parentId,
      kind: kind === "message" ? undefined : kind,
      at: Date.parse(at),
      message,
      data,
    }));
}

function added({ entries }: Recorded): unknown[] {
  return entries.map(({ id, parent, kind, at, message, data }) => ({
    id,
    parent,
    kind,
    at,
    message: message && JSON.parse(JSON.stringify(message)),
    data,
  }));
}

const TREE = {
  branches: [
    { name: "main", head: "e7" },
    { name: "other", head: "o1" },
    { name: "again", head: "a2" },
  ],
  active: "again",
};

/** What is the same in two stores, whatever numbers the entries have. */
async function described(from: Store): Promise<unknown> {
  const chat = await from.get(id);
  const branches = (await chat?.branches()) ?? [];
  const paths = await Promise.all(
    branches.map(async ({ name }) => [name, (await chat?.entries({ branch: name, limit: 1000 }))?.items]),
  );
  const { key, title, model, channel, createdAt, lastMessageAt, messageCount } = (await chat?.info()) ?? {};
  const compactions = ((await chat?.compactions()) ?? []).map(({ id: entry, undone }) => ({ entry, undone }));
  return JSON.parse(
    JSON.stringify({
      info: { key, title, model, channel, createdAt, lastMessageAt, messageCount },
      branches: branches.map(({ name, head, active, forkedFrom }) => ({ name, head, active, forkedFrom })),
      paths,
      labels: await chat?.labels(),
      compactions,
    }),
    (member, value) =>
      ["seq", "first_kept_seq", "operationId", "hash", "data"].includes(member) && typeof value !== "object"
        ? undefined
        : value,
  );
}

describe("an export that is read again", () => {
  it.each(["json", "jsonl"] as const)(
    "is imported as the same conversation from %s, and once",
    async (to) => {
      const folder = tempFolder();
      writeFileSync(join(folder, `a.${to}`), await exported(store, id, { to }));
      await using other = await openStore("ephemeral:");
      const report = await importConversations(other, [folder]);
      expect(report).toMatchObject({ conversations: 1, skippedCount: 0, unresolved: 0, unknown: {} });
      expect(await described(other)).toEqual(await described(store));
      expect(await importConversations(other, [folder])).toMatchObject({ messages: 0, branches: 0 });
      expect(await importConversations(other, [folder], { verify: true })).toMatchObject({ missing: [] });
      expect(await importConversations(store, [folder])).toMatchObject({ messages: 0, branches: 0 });
    },
  );

  it("is the same conversation from json", async () => {
    const sink = new RecordingSink();
    const value = JSON.parse(await exported(store, id, { to: "json" }));
    expect(colloquy.document.sniff(value)).toBe(true);
    await colloquy.document.read(
      { value, line: null, offset: null },
      sink,
      surroundings("a.json"),
      new FoundBefore(),
    );
    const [found] = sink.conversations as [Recorded];
    expect(added(found)).toEqual(content(await logOf(store)));
    expect(found.start).toMatchObject({
      sourceId: id,
      key: "cli:sample",
      title: "A *sample*",
      verbatim: true,
      tree: TREE,
    });
    expect(sink.unknowns).toEqual([]);
  });

  it("is the same conversation from jsonl", async () => {
    const sink = new RecordingSink();
    const text = await exported(store, id, { to: "jsonl" });
    expect(colloquy.lines.sniff(recordsIn(text), "x.jsonl")).toBe(true);
    const reader = colloquy.lines.open(sink, surroundings("a.jsonl"), undefined);
    readLines(reader, text);
    reader.end(true);
    const [found] = sink.conversations as [Recorded];
    expect(sink.skipped).toEqual([]);
    expect(added(found)).toEqual(content(await logOf(store)));
    expect(found.start).toMatchObject({
      sourceId: id,
      key: "cli:sample",
      title: "A *sample*",
      verbatim: true,
      tree: TREE,
    });
  });

  it.each(["json", "jsonl"] as const)(
    "has its main branch after it was flattened or started over, from %s",
    async (to) => {
      await using from = await openStore("ephemeral:");
      const chat = await from.open("cli:flat");
      await chat.append({ role: "user", content: "One", id: "f1" });
      await chat.append({ role: "assistant", content: "First", id: "f2" });
      await chat.branch("f1", { name: "alt", checkout: true });
      await chat.append({ role: "assistant", content: "Second", id: "f3" });
      await chat.flatten();
      await chat.replaceTranscript([{ role: "user", content: "Anew", id: "f4" }]);
      const folder = tempFolder();
      writeFileSync(join(folder, `a.${to}`), await exported(from, chat.id, { to }));
      await using other = await openStore("ephemeral:");
      await importConversations(other, [folder]);
      const heads = async (store: Store) =>
        ((await (await store.get("cli:flat"))?.branches()) ?? [])
          .map(({ name, head, active }) => ({ name, head, active }))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(await heads(other)).toEqual(await heads(from));
      expect(await importConversations(other, [folder])).toMatchObject({ messages: 0, branches: 0 });
    },
  );

  it("contains every entry of the log in json, including changes to the tree", async () => {
    const { colloquy, info, branches, active, labels, entries, blobs } = JSON.parse(
      await exported(store, id, { to: "json" }),
    );
    expect(colloquy).toBe(1);
    expect(info).toMatchObject({ id, key: "cli:sample", branchCount: 3 });
    expect(branches.map(({ name }: { name: string }) => name)).toEqual(["main", "other", "again"]);
    expect(active).toBe("again");
    expect(labels).toEqual([{ entry: "e5", label: "before the picture" }]);
    const log = await logOf(store);
    expect(entries.map(({ branch: _, ...entry }: { branch?: number }) => entry)).toEqual(
      JSON.parse(JSON.stringify(log)),
    );
    expect(Object.values(blobs)).toEqual([Buffer.from("the bytes of a file").toString("base64")]);
  });

  it("is a file that the JSONL engine opens, with its branches, compaction and labels", async () => {
    const folder = join(tempFolder(), "store");
    const target = `jsonl:${folder}`;
    // An empty conversation shows where the engine keeps its files.
    await using made = await openStore(target);
    await made.create({ id });
    await made.close();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const name = files.find((file) => /\d{17}\.jsonl$/.test(file)) as string;
    const path = join(folder, name);
    for (const file of files.filter((other) => other.includes(".meta.json"))) rmSync(join(folder, file));
    writeFileSync(path, await exported(store, id, { to: "jsonl" }));
    const problems: Error[] = [];
    await using again = await openStore(target, { onProblem: (problem) => problems.push(problem) });
    const [before, after] = [await store.get(id), await again.get(id)];
    // Opening the folder wrote the missing metadata again.
    expect(await again.verify()).toMatchObject({ ok: true, findings: [], entries: 14 });
    expect((await after?.branches())?.map(({ name, head }) => [name, head])).toEqual(
      (await before?.branches())?.map(({ name, head }) => [name, head]),
    );
    expect(await after?.labels()).toEqual(await before?.labels());
    expect(problems).toEqual([]);
    expect((await after?.messages({ branch: "main" }))?.items).toEqual(
      (await before?.messages({ branch: "main" }))?.items,
    );
  });

  it("has a checksum in every line of jsonl", async () => {
    const lines = (await exported(store, id, { to: "jsonl", redact: true, thinking: false }))
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => decodeLine(Buffer.from(line)).ok)).toEqual(lines.map(() => true));
  });

  it("contains only one branch if requested", async () => {
    const { branches, active, entries } = JSON.parse(
      await exported(store, id, { to: "json", branch: "other" }),
    );
    expect(branches).toMatchObject([{ name: "other" }]);
    expect(active).toBe("other");
    expect(entries.map((entry: StoredEntry) => entry.id)).toEqual(["e1", "e2", "e3", "o1"]);
    const lines = (await exported(store, id, { to: "jsonl", branch: "other" })).trimEnd().split("\n");
    expect(lines.slice(1).map((line) => JSON.parse(line).id)).toEqual(["e1", "e2", "e3", "o1"]);
  });
});

describe("a part that is not wanted", () => {
  it.each(["json", "jsonl", "openclaw", "claude", "openai", "ai-sdk", "markdown", "html"] as const)(
    "is not in %s",
    async (to) => {
      const text = await exported(store, id, { to, branch: "main", tools: false, thinking: false });
      expect(text).not.toMatch(/Let me look|a\.txt|no such folder|tool printed/);
      expect(text).toContain("I look.");
    },
  );
});

it("does not contain messages that are appended meanwhile", async () => {
  await using own = await openStore("ephemeral:");
  const chat = await own.open("cli:growing");
  await chat.append([
    { role: "user", content: "One" },
    { role: "user", content: "Two" },
  ]);
  let text = "";
  const { exportConversation } = await import("./index.ts");
  for await (const piece of exportConversation(own, chat.id, { to: "jsonl" })) {
    text += piece;
    await chat.append({ role: "user", content: "Later" });
  }
  expect(text).not.toContain("Later");
  expect(text.trimEnd().split("\n")).toHaveLength(3);
});

it("refuses invalid options before anything is read", async () => {
  const { exportConversation } = await import("./index.ts");
  const of = (options: object): unknown => exportConversation(store, id, options as never);
  expect(() => of({ to: "word" })).toThrow(/Unknown format "word": expected one of markdown, html/);
  expect(() => of({ to: "claude", allBranches: true })).toThrow(/one branch/);
  expect(() => of({ to: "json", allBranches: true, branch: "main" })).toThrow(
    /either `branch` or `allBranches`/,
  );
  expect(() => of({ to: "json", colour: 1 })).toThrow(/colour/);
  await expect(exported(store, "cli:nobody", { to: "json" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(exported(store, id, { to: "json", branch: "x" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
