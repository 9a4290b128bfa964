import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ColloquyError } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { sealObject } from "../../transcript/lines.ts";
import { UuidSequence } from "../../util/uuid.ts";
import type { NewEntry, Operation, Outcome } from "../operations.ts";
import type { ConversationInfo } from "../queries.ts";
import { JsonlEngine, type JsonlSurroundings } from "./jsonl-engine.ts";

const START_MS = Date.UTC(2026, 0, 1);
const AT = new Date(START_MS).toISOString();
const STEM = "20260101000000000";

function newFolder(): string {
  const base = mkdtempSync(join(tmpdir(), "colloquy-jsonl-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  return join(base, "store");
}

interface Opened {
  readonly engine: JsonlEngine;
  readonly problems: ColloquyError[];
}

async function open(folder: string, surroundings: JsonlSurroundings = {}, readonly = false): Promise<Opened> {
  const problems: ColloquyError[] = [];
  const options = { readonly, durability: "full", lockWaitMs: 1000 } as const;
  const engine = await JsonlEngine.open(
    folder,
    { ...options, onProblem: (problem) => problems.push(problem) },
    { clock: () => START_MS, ...surroundings },
  );
  onTestFinished(() => engine.close());
  return { engine, problems };
}

const ids = new UuidSequence();

const creation = (init: { key?: string; title?: string; id?: string } = {}): Operation => ({
  type: "create",
  id: init.id ?? ids.next(START_MS),
  idGiven: init.id !== undefined,
  key: init.key ?? null,
  title: init.title ?? null,
  channel: null,
  model: null,
  profileId: null,
  at: AT,
  resume: false,
});

function entry(text: string): NewEntry {
  const json = JSON.stringify({ role: "user", content: text });
  return { id: ids.next(START_MS), idGiven: false, kind: "message", at: AT, json };
}

const append = (conversation: string, ...texts: string[]): Operation => ({
  type: "append",
  conversation,
  entries: texts.map(entry),
  at: AT,
  operationId: texts.length > 1 ? ids.next(START_MS) : undefined,
  expectedHead: undefined,
});

const retitle = (conversation: string, title: string): Operation => ({
  type: "update",
  conversation,
  patch: { title },
  at: AT,
});

const move = (type: "trash" | "restore", conversation: string): Operation => ({ type, conversation, at: AT });

/** Do one thing that must succeed. */
async function done(engine: JsonlEngine, operation: Operation): Promise<Extract<Outcome, { ok: true }>> {
  const [outcome] = await engine.commit([operation]);
  if (!outcome?.ok) throw outcome?.error;
  return outcome;
}

async function created(engine: JsonlEngine, init?: Parameters<typeof creation>[0]): Promise<string> {
  return ((await done(engine, creation(init))).info as ConversationInfo).id;
}

function entriesOf(engine: JsonlEngine, conversation: string): StoredEntry[] {
  const all = { from: null, limit: 1000, bytesMax: Number.MAX_SAFE_INTEGER, kind: undefined };
  return engine.page({ conversation, direction: "forward", ...all }).entries;
}

function texts(engine: JsonlEngine, conversation: string): unknown[] {
  return entriesOf(engine, conversation).map(({ message }) => message?.content);
}

function listed(engine: JsonlEngine, trash = false): string[] {
  return engine.list({ trash, limit: 100, after: undefined }).map(({ id }) => id);
}

async function codes(engine: JsonlEngine): Promise<string[]> {
  return (await engine.verify()).findings.map(({ code }) => code);
}

/** A store with one conversation, `hello` in it, called Title, which is not open. */
async function settled(folder: string): Promise<string> {
  const { engine } = await open(folder);
  const id = await created(engine, { key: "cli:a", title: "Title" });
  await done(engine, append(id, "hello"));
  await engine.close();
  return id;
}

describe("the files of a store", () => {
  it("are private, and named by their creation time, at least one millisecond apart", async () => {
    const folder = newFolder();
    const { engine } = await open(folder);
    const outcomes = await engine.commit([creation(), creation(), creation()]);
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.endsWith(".jsonl"))).toEqual([
      "20260101000000000.jsonl",
      "20260101000000001.jsonl",
      "20260101000000002.jsonl",
    ]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o77, name).toBe(0);
  });

  it("do not reuse the name of a conversation in the trash", async () => {
    const folder = newFolder();
    const first = await open(folder);
    const old = await created(first.engine);
    await done(first.engine, move("trash", old));
    await first.engine.close();
    const { engine } = await open(folder);
    const young = await created(engine);
    await done(engine, move("restore", old));
    expect(listed(engine).sort()).toEqual([old, young].sort());
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([`${STEM}.jsonl`, "20260101000000001.jsonl"]));
  });

  it("in another program's folder are left alone", async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "store.json"), '{"name":"another program"}');
    await expect(open(folder)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect(readdirSync(folder).filter((name) => name !== "store.lock")).toEqual(["store.json"]);
  });

  it("are recognised by their logs when the marker is damaged, which is set aside", async () => {
    const folder = newFolder();
    const first = await open(folder);
    const id = await created(first.engine);
    await first.engine.close();
    const marker = join(folder, "store.json");
    const sound = readFileSync(marker, "utf8");
    const damaged = sound.replace("colloquy", "colmoquy");
    writeFileSync(marker, damaged);
    for (const readonly of [true, false]) {
      const { engine, problems } = await open(folder, {}, readonly);
      expect(listed(engine)).toEqual([id]);
      expect(problems).toMatchObject([{ message: /store\.json is damaged/ }]);
      expect(readFileSync(marker, "utf8")).toBe(readonly ? damaged : sound);
      await engine.close();
    }
    const aside = readdirSync(folder).filter((name) => name.startsWith("store.json.bad-"));
    expect(aside.map((name) => readFileSync(join(folder, name), "utf8"))).toEqual([damaged]);
  });

  it("of a newer version are refused, for reading too", async () => {
    const folder = newFolder();
    await settled(folder);
    writeFileSync(join(folder, "store.json"), sealObject({ format: "colloquy-jsonl", version: 99 }));
    await expect(open(folder)).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    await expect(open(folder, {}, true)).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  });

  it("whose marker has a flipped bit are not taken for those of a newer version", async () => {
    const folder = newFolder();
    await settled(folder);
    const marker = join(folder, "store.json");
    const sound = readFileSync(marker);
    const digit = sound.indexOf("3", sound.indexOf("version"));
    for (let bit = 0; bit < 8; bit++) {
      const damaged = Buffer.from(sound);
      damaged[digit] = (damaged[digit] as number) ^ (1 << bit);
      writeFileSync(marker, damaged);
      const { engine, problems } = await open(folder);
      await engine.close();
      expect(problems).toMatchObject([{ message: /store\.json is damaged/ }]);
      expect(readFileSync(marker)).toEqual(sound);
    }
  });

  it("without a checksum in their marker get one", async () => {
    const folder = newFolder();
    await settled(folder);
    const marker = join(folder, "store.json");
    const sound = readFileSync(marker);
    writeFileSync(marker, '{"format":"colloquy-jsonl","version":3}\n');
    const { engine, problems } = await open(folder);
    await engine.close();
    expect(problems).toEqual([]);
    expect(readFileSync(marker)).toEqual(sound);
  });

  it("cannot be inside a file", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "I am a file");
    await expect(open(folder)).rejects.toMatchObject({ code: "VALIDATION_ERROR", field: "target" });
    await expect(open(join(folder, "inside"))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(readFileSync(folder, "utf8")).toBe("I am a file");
  });

  it("survive a folder instead of the metadata", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    for (const name of [`${STEM}.meta.json`, `${STEM}.meta.json.bak`])
      rmSync(join(folder, name), { force: true });
    mkdirSync(join(folder, `${STEM}.meta.json`));
    const { engine, problems } = await open(folder);
    expect(texts(engine, id)).toEqual(["hello"]);
    expect(problems).toHaveLength(1);
    await done(engine, retitle(id, "Again"));
    expect(engine.byId(id)?.title).toBe("Again");
  });

  it("of other programs are reported once and left alone", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    const foreign = join(folder, "20250101000000000.jsonl");
    writeFileSync(foreign, '{"some":"log"}\n');
    const { engine, problems } = await open(folder);
    expect(listed(engine)).toEqual([id]);
    expect(listed(engine)).toEqual([id]);
    expect(problems.filter(({ message }) => message.includes("was ignored"))).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(await codes(engine)).toEqual(["foreign-file"]);
    await done(engine, append(id, "more"));
    expect(readFileSync(foreign, "utf8")).toBe('{"some":"log"}\n');
  });
});

describe("metadata that is lost", () => {
  it("together with the header gets an id from the name of the file, always the same", async () => {
    const folder = newFolder();
    await settled(folder);
    for (const name of [`${STEM}.meta.json`, `${STEM}.meta.json.bak`])
      rmSync(join(folder, name), { force: true });
    const log = join(folder, `${STEM}.jsonl`);
    writeFileSync(log, readFileSync(log, "utf8").split("\n").slice(1).join("\n"));
    const { engine } = await open(folder);
    expect(listed(engine)).toEqual(["42e476da-d8a1-8021-8695-56e2f1ffa50a"]);
  });

  it("is rebuilt from the log: id, key and counts are restored, the title is not", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    for (const name of [`${STEM}.meta.json`, `${STEM}.meta.json.bak`])
      rmSync(join(folder, name), { force: true });
    const { engine } = await open(folder);
    expect(engine.byKey("cli:a")).toMatchObject({ id, messageCount: 1, title: null, createdAt: AT });
    expect(await codes(engine)).toEqual(["missing-metadata"]);
  });

  it("is written again before the first append counts, because it says how far the log was synced", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    for (const name of [`${STEM}.meta.json`, `${STEM}.meta.json.bak`])
      rmSync(join(folder, name), { force: true });
    const { engine } = await open(folder);
    await done(engine, append(id, "more"));
    expect(JSON.parse(readFileSync(join(folder, `${STEM}.meta.json`), "utf8"))).toMatchObject({
      id,
      message_count: 1,
    });
  });

  it("is restored from its backup, with the title", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    const first = await open(folder);
    await done(first.engine, retitle(id, "Title"));
    await first.engine.close();
    writeFileSync(join(folder, `${STEM}.meta.json`), "{ torn");
    const { engine, problems } = await open(folder);
    expect(engine.byId(id)).toMatchObject({ title: "Title", messageCount: 1 });
    expect(problems).toHaveLength(1);
    expect(await codes(engine)).toEqual(["damaged-metadata"]);
  });

  it("is set aside if it is damaged", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    rmSync(join(folder, `${STEM}.meta.json.bak`), { force: true });
    writeFileSync(join(folder, `${STEM}.meta.json`), '{"title":"Saved by hand"');
    const { engine } = await open(folder);
    await done(engine, retitle(id, "New"));
    const kept = readdirSync(folder).filter((name) => name.includes(".damaged-"));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(folder, kept[0] as string), "utf8")).toBe('{"title":"Saved by hand"');
    expect(engine.byId(id)?.title).toBe("New");
    expect(await codes(engine)).toEqual([]);
  });

  it("that the user edited, without a checksum, is trusted for its texts", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    const path = join(folder, `${STEM}.meta.json`);
    const { _sum, ...plain } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...plain, title: "By hand", message_count: 99 }));
    const { engine } = await open(folder);
    expect(engine.byId(id)).toMatchObject({ title: "By hand", messageCount: 1 });
  });
});

describe("a log that is missing", () => {
  it("is an error if messages were counted, never an empty conversation", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    rmSync(join(folder, `${STEM}.jsonl`));
    const { engine } = await open(folder);
    expect(() => texts(engine, id)).toThrow(expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }));
    for (const operation of [append(id, "x"), move("trash", id)]) {
      const [outcome] = await engine.commit([operation]);
      expect(outcome).toMatchObject({ ok: false, error: { code: "SERVICE_UNAVAILABLE" } });
    }
    expect(await codes(engine)).toEqual(["missing-log"]);
    expect(existsSync(join(folder, `${STEM}.jsonl`))).toBe(false);
  });

  it("is created again if there was no message", async () => {
    const folder = newFolder();
    const first = await open(folder);
    const id = await created(first.engine, { title: "Empty" });
    await first.engine.close();
    rmSync(join(folder, `${STEM}.jsonl`));
    const { engine } = await open(folder);
    expect(entriesOf(engine, id)).toEqual([]);
    await done(engine, append(id, "first"));
    expect(texts(engine, id)).toEqual(["first"]);
    expect(engine.byId(id)?.title).toBe("Empty");
  });

  it("of a conversation without messages does not prevent its deletion", async () => {
    const folder = newFolder();
    const first = await open(folder);
    const id = await created(first.engine);
    await first.engine.close();
    rmSync(join(folder, `${STEM}.jsonl`));
    const { engine } = await open(folder);
    await done(engine, move("trash", id));
    expect(listed(engine)).toEqual([]);
    expect(listed(engine, true)).toEqual([id]);
  });
});

describe("a crash in the middle of moving to the trash", () => {
  it("before the log moved leaves the conversation where it was", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    mkdirSync(join(folder, "trash"));
    writeFileSync(
      join(folder, "trash", `${STEM}.meta.json`),
      readFileSync(join(folder, `${STEM}.meta.json`)),
    );
    const { engine } = await open(folder);
    expect(listed(engine)).toEqual([id]);
    expect(listed(engine, true)).toEqual([]);
    expect(await codes(engine)).toEqual([]);
    await done(engine, move("trash", id));
    expect(listed(engine, true)).toEqual([id]);
  });

  it("after the log moved leaves it in the trash, with its title, and it can be restored", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    mkdirSync(join(folder, "trash"));
    renameSync(join(folder, `${STEM}.jsonl`), join(folder, "trash", `${STEM}.jsonl`));
    const { engine } = await open(folder);
    expect(listed(engine)).toEqual([]);
    expect(engine.byKey("cli:a")).toBeUndefined();
    expect(engine.byId(id)).toMatchObject({ title: "Title", deletedAt: expect.any(String) });
    expect(await codes(engine)).toEqual([]);
    await done(engine, move("restore", id));
    expect(engine.byKey("cli:a")).toMatchObject({ id, title: "Title", deletedAt: null });
    expect(texts(engine, id)).toEqual(["hello"]);
  });
});

describe("two engines on one folder", () => {
  it("see one another's creations, titles, deletions, restorations and appends", async () => {
    const folder = newFolder();
    const { engine: one } = await open(folder);
    const { engine: two } = await open(folder);
    const id = await created(one, { key: "cli:a" });
    expect(two.byKey("cli:a")?.id).toBe(id);
    await done(one, retitle(id, "By one"));
    expect(two.byId(id)?.title).toBe("By one");
    await done(two, append(id, "from two"));
    await done(one, append(id, "from one"));
    expect(texts(two, id)).toEqual(["from two", "from one"]);
    expect(one.byId(id)).toMatchObject({ messageCount: 2, title: "By one" });
    await done(two, move("trash", id));
    expect(one.byId(id)?.deletedAt).not.toBeNull();
    expect(listed(one)).toEqual([]);
    await done(one, move("restore", id));
    expect(listed(two)).toEqual([id]);
    expect(texts(two, id)).toEqual(["from two", "from one"]);
  });

  it("see the changes of the other before they create a conversation", async () => {
    const folder = newFolder();
    const { engine: one } = await open(folder);
    const { engine: two } = await open(folder);
    expect(listed(two)).toEqual([]);
    const first = await created(one, { title: "One's" });
    const second = await created(two);
    expect(listed(two).sort()).toEqual([first, second].sort());
    await done(one, retitle(first, "Changed"));
    await created(two);
    expect(two.byId(first)?.title).toBe("Changed");
  });

  it("do not both take the same key", async () => {
    const folder = newFolder();
    const { engine: one } = await open(folder);
    const { engine: two } = await open(folder);
    await created(one, { key: "cli:a" });
    const [outcome] = await two.commit([creation({ key: "cli:a" })]);
    expect(outcome).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
  });

  it("do not restore an old title when they count messages", async () => {
    const folder = newFolder();
    const { engine: one } = await open(folder);
    const { engine: two } = await open(folder);
    const id = await created(one, { title: "Old" });
    await done(one, append(id, "x"));
    await done(two, retitle(id, "New"));
    await one.close();
    expect(two.byId(id)?.title).toBe("New");
    const { engine: three } = await open(folder);
    expect(three.byId(id)).toMatchObject({ title: "New", messageCount: 1 });
  });
});

describe("a store opened for reading", () => {
  it("changes nothing in the folder, torn tail and all", async () => {
    const folder = newFolder();
    const id = await settled(folder);
    const path = join(folder, `${STEM}.jsonl`);
    writeFileSync(path, `${readFileSync(path, "utf8")}{"role":"user","content":"to`);
    const before = snapshot(folder);
    const { engine } = await open(folder, {}, true);
    expect(texts(engine, id)).toEqual(["hello"]);
    expect(await codes(engine)).toEqual(["torn-tail"]);
    await engine.close();
    expect(snapshot(folder)).toEqual(before);
  });
});

function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}
