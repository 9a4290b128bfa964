import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { writeExport } from "../../src/formats/export/export-file.ts";
import { exportConversation } from "../../src/formats/export/index.ts";
import { originalSources } from "../../src/formats/export/original/original.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { segmentsOf } from "../../src/store/originals/originals.ts";
import type { Store } from "../../src/store/store.ts";
import { damageBlobs } from "../support/damage-blobs.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

const FIXTURES = "test/fixtures";
const ENGINES = ["sqlite", "jsonl", "ephemeral"];

/** Databases are kept as the SQL that creates them. */
function buildDatabases(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".sql"))) {
    const database = new DatabaseSync(join(folder, name.replace(/sql$/, "db")));
    database.exec(`PRAGMA foreign_keys = off; ${readFileSync(join(folder, name), "utf8")}`);
    database.close();
    rmSync(join(folder, name));
  }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function targetOf(engine: string, folder: string): string {
  return engine === "ephemeral" ? "ephemeral:" : `${engine}:${join(folder, "store")}`;
}

interface Kept {
  readonly form: string;
  readonly start: number;
  readonly bytes: Buffer;
  readonly size: number | undefined;
}

/** What all conversations keep of each file. */
async function keptOf(store: Store): Promise<Map<string, Kept[]>> {
  const ingest = store.ingest();
  const files = new Map<string, Kept[]>();
  for await (const { id } of store.list()) {
    const all = await ingest.originals(id);
    for (const original of all) {
      for (const segment of segmentsOf(original, all)) {
        const bytes = segment === undefined ? "missing" : await ingest.segmentBytes(segment);
        if (typeof bytes === "string") throw new Error(bytes);
        let from = 0;
        for (const [start, length] of segment?.at ?? []) {
          const kept = {
            form: original.form,
            start,
            bytes: bytes.subarray(from, from + length),
            size: original.size,
          };
          files.set(original.file, [...(files.get(original.file) ?? []), kept]);
          from += length;
        }
      }
    }
  }
  return files;
}

async function bytesOf(store: Store, key: string, index = 0): Promise<Buffer> {
  const source = (await originalSources(store, key))[index];
  return Buffer.concat(await Array.fromAsync(source?.bytes() ?? []));
}

async function fidelityOf(store: Store, key: string, index = 0) {
  const bytes = (await originalSources(store, key))[index]?.bytes();
  for (;;) {
    const next = await bytes?.next();
    if (next === undefined || next.done) return next?.value;
  }
}

/** Messages are in databases, or in other files than their conversation. */
const WITH_ROWS = new Set(["agent-sqlite", "openclaw", "opencode"]);
const OWN = new Set(["own", "colloquy"]);

describe.each(ENGINES)("the bytes of a source, in %s", (engine) => {
  it.each(readdirSync(FIXTURES).filter((name) => !OWN.has(name)))(
    "are kept for every byte of every file of %s",
    async (format) => {
      const folder = tempFolder();
      const sources = join(folder, "sources");
      cpSync(join(FIXTURES, format), sources, { recursive: true });
      buildDatabases(sources);
      for (const name of filesIn(sources)) utimesSync(name, 1e9, 1e9);
      await using store = await openStore(targetOf(engine, folder));
      const report = await importConversations(store, [sources]);
      expect(report.messages).toBeGreaterThan(0);
      const kept = await keptOf(store);
      expect(kept.size).toBeGreaterThan(0);
      for (const [name, parts] of kept) {
        const file = readFileSync(join(sources, name));
        const ofFile = parts.filter(({ form }) => form !== "rows");
        if (!WITH_ROWS.has(format)) expect(ofFile).toEqual(parts);
        for (const { start, bytes } of ofFile) {
          expect(bytes).toEqual(file.subarray(start, start + bytes.length));
        }
        if (!ofFile.some(({ form }) => form === "lines")) continue;
        let end = 0;
        for (const { start, bytes } of ofFile.toSorted((a, b) => a.start - b.start)) {
          expect([name, start]).toEqual([name, Math.min(start, end)]);
          end = Math.max(end, start + bytes.length);
        }
        expect([name, end]).toEqual([name, file.length]);
      }
      expect((await store.verify()).findings).toEqual([]);
      expect(await importConversations(store, [sources], { verify: true })).toMatchObject({ missing: [] });
      await importConversations(store, [sources], { again: true });
      expect(await keptOf(store)).toEqual(kept);
    },
  );

  it("come back with damaged, blank, odd and unterminated lines, whatever their sizes", async () => {
    const folder = tempFolder();
    const sources = join(folder, "sources");
    mkdirSync(sources);
    const file = join(sources, "a.jsonl");
    const long = 'line of output "quoted"\\n é '.repeat(20_000);
    const source = Buffer.concat([
      Buffer.from(`\ufeff\n \t\r\n${piHeader("s1")}{"torn": \n${piSays("a1", null, "One")}`),
      Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0, 0, 0, 0x0a]),
      Buffer.from(`${piSays("a2", "a1", long)}\r\n\n`),
      ...Array.from({ length: 300 }, (_, index) =>
        Buffer.from(
          piSays(`b${index}`, index === 0 ? "a2" : `b${index - 1}`, `${index} ${"text ".repeat(200)}`),
        ),
      ),
      Buffer.from(piSays("z", "b299", "The last line has no end").trimEnd()),
    ]);
    writeFileSync(file, source);
    await using store = await openStore(targetOf(engine, folder));
    const report = await importConversations(store, [sources]);
    expect(report.messages).toBe(303);
    expect(await bytesOf(store, "pi:s1")).toEqual(source);
    expect(await fidelityOf(store, "pi:s1")).toEqual({ bytes: source.length, isExact: true, notes: [] });
  });

  it("are stored once when the file grows, is renamed, or is read again, and twice where it was rewritten", async () => {
    const folder = tempFolder();
    const sources = join(folder, "sources");
    mkdirSync(sources);
    const file = join(sources, "a.jsonl");
    await using store = await openStore(targetOf(engine, folder));
    let text = piHeader("s1");
    for (let index = 0; index < 5; index++) {
      text += piSays(`a${index}`, index === 0 ? null : `a${index - 1}`, `${index} `.repeat(30_000));
      writeFileSync(file, text);
      await importConversations(store, [sources]);
      expect((await bytesOf(store, "pi:s1")).toString() === text).toBe(true);
    }
    await importConversations(store, [sources], { again: true });
    renameSync(file, join(sources, "b.jsonl"));
    await importConversations(store, [sources]);
    cpSync(join(sources, "b.jsonl"), join(sources, "copy.jsonl"));
    await importConversations(store, [sources]);
    expect(await originalSources(store, "pi:s1")).toHaveLength(1);
    expect(await fidelityOf(store, "pi:s1")).toMatchObject({ isExact: true });
    const changed = text.replace("/work", "/home");
    writeFileSync(join(sources, "b.jsonl"), changed);
    await importConversations(store, [sources]);
    expect((await originalSources(store, "pi:s1")).map((source) => source.file)).toEqual([
      "a.jsonl",
      "b.jsonl",
    ]);
    expect((await bytesOf(store, "pi:s1", 1)).toString() === changed).toBe(true);
    expect((await bytesOf(store, "pi:s1", 0)).toString() === text).toBe(true);
    appendFileSync(join(sources, "b.jsonl"), piSays("z", "a4", "one more"));
    await importConversations(store, [sources]);
    expect((await bytesOf(store, "pi:s1", 1)).toString() === changed + piSays("z", "a4", "one more")).toBe(
      true,
    );
  });

  it("are known to be all of a file that was renamed before its end was known", async () => {
    const sources = tempFolder();
    const text = piHeader("s1") + piSays("a1", null, "One");
    writeFileSync(join(sources, "a.jsonl"), text);
    await using store = await openStore(targetOf(engine, tempFolder()));
    await importConversations(store, [sources], { settleMs: 60_000 });
    renameSync(join(sources, "a.jsonl"), join(sources, "b.jsonl"));
    await importConversations(store, [sources]);
    expect(await originalSources(store, "pi:s1")).toHaveLength(1);
    expect(await fidelityOf(store, "pi:s1")).toMatchObject({ isExact: true });
    appendFileSync(join(sources, "b.jsonl"), piSays("a2", "a1", "Two"));
    await importConversations(store, [sources]);
    expect((await bytesOf(store, "pi:s1")).toString()).toBe(text);
    expect((await bytesOf(store, "pi:s1", 1)).toString()).toBe(text + piSays("a2", "a1", "Two"));
  });

  it("are known to be all of a file once it has not changed for a while", async () => {
    const folder = tempFolder();
    const sources = join(folder, "sources");
    for (const name of LIVE) cpSync(join(FIXTURES, name), join(sources, name), { recursive: true });
    const files = filesIn(sources);
    await using store = await openStore(targetOf(engine, folder));
    const exactness = async (): Promise<boolean[]> => {
      const found: boolean[] = [];
      for await (const { id } of store.list()) {
        for (const [index, { form }] of (await originalSources(store, id)).entries()) {
          if (form === "lines") found.push((await fidelityOf(store, id, index))?.isExact === true);
        }
      }
      return found;
    };
    const passes = [];
    for (const settleMs of [60_000, 0, 0]) {
      for (const name of files) utimesSync(name, new Date(), new Date());
      await importConversations(store, [sources], { settleMs });
      passes.push({ exact: await exactness(), all: await Array.fromAsync(store.list()) });
    }
    expect(passes.map(({ exact }) => [...new Set(exact)])).toEqual([[false], [true], [true]]);
    expect(passes[2]?.all).toEqual(passes[1]?.all);
  });
});

const LIVE = [
  ...["claude-code/2.1-session", "codex/0.166-forks", "gemini/0.61-resumed-twice.jsonl", "goclaw"],
  ...["openclaw/agents/main/sessions", "pi/0.87.1-two-models.jsonl"],
];

const FINDERS: Readonly<Record<string, (target: string, sources: string) => Promise<unknown>>> = {
  "an export": async (target) => {
    await using store = await openStore(target, { readonly: true });
    const found = await fidelityOf(store, "pi:s1");
    const notes = expect.arrayContaining([expect.stringMatching(/are damaged: import the source again$/)]);
    expect(found).toMatchObject({ isExact: false, notes });
  },
  "an import that verifies": async (target, sources) => {
    await using store = await openStore(target);
    const { missing } = await importConversations(store, [sources], { verify: true });
    expect(missing.map(({ reason }) => reason)).toEqual([
      ...missing.map(() => expect.stringMatching(/bytes of the original are damaged/)),
    ]);
    expect(missing.length).toBeGreaterThan(0);
  },
  "a check of the store": async (target) => {
    await using store = await openStore(target, { readonly: true });
    const codes = (await store.verify()).findings.map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set(["bad-blob"]));
  },
};

describe.each(["sqlite", "jsonl"])("a damaged segment, in %s", (engine) => {
  it.each(Object.keys(FINDERS))(
    "costs no message, is found by %s, and is healed by the next import of its source",
    async (finder) => {
      const folder = tempFolder();
      const [sources, place] = [join(folder, "sources"), join(folder, "store")];
      mkdirSync(sources);
      const words = (seed: number): string =>
        Array.from({ length: 2500 }, (_, index) => Math.sin(seed * 7919 + index).toString(36)).join(" ");
      const lines = Array.from({ length: 5 }, (_, index) =>
        piSays(`a${index}`, index === 0 ? null : `a${index - 1}`, words(index)),
      );
      const text = `${piHeader("s1")}${lines.join("")}`;
      writeFileSync(join(sources, "a.jsonl"), text);
      const target = `${engine}:${place}`;
      {
        await using store = await openStore(target);
        await importConversations(store, [sources]);
      }
      damageBlobs(engine, place);
      await FINDERS[finder]?.(target, sources);
      await using store = await openStore(target);
      expect((await (await store.get("pi:s1"))?.messages())?.items).toHaveLength(5);
      expect(await importConversations(store, [sources])).toMatchObject({ messages: 0, unchanged: 0 });
      expect((await store.verify()).findings).toEqual([]);
      expect((await bytesOf(store, "pi:s1")).toString() === text).toBe(true);
    },
  );
});

describe("an original", () => {
  it("goes with its conversation to a backup, to another engine, and through our own formats", async () => {
    const folder = tempFolder();
    const sources = join(folder, "sources");
    cpSync(join(FIXTURES, "claude-code", "2.1-session"), sources, { recursive: true });
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    await importConversations(store, [sources]);
    const kept = await keptOf(store);
    expect(kept.size).toBeGreaterThan(1);
    await using other = await openStore(`jsonl:${join(folder, "copy")}`);
    await store.copyTo(other);
    expect(await keptOf(other)).toEqual(kept);
    await store.backup(join(folder, "backup.db"));
    await using backup = await openStore(`sqlite:${join(folder, "backup.db")}`);
    expect(await keptOf(backup)).toEqual(kept);
    for (const to of ["json", "jsonl"] as const) {
      const exported = join(folder, to);
      mkdirSync(exported);
      for await (const { id } of store.list()) {
        await writeExport(join(exported, `${id}.${to}`), exportConversation(store, id, { to }));
      }
      await using copy = await openStore("ephemeral:");
      await importConversations(copy, [exported]);
      expect(sorted(await keptOf(copy))).toEqual(sorted(kept));
    }
  });
});

function sorted(kept: Map<string, Kept[]>): [string, Kept[]][] {
  return [...kept].sort(([a], [b]) => (a < b ? -1 : 1));
}

it("keeps all of a conversation that an export has twice, also under the name of a later export", async () => {
  const id = "aaaaaaaa-1111-4111-8111-111111111111";
  const at = "2026-01-01T00:00:00Z";
  const said = (index: number) => ({
    uuid: `m${index}`,
    sender: "human",
    text: `Text ${index}`,
    created_at: at,
  });
  const chat = (count: number) => ({
    ...{ uuid: id, name: "A chat", created_at: at },
    chat_messages: Array.from({ length: count }, (_, index) => said(index)),
  });
  const folder = tempFolder();
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  for (const [name, later] of [
    ["one.json", 4],
    ["two.json", 6],
  ] as const) {
    writeFileSync(join(folder, name), JSON.stringify([chat(2), chat(later)]));
    await importConversations(store, [folder]);
    rmSync(join(folder, name));
  }
  writeFileSync(join(folder, "two.json"), JSON.stringify([chat(2), chat(6)]));
  expect(await importConversations(store, [folder], { verify: true })).toMatchObject({ missing: [] });
});
