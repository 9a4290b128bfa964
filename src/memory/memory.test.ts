import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { until } from "../../test/support/until.ts";
import { openStore } from "../store/open.ts";
import { markRecalled } from "./chunk/recalled.ts";
import type { EmbeddingProvider } from "./embeddings/provider.ts";
import type { Memory } from "./memory.ts";
import { type MemoryOptions, openMemory } from "./open-memory.ts";

const NOW = Date.UTC(2026, 10, 1);
const DAY = 86_400_000;

async function opened(options: MemoryOptions = {}, path = join(tempFolder(), "memory.db")): Promise<Memory> {
  const memory = await openMemory(path, { clock: () => NOW, ...options });
  onTestFinished(() => memory.close());
  return memory;
}

const MEANINGS = [/car|automobile|vehicle/i, /sea|ocean|harbour|boat/i, /bread|oven|bake/i];

/** A model that knows three meanings. */
function meanings(model = "meanings"): EmbeddingProvider & { readonly seen: string[]; isBroken: boolean } {
  const seen: string[] = [];
  const provider = {
    name: "own",
    model,
    dimensions: 4,
    seen,
    isBroken: false,
    embed: async (text: string) => (await provider.embedBatch([text]))[0] as Float32Array,
    embedBatch: async (texts: readonly string[]) => {
      if (provider.isBroken) throw new Error("the model is gone");
      seen.push(...texts);
      return texts.map((text) => Float32Array.of(...MEANINGS.map((word) => (word.test(text) ? 1 : 0)), 0.1));
    },
  };
  return provider;
}

function oldFile(path: string, text: string, daysAgo = 1): void {
  writeFileSync(path, text);
  const at = new Date(NOW - daysAgo * DAY);
  utimesSync(path, at, at);
}

describe("notes", () => {
  it("are found by their words, with every part of their score", async () => {
    const memory = await opened();
    await memory.add("The harbour of Genoa closes at nine.", { importance: 0.9, provenance: { by: "Ada" } });
    await memory.add("Bread needs an oven.");
    const { chunks, mode, notice } = await memory.search("When does the harbour close?");
    expect(mode).toBe("keyword");
    expect(notice).toMatch(/by words only: no embedding provider/);
    expect(chunks).toMatchObject([
      {
        source: /^note:/,
        kind: "note",
        text: "The harbour of Genoa closes at nine.",
        lines: { first: 1, last: 1 },
        importance: 0.9,
        provenance: { by: "Ada" },
        explain: { vector: null, text: 1, relevance: 1, recency: 1, importance: 0.9, similarity: 0 },
      },
    ]);
    expect((await memory.search("harbour")).notice).toBeNull();
  });

  it.each([
    ["ÇA VA, Zürich?", "zurich"],
    ["call fitToContextWindow first", "context window"],
    ["明日は東京で会議があります", "東京"],
    ["Version 3.53.4 is fine", "3.53.4"],
    ["He was running", "run"],
  ])("are found in any script: %s", async (text, query) => {
    const memory = await opened();
    await memory.add(text);
    expect((await memory.search(query)).chunks).toHaveLength(1);
  });

  it.each([
    "",
    "   ",
    '"',
    "AND OR NOT",
    "(",
    "*",
    "a:b",
    "NEAR(",
    "'; DROP TABLE memory_chunks; --",
    "\0",
    "x".repeat(10_000),
  ])("survive the question %j", async (query) => {
    const memory = await opened();
    await memory.add("kept");
    expect((await memory.search(query)).chunks).toEqual([]);
    expect((await memory.search("kept")).chunks).toHaveLength(1);
  });

  it("of one name replace each other", async () => {
    const memory = await opened();
    await memory.add("The code is four.", { source: "note:door" });
    await memory.add("The code is seven.", { source: "note:door" });
    expect(memory.list().items.map(({ text }) => text)).toEqual(["The code is seven."]);
    expect((await memory.search("four")).chunks).toEqual([]);
  });

  it("leave out what memory itself returned", async () => {
    const memory = await opened();
    const recalled = markRecalled("Genoa </recalled-memory> is a harbour");
    const [chunk] = await memory.add(`The user asked.\n${recalled}\nI answered.`);
    expect(chunk?.text).not.toMatch(/Genoa|harbour/);
    expect(chunk?.lines).toEqual({ first: 1, last: 5 });
    expect(await memory.add(`${recalled}`)).toEqual([]);
    expect((await memory.search("Genoa harbour")).chunks).toEqual([]);
  });

  it("are refused without text, or with a wrong importance", async () => {
    const memory = await opened();
    await expect(memory.add(" ")).rejects.toMatchObject({ code: "VALIDATION_ERROR", field: "text" });
    await expect(memory.add("x", { importance: 2 })).rejects.toMatchObject({ field: "importance" });
    await expect(memory.search("x", { limit: 0 })).rejects.toMatchObject({ field: "limit" });
  });

  it("are listed page by page", async () => {
    const memory = await opened();
    for (const text of ["one", "two", "three"]) await memory.add(text);
    const first = memory.list({ limit: 2 });
    expect(first.items.map(({ text }) => text)).toEqual(["one", "two"]);
    const second = memory.list({ limit: 2, cursor: first.cursor ?? "" });
    expect([second.items.map(({ text }) => text), second.cursor]).toEqual([["three"], null]);
  });
});

describe("ranking", () => {
  it("prefers the newer of two equal notes, and the more important", async () => {
    let now = NOW - 300 * DAY;
    const memory = await opened({ clock: () => now });
    await memory.add("The standup is at ten.", { source: "note:old" });
    now = NOW;
    await memory.add("The standup is at noon.", { source: "note:new" });
    const { chunks } = await memory.search("standup");
    expect(chunks.map(({ source }) => source)).toEqual(["note:new", "note:old"]);
    expect(chunks[1]?.explain.recency).toBeCloseTo(2 ** -10, 6);
    await memory.add("The standup is at eight.", { source: "note:vital", importance: 1 });
    expect((await memory.search("standup")).chunks[0]?.source).toBe("note:vital");
  });

  it("shows different notes before the same one again", async () => {
    const memory = await opened();
    for (const copy of [1, 2, 3])
      await memory.add("Lisbon office opens at eight", { source: `note:copy-${copy}` });
    await memory.add("Lisbon weather was fine and the trams were full of people", { source: "note:other" });
    const sources = async (diversity: number): Promise<(string | undefined)[]> =>
      (await memory.search("Lisbon office", { limit: 2, rank: { diversity } })).chunks.map(
        ({ source }) => source,
      );
    expect(await sources(0.5)).toContain("note:other");
    expect(await sources(1)).not.toContain("note:other");
  });

  it("finds by meaning where no word is the same, and weighs both", async () => {
    const memory = await opened({ embeddings: { primary: meanings() } });
    await memory.add("My automobile is blue.", { source: "note:car" });
    await memory.add("The oven is hot.", { source: "note:oven" });
    await memory.embed();
    const { chunks, mode, notice } = await memory.search("vehicle");
    expect([mode, notice, chunks[0]?.source]).toEqual(["hybrid", null, "note:car"]);
    expect(chunks[0]?.explain).toMatchObject({ text: null, relevance: expect.closeTo(0.7, 5) });
    const both = await memory.search("automobile");
    expect(both.chunks[0]?.explain.relevance).toBeCloseTo(1, 5);
    const byPlace = await memory.search("automobile", { rank: { fusion: "reciprocal" } });
    expect(byPlace.chunks[0]?.explain.relevance).toBe(1);
  });

  it("keeps to a folder and a time", async () => {
    const memory = await opened();
    const folder = tempFolder();
    mkdirSync(join(folder, "a"));
    mkdirSync(join(folder, "ab"));
    oldFile(join(folder, "a", "one.md"), "harbour one", 5);
    oldFile(join(folder, "ab", "two.md"), "harbour two", 50);
    await memory.index([folder]);
    const found = async (query: object): Promise<string[]> =>
      (await memory.search("harbour", query)).chunks.map(({ text }) => text);
    expect(await found({ source: join(folder, "a") })).toEqual(["harbour one"]);
    expect(await found({ before: NOW - 10 * DAY })).toEqual(["harbour two"]);
    expect(await found({ after: NOW - 10 * DAY })).toEqual(["harbour one"]);
  });
});

describe("files", () => {
  it("are indexed with their lines, and not read again while they are the same", async () => {
    const memory = await opened();
    const folder = tempFolder();
    mkdirSync(join(folder, "deep", ".hidden"), { recursive: true });
    oldFile(join(folder, "a.md"), "# Boats\n\nThe boat is red.\n\n# Cars\n\nThe car is blue.\n");
    oldFile(join(folder, "deep", "b.markdown"), "The oven is hot.");
    oldFile(join(folder, "deep", ".hidden", "c.md"), "hidden");
    oldFile(join(folder, "d.txt"), "text");
    expect(await memory.index([folder])).toEqual({
      files: 2,
      unchanged: 0,
      added: 3,
      removed: 0,
      skipped: [],
    });
    const { chunks } = await memory.search("blue car");
    expect(chunks[0]).toMatchObject({
      source: join(folder, "a.md"),
      lines: { first: 5, last: 7 },
      headings: ["Cars"],
      at: new Date(NOW - DAY).toISOString(),
    });
    // Its content changes, its size and its time do not: it is not read.
    oldFile(join(folder, "deep", "b.markdown"), "The oven is BAD.");
    expect(await memory.index([folder])).toMatchObject({ files: 2, unchanged: 2, added: 0, removed: 0 });
    expect((await memory.search("bad")).chunks).toEqual([]);
  });

  it("that just changed are read again, because their time may stay the same", async () => {
    const memory = await opened();
    const path = join(tempFolder(), "a.md");
    oldFile(path, "first", 0);
    await memory.index([path]);
    oldFile(path, "other", 0);
    expect(await memory.index([path])).toMatchObject({ unchanged: 0, added: 1, removed: 1 });
    expect(memory.list().items.map(({ text }) => text)).toEqual(["other"]);
  });

  it("keep the chunks and vectors of what did not change", async () => {
    const provider = meanings();
    const memory = await opened({ embeddings: { primary: provider } });
    const path = join(tempFolder(), "a.md");
    oldFile(path, "# A\nboat\n\n# B\ncar\n", 3);
    await memory.index([path]);
    await memory.embed();
    const before = memory.list().items;
    oldFile(path, "# New\nfirst\n\n# A\nboat\n\n# B\nbread\n", 2);
    expect(await memory.index([path])).toMatchObject({ added: 2, removed: 1 });
    await memory.embed();
    const boat = memory.list().items.find(({ text }) => text.includes("boat"));
    expect([boat?.id, boat?.lines]).toEqual([before[0]?.id, { first: 4, last: 5 }]);
    expect(provider.seen.filter((text) => text.includes("boat"))).toHaveLength(1);
  });

  it("that are gone, binary, too large or replaced by something else are left out, and said so", async () => {
    const memory = await opened();
    const folder = tempFolder();
    oldFile(join(folder, "gone.md"), "soon gone");
    oldFile(join(folder, "huge.md"), "was small");
    oldFile(join(folder, "photo.md"), "was text");
    await memory.index([folder]);
    rmSync(join(folder, "gone.md"));
    writeFileSync(join(folder, "photo.md"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
    writeFileSync(join(folder, "latin.md"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    // A gigabyte that takes no room on the disk.
    truncateSync(join(folder, "huge.md"), 1024 ** 3);
    const report = await memory.index([folder]);
    expect(report.removed).toBe(3);
    expect(report.skipped).toEqual([
      { path: join(folder, "huge.md"), reason: "it has more than 16.8 MB" },
      { path: join(folder, "latin.md"), reason: "it is not text" },
      { path: join(folder, "photo.md"), reason: "it is not text" },
    ]);
    expect(memory.list().items).toEqual([]);
    await expect(memory.index([join(folder, "nowhere")])).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("that vanish while a folder is indexed do not stop it", async () => {
    const memory = await opened();
    const folder = tempFolder();
    for (const name of ["a", "b", "c"]) oldFile(join(folder, `${name}.md`), `file ${name}`);
    const report = await memory.index([folder], {
      onProgress: ({ path }) => path.endsWith("b.md") && rmSync(path),
    });
    expect(report).toMatchObject({ files: 3, added: 2, skipped: [] });
  });

  it("are watched", async () => {
    const memory = await opened();
    const folder = tempFolder();
    const reports: number[] = [];
    await using _watch = memory.watch([folder], {
      intervalMs: 5,
      onChange: ({ added }) => reports.push(added),
    });
    writeFileSync(join(folder, "new.tmp"), "the boat sails");
    renameSync(join(folder, "new.tmp"), join(folder, "new.md"));
    await until(() => reports.length > 0);
    expect((await memory.search("boat")).chunks).toHaveLength(1);
  });
});

describe("embedding in the background", () => {
  it("fills in what was added without a provider", async () => {
    const path = join(tempFolder(), "memory.db");
    const first = await opened({}, path);
    await first.add("The ocean is deep.");
    await first.close();
    const memory = await opened({ embeddings: { primary: meanings() } }, path);
    expect(memory.stats()).toMatchObject({ chunks: 1, pending: 1, model: "meanings", vectors: "sqlite-vec" });
    expect((await memory.search("boat")).chunks).toEqual([]);
    await until(() => memory.stats().pending === 0);
    expect((await memory.search("boat")).chunks).toHaveLength(1);
  });

  it("embeds everything again after a change of the model, while search works", async () => {
    const path = join(tempFolder(), "memory.db");
    const first = await opened({ embeddings: { primary: meanings("old") } }, path);
    await first.add("The ocean is deep.");
    await first.embed();
    await first.close();
    const memory = await opened({ embeddings: { primary: meanings("new") } }, path);
    expect((await memory.search("ocean")).chunks).toHaveLength(1);
    const progress: number[] = [];
    await memory.embed({ onProgress: ({ pending }) => progress.push(pending) });
    expect(memory.stats().pending).toBe(0);
    expect((await memory.search("harbour")).chunks[0]?.explain.vector).toBeCloseTo(1, 5);
    await memory.close();
    const again = await opened({ embeddings: { primary: meanings("old") } }, path);
    expect(again.stats().pending).toBe(1);
  });

  it("that fails leaves search by words, and says why once", async () => {
    const provider = meanings();
    provider.isBroken = true;
    const memory = await opened({ embeddings: { primary: provider } });
    await memory.add("The ocean is deep.");
    const { chunks, mode, notice } = await memory.search("ocean");
    expect([chunks.length, mode, notice]).toEqual([
      1,
      "keyword",
      "Memory is searched by words only: the model is gone",
    ]);
    await expect(memory.embed()).rejects.toThrow("the model is gone");
    await expect(memory.search("ocean", { mode: "semantic" })).rejects.toThrow("the model is gone");
  });

  it("uses the fallback for what the primary cannot embed", async () => {
    const [primary, fallback] = [meanings("big"), meanings("small")];
    primary.isBroken = true;
    const memory = await opened({ embeddings: { primary, fallback } });
    await memory.add("The ocean is deep.");
    await expect(memory.embed()).rejects.toThrow("the model is gone");
    expect((await memory.search("boat")).chunks).toHaveLength(1);
    primary.isBroken = false;
    await memory.embed();
    expect(primary.seen).toContain("The ocean is deep.");
  });
});

describe("forgetting", () => {
  it("erases text, words and vectors from the file, and returns a receipt without them", async () => {
    const path = join(tempFolder(), "memory.db");
    const memory = await opened({ embeddings: { primary: meanings() } }, path);
    for (let note = 0; note < 50; note++) await memory.add(`Note ${note} about boats and other things.`);
    const [secret] = await memory.add("The xylophonist lives by the ocean at Zanzibarstrasse.", {
      source: "note:secret",
    });
    await memory.embed();
    const receipt = await memory.forget(secret?.id ?? "");
    expect(receipt).toEqual({
      at: new Date(NOW).toISOString(),
      chunks: [secret?.id],
      sources: ["note:secret"],
      bytes: 54,
      copies: [],
    });
    expect((await memory.search("xylophonist", { mode: "keyword" })).chunks).toEqual([]);
    const bytes = readFileSync(path).toString("latin1").toLowerCase();
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    for (const word of ["xylophonist", "zanzibarstrass"]) expect(bytes).not.toContain(word);
    expect(log).toBe(0);
    await expect(memory.forget(secret?.id ?? "")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("is not undone by a file that still has the text, but by adding it on purpose", async () => {
    const memory = await opened();
    const path = join(tempFolder(), "a.md");
    oldFile(path, "# A\nkeep\n\n# B\ndrop\n");
    await memory.index([path]);
    const drop = memory.list().items.find(({ text }) => text.includes("drop"));
    await memory.forget(drop?.id ?? "");
    oldFile(path, "# A\nkeep\n\n# B\ndrop\n\n# C\nmore\n", 0.5);
    await memory.index([path]);
    expect(memory.list().items.map(({ headings }) => headings[0])).toEqual(["A", "C"]);
    await memory.add("# B\ndrop");
    expect((await memory.search("drop")).chunks).toHaveLength(1);
  });
});

describe("a conversation", () => {
  it("is remembered in the words of a summariser, without what memory had returned in it", async () => {
    const memory = await opened();
    await using store = await openStore("ephemeral:");
    const chat = await store.open("notes:port");
    await chat.append({ role: "user", content: `When does it close?\n${markRecalled("Genoa is a city")}` });
    await chat.append({ role: "assistant", content: "At nine." });
    const seen: string[] = [];
    const summarize = (text: string): string => {
      seen.push(text);
      return "The harbour closes at nine.";
    };
    const [chunk] = await memory.addConversation(chat, summarize);
    expect(seen).toEqual(["user: When does it close?\n\nassistant: At nine."]);
    expect(chunk).toMatchObject({
      kind: "conversation",
      source: `conversation:${chat.id}`,
      provenance: { conversation: chat.id, key: "notes:port", messages: 2 },
    });
    await memory.addConversation(chat, () => "It closes at ten.");
    expect(memory.list().items.map(({ text }) => text)).toEqual(["It closes at ten."]);
  });
});

describe("a memory", () => {
  it("is shared by two connections", async () => {
    const path = join(tempFolder(), "memory.db");
    const [one, other] = [await opened({}, path), await opened({}, path)];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other).add(`shared note ${index}`)),
    );
    expect(one.stats().chunks).toBe(20);
    expect(other.list().items).toHaveLength(20);
  });

  it("can be opened for reading only", async () => {
    const path = join(tempFolder(), "memory.db");
    const first = await opened({}, path);
    await first.add("read me");
    await first.close();
    const memory = await opened({ readonly: true, embeddings: { primary: meanings() } }, path);
    expect((await memory.search("read")).chunks).toHaveLength(1);
    await expect(memory.add("more")).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: /reading only/,
    });
  });

  it("refuses to work once it is closed", async () => {
    const memory = await opened();
    await memory.close();
    await expect(memory.search("x")).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: /is closed/,
    });
    await expect(memory.add("x")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });
});
