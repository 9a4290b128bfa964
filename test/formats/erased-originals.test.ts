import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { originalSources } from "../../src/formats/export/original/original.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { segmentsOf } from "../../src/store/originals/originals.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

const SECRET = 'the launch code is "7781"\n\u00e9';
const SHORT = "hunter2";
/** Keeps segments from being small, so that they are blobs. */
const noise = (seed: number): string =>
  Array.from({ length: 4000 }, (_, index) => Math.sin(seed * 7919 + index).toString(36)).join(" ");

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

function claudeCode(): string {
  const sessionId = "11111111-0000-4000-8000-000000000001";
  const uuid = (index: number): string => `00000000-0000-4000-9000-00000000000${index}`;
  const common = (index: number) => ({
    ...{ sessionId, uuid: uuid(index), parentUuid: index === 1 ? null : uuid(index - 1) },
    ...{ timestamp: `2026-01-01T00:00:0${index}.000Z`, cwd: "/w", version: "2.1.0" },
  });
  const result = [{ type: "tool_result", tool_use_id: "t1", content: SECRET }];
  const call = [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "cat notes" } }];
  return [
    line({ type: "user", ...common(1), message: { role: "user", content: noise(1) } }),
    line({ type: "assistant", ...common(2), message: { id: "m1", role: "assistant", content: call } }),
    line({
      type: "user",
      ...common(3),
      message: { role: "user", content: result },
      toolUseResult: { stdout: SECRET },
    }),
    line({ type: "last-prompt", lastPrompt: SHORT, sessionId }),
    line({ type: "custom-title", customTitle: "A session", sessionId }),
    line({ type: "user", ...common(4), message: { role: "user", content: SHORT } }),
    line({ type: "user", ...common(5), message: { role: "user", content: noise(2) } }),
  ].join("");
}

function chatgpt(): string {
  const node = (id: string, parent: string | null, role: string, text: string, child?: string) => ({
    ...{ id, parent, children: child === undefined ? [] : [child] },
    message: { id, author: { role }, create_time: 1, content: { content_type: "text", parts: [text] } },
  });
  return JSON.stringify([
    {
      ...{
        id: "c1",
        conversation_id: "c1",
        title: "A chat",
        create_time: 1,
        update_time: 2,
        current_node: "n4",
      },
      mapping: {
        n1: node("n1", null, "user", noise(3), "n2"),
        n2: node("n2", "n1", "user", SECRET, "n3"),
        n3: node("n3", "n2", "user", SHORT, "n4"),
        n4: node("n4", "n3", "assistant", noise(4)),
      },
    },
  ]);
}

function opencode(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE session (id TEXT, project_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
    INSERT INTO session VALUES ('s1', 'p', '/d', 'Rows', 1, 2);`);
  const message = database.prepare("INSERT INTO message VALUES (?, 's1', ?, ?)");
  const part = database.prepare("INSERT INTO part VALUES (?, ?, 's1', ?)");
  [noise(5), SECRET, SHORT, noise(6)].forEach((text, index) => {
    message.run(`m${index}`, index, JSON.stringify({ role: "user", time: { created: index } }));
    part.run(`p${index}`, `m${index}`, JSON.stringify({ type: "text", text }));
  });
  database.close();
}

const SOURCES: readonly (readonly [string, string, (folder: string) => void])[] = [
  [
    "lines",
    "claude-code:11111111-0000-4000-8000-000000000001",
    (f) => writeFileSync(join(f, "s.jsonl"), claudeCode()),
  ],
  ["an element", "chatgpt:c1", (f) => writeFileSync(join(f, "conversations.json"), chatgpt())],
  ["rows", "opencode:s1", (f) => opencode(join(f, "opencode.db"))],
];

/** All compressed bytes that the store has, and those that they were made of. */
function storedBlobs(engine: string, place: string): { packed: Buffer; plain: Buffer }[] {
  if (engine === "jsonl") {
    const names = readdirSync(join(place, "blobs"), { recursive: true, encoding: "utf8" });
    return names
      .filter((name) => name.endsWith(".zst"))
      .map((name) => readFileSync(join(place, "blobs", name)))
      .map((packed) => ({ packed, plain: zstdDecompressSync(packed) }));
  }
  const database = new DatabaseSync(join(place, "store.db"), { readOnly: true });
  const rows = database.prepare("SELECT data FROM blob_chunks").all();
  database.close();
  return rows.map(({ data }) => {
    const packed = Buffer.from(data as Uint8Array);
    return { packed, plain: zstdDecompressSync(packed) };
  });
}

function filesWith(place: string, needle: Buffer | string): string[] {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((name) => readFileSync(name).includes(needle));
}

async function keptText(store: Store, id: string): Promise<string> {
  const ingest = store.ingest();
  const all = await ingest.originals(id);
  const segments = all.flatMap((original) => segmentsOf(original, all));
  const parts = await Promise.all(
    segments.map((segment) => (segment ? ingest.segmentBytes(segment) : "missing")),
  );
  return parts.map(String).join("");
}

const ESCAPED = JSON.stringify(SECRET).slice(1, -1);

describe.each(["sqlite", "jsonl"])("words that are erased from a conversation in %s", (engine) => {
  it.each(SOURCES)("are gone from the original of %s, and do not come back", async (_, key, write) => {
    const folder = tempFolder();
    const [sources, place] = [join(folder, "sources"), join(folder, "store")];
    mkdirSync(sources);
    mkdirSync(place);
    write(sources);
    const target = engine === "sqlite" ? `sqlite:${join(place, "store.db")}` : `jsonl:${place}`;
    {
      await using store = await openStore(target);
      await importConversations(store, [sources]);
      const conversation = await store.get(key);
      const id = conversation?.id as string;
      expect(await keptText(store, id)).toContain(ESCAPED.slice(0, 16));
      const holding = storedBlobs(engine, place).filter(({ plain }) => plain.includes("launch code"));
      expect(holding.length).toBeGreaterThan(0);
      const { items } = (await conversation?.messages()) ?? { items: [] };
      const bad = items.filter(({ message }) => /launch code|hunter2/.test(JSON.stringify(message.content)));
      expect(bad).toHaveLength(2);
      for (const entry of bad) expect((await conversation?.redact(entry.id))?.copies).toEqual([]);
      for (const { packed } of holding) expect(filesWith(place, packed.subarray(-40))).toEqual([]);
      const text = await keptText(store, id);
      expect(text).not.toContain("launch code");
      expect(text).not.toContain(SHORT);
      const [source] = await originalSources(store, key);
      const bytes = await Array.fromAsync(source?.bytes() ?? []);
      expect(Buffer.concat(bytes).toString()).toBe(text);
      expect((await store.verify()).findings).toEqual([]);
    }
    for (const again of [false, true]) {
      if (again)
        for (const name of readdirSync(place)) if (name.includes("imports")) rmSync(join(place, name));
      await using store = await openStore(target);
      await importConversations(store, [sources], { again });
      const id = (await store.get(key))?.id as string;
      const text = await keptText(store, id);
      expect(text).not.toContain("launch code");
      expect(text).not.toContain(SHORT);
      expect(storedBlobs(engine, place).filter(({ plain }) => plain.includes("launch code"))).toEqual([]);
    }
    for (const word of ["launch code", SHORT]) expect(filesWith(place, word)).toEqual([]);
  });

  it("do not come back when a long file is rewritten", async () => {
    const folder = tempFolder();
    const sources = join(folder, "sources");
    mkdirSync(sources);
    const words = (index: number): string => `The launch code of message ${index} is 7781. `;
    const lines = Array.from({ length: 150 }, (_, index) =>
      piSays(`a${index}`, index === 0 ? null : `a${index - 1}`, words(index) + "and more ".repeat(900)),
    );
    const text = `${piHeader("s1")}${lines.join("")}`;
    writeFileSync(join(sources, "a.jsonl"), text);
    await using store = await openStore(`${engine}:${join(folder, "store")}`);
    await importConversations(store, [sources]);
    const conversation = await store.get("pi:s1");
    // Around the end of the first megabyte, which is announced before the rest.
    const erased = Array.from({ length: 12 }, (_, index) => 122 + index);
    for (const index of erased) await conversation?.redact(`a${index}`);
    writeFileSync(join(sources, "a.jsonl"), text.replace("/work", "/home"));
    await importConversations(store, [sources]);
    const [, rewritten] = await originalSources(store, "pi:s1");
    const bytes = Buffer.concat(await Array.fromAsync(rewritten?.bytes() ?? []));
    expect(bytes.length).toBe(text.length);
    expect(bytes.includes(words(121))).toBe(true);
    expect(erased.filter((index) => bytes.includes(words(index)))).toEqual([]);
  });

  it("go with a pruned branch and with a purged conversation", async () => {
    const folder = tempFolder();
    const [sources, place] = [join(folder, "sources"), join(folder, "store")];
    mkdirSync(sources);
    mkdirSync(place);
    const text = [
      ...[
        piHeader("s1"),
        piSays("a1", null, noise(1)),
        piSays("a2", "a1", SECRET),
        piSays("b2", "a1", noise(7)),
      ],
    ];
    writeFileSync(join(sources, "a.jsonl"), text.join(""));
    const target = engine === "sqlite" ? `sqlite:${join(place, "store.db")}` : `jsonl:${place}`;
    await using store = await openStore(target);
    await importConversations(store, [sources]);
    const conversation = await store.get("pi:s1");
    const id = conversation?.id as string;
    const holding = storedBlobs(engine, place).filter(({ plain }) => plain.includes("launch code"));
    expect(holding.length).toBeGreaterThan(0);
    await conversation?.flatten();
    await conversation?.pruneBranches({ keep: 0 });
    expect(await keptText(store, id)).not.toContain("launch code");
    for (const { packed } of holding) expect(filesWith(place, packed.subarray(-40))).toEqual([]);
    const left = storedBlobs(engine, place);
    expect(left.length).toBeGreaterThan(0);
    await store.purge(id, { force: true });
    expect(storedBlobs(engine, place)).toEqual([]);
    for (const { packed } of left) expect(filesWith(place, packed.subarray(-40))).toEqual([]);
  });
});

it("words of an answer on both sides of an announcement do not come back when its file is rewritten", async () => {
  const sessionId = "11111111-0000-4000-8000-000000000001";
  const record = (index: number, type: "user" | "assistant", message: object): string => {
    const uuid = `00000000-0000-4000-9000-00000000000${index}`;
    const parentUuid = index === 1 ? null : `00000000-0000-4000-9000-00000000000${index - 1}`;
    const timestamp = `2026-01-01T00:00:0${index}.000Z`;
    return line({ type, sessionId, uuid, parentUuid, timestamp, message: { role: type, ...message } });
  };
  const filler = Array.from({ length: 90_000 }, (_, index) => `word${index}`).join(" ");
  const thinking = `${SECRET} ${"s".repeat(300_000)}`;
  const session = (first: string): string =>
    [
      record(1, "user", { content: first }),
      record(2, "user", { content: filler }),
      record(3, "assistant", { id: "m1", content: [{ type: "thinking", thinking, signature: "x" }] }),
      record(4, "assistant", { id: "m1", content: [{ type: "text", text: "t".repeat(300_000) }] }),
      record(5, "user", { content: "Go on" }),
      record(6, "user", { content: "y".repeat(1_500_000) }),
    ].join("");
  const file = join(tempFolder(), `${sessionId}.jsonl`);
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  writeFileSync(file, session("Hello"));
  await importConversations(store, [file]);
  const chat = await store.open(`claude-code:${sessionId}`);
  const { items } = await chat.messages();
  const secret = items.find(({ message }) => JSON.stringify(message.content).includes("launch code"));
  await chat.redact(secret?.id ?? "");
  writeFileSync(file, session("Hallo"));
  await importConversations(store, [file]);
  const kept: Buffer[] = [];
  for (const source of await originalSources(store, chat.id)) {
    for await (const piece of source.bytes()) kept.push(piece);
  }
  expect(Buffer.concat(kept).includes("Hallo")).toBe(true);
  expect(Buffer.concat(kept).includes("launch code")).toBe(false);
});
