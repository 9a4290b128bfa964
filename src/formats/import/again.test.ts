import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { originalSources } from "../export/original/original.ts";
import { importConversations } from "./run.ts";

const TALK =
  piHeader("s1") + piSays("a1", null, "One") + piSays("a2", "a1", "Two") + piSays("a3", "a2", "Three");
const KEY = "pi:s1";

let folder: string;
let file: string;
beforeEach(() => {
  folder = tempFolder();
  mkdirSync(join(folder, "sources"));
  file = join(folder, "sources", "a.jsonl");
  writeFileSync(file, TALK);
});

function take(store: Store, again = false) {
  return importConversations(store, [join(folder, "sources")], { again });
}

/** The texts on a branch; of the checked-out one by default. */
async function path(store: Store, branch?: string, key = KEY): Promise<unknown[]> {
  const page = await (await store.get(key))?.messages(branch === undefined ? {} : { branch });
  return (page?.items ?? []).map(({ message }) => message?.content);
}

async function branches(store: Store): Promise<string[]> {
  return ((await (await store.get(KEY))?.branches()) ?? []).map(({ name }) => name);
}

describe.each(["sqlite", "jsonl"])("importing again into %s", (engine) => {
  let target: string;
  beforeEach(() => {
    target = `${engine}:${join(folder, "store")}`;
  });

  it("leaves out an id that comes again in a later pass, and keeps another version of it", async () => {
    await using store = await openStore(target);
    await take(store);
    appendFileSync(
      file,
      piSays("a2", "a1", "Two") + piSays("a1", "a3", "One, changed") + piSays("a4", "a3", "Four"),
    );
    const report = await take(store);
    expect(report).toMatchObject({ messages: 2, skippedCount: 0 });
    expect(report.imported[0]?.flags).toMatchObject({ "duplicate-id": 1 });
    const page = await (await store.get(KEY))?.entries({ all: true });
    const texts = (page?.items ?? []).map(({ message }) => message?.content);
    expect(texts).toContain("One, changed");
    expect(texts.filter((text) => text === "Two")).toHaveLength(1);
    expect((await store.verify()).findings).toEqual([]);
  });

  it("reads a copy that appears beside a file that has grown", async () => {
    await using store = await openStore(target);
    await take(store);
    appendFileSync(file, piSays("a4", "a3", "Four"));
    writeFileSync(join(folder, "sources", "copy.jsonl"), TALK + piSays("c4", "a3", "Another four"));
    expect(await take(store)).toMatchObject({ messages: 2, branches: 1 });
  });

  it("brings back nothing that was pruned, and continues beside it", async () => {
    appendFileSync(
      file,
      piSays("b2", "a1", "Side") + piSays("b3", "b2", "Side two") + piSays("a4", "a3", "Four"),
    );
    await using store = await openStore(target);
    await take(store);
    const chat = await store.get(KEY);
    const [other] = (await branches(store)).filter((name) => name !== "main");
    await chat?.checkout("main");
    await chat?.pruneBranches({ names: [other as string] });
    expect(await branches(store)).toEqual(["main"]);
    renameSync(file, join(folder, "sources", "renamed.jsonl"));
    expect(await take(store)).toMatchObject({ messages: 0 });
    expect(await take(store, true)).toMatchObject({ messages: 0 });
    appendFileSync(join(folder, "sources", "renamed.jsonl"), piSays("d2", "a1", "A new side"));
    expect(await take(store)).toMatchObject({ messages: 1, branches: 1 });
    expect((await store.verify()).findings).toEqual([]);
  });

  it("adds to a restored conversation what came while it was in the trash", async () => {
    await using store = await openStore(target);
    await take(store);
    const { id } = await store.delete(KEY);
    appendFileSync(file, piSays("a4", "a3", "Four"));
    await take(store);
    await store.restore(id);
    appendFileSync(file, piSays("a5", "a4", "Five"));
    await take(store);
    expect(await path(store)).toEqual(["One", "Two", "Three", "Four", "Five"]);
  });

  it("does not bring back redacted or purged content when the file has another name", async () => {
    await using store = await openStore(target);
    await take(store);
    await (await store.get(KEY))?.redact("a1");
    renameSync(file, join(folder, "sources", "b.jsonl"));
    expect(await take(store)).toMatchObject({ messages: 0 });
    expect(JSON.stringify(await path(store))).not.toContain("One");
    const { id } = await store.delete(KEY);
    await store.purge(id);
    renameSync(join(folder, "sources", "b.jsonl"), join(folder, "sources", "c.jsonl"));
    expect((await take(store)).imported[0]?.flags).toEqual({ purged: 1 });
    expect(await store.get(KEY)).toBeUndefined();
  });

  it("keeps notes and damaged lines that were put before entries that it knows", async () => {
    await using store = await openStore(target);
    await take(store);
    const lines = TALK.split("\n");
    const note = JSON.stringify({
      type: "custom",
      customType: "x",
      id: "n1",
      parentId: "a1",
      data: "a note",
    });
    writeFileSync(file, [...lines.slice(0, 2), note, "{torn here", ...lines.slice(2)].join("\n"));
    await take(store);
    const [, changed] = await originalSources(store, KEY);
    const bytes = Buffer.concat(await Array.fromAsync(changed?.bytes() ?? []));
    expect(bytes).toEqual(readFileSync(file));
    expect(await importConversations(store, [join(folder, "sources")], { verify: true })).toMatchObject({
      missing: [],
    });
  });

  it("continues where the source continues, despite an empty branch there", async () => {
    await using store = await openStore(target);
    await take(store);
    await (await store.get(KEY))?.branch("a3", { name: "empty" });
    appendFileSync(file, piSays("a4", "a3", "Four"));
    await take(store);
    expect(await path(store, "main")).toEqual(["One", "Two", "Three", "Four"]);
  });
});

describe("a source that changes an entry under the same id", () => {
  it("continues after the last version, in every later pass", async () => {
    const path = join(folder, "sources", "session-2026-04-01T08-00-aaaaaaaa.jsonl");
    const said = (id: string, type: string, content: string): string =>
      `${JSON.stringify({ id, timestamp: "2026-04-01T08:00:01.000Z", type, content })}\n`;
    const meta = { sessionId: "g1", projectHash: "p", startTime: "2026-04-01T08:00:00.000Z", kind: "main" };
    writeFileSync(path, `${JSON.stringify(meta)}\n${said("1", "user", "one")}${said("2", "gemini", "tw")}`);
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    await take(store);
    appendFileSync(path, said("2", "gemini", "two"));
    await take(store);
    appendFileSync(path, said("3", "user", "three"));
    await take(store);
    appendFileSync(path, said("4", "gemini", "four"));
    await take(store);
    const { items } = (await (await store.get("gemini:g1"))?.messages()) ?? { items: [] };
    const texts = items.map(({ message }) => JSON.stringify(message?.content));
    expect(texts.map((text) => /one|two|three|four|tw/.exec(text)?.[0])).toEqual([
      "one",
      "two",
      "three",
      "four",
    ]);
  });
});

describe("a source whose pictures or long outputs are gone", () => {
  const SESSION = "21000000-0000-4000-8000-000000000003";

  it.each([
    ["Claude Code", "claude-code/2.1-session", "", `${SESSION}/tool-results/toolu_log.txt`, 12],
    ["ChatGPT", "chatgpt/assets.json", "conversations.json", "file-AbC123-leaf.png", 6],
    ["ChatGPT, an attachment", "chatgpt/assets.json", "conversations.json", "file-Doc9-notes.txt", 6],
  ])("adds nothing, and lacks nothing: %s", async (_, fixture, copy, beside, messages) => {
    const sources = join(folder, "sources");
    rmSync(file);
    cpSync(join("test/fixtures", fixture), join(sources, copy), { recursive: true });
    writeFileSync(join(sources, beside), "what is beside it");
    if (beside.includes("Doc9")) writeFileSync(join(sources, "file-AbC123-leaf.png"), "in the same message");
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    expect(await take(store)).toMatchObject({ messages });
    rmSync(join(sources, beside));
    // All of it is read again, as from a copy in another place.
    expect(await take(store, true)).toMatchObject({ messages: 0, branches: 0 });
    const verified = await importConversations(store, [sources], { verify: true });
    expect(verified).toMatchObject({ missing: [] });
  });
});

describe("an answer that was stored in parts, because imports fell between its lines", () => {
  const SESSION = "21000000-0000-4000-8000-000000000003";
  const line = (uuid: string, parentUuid: string | null, message: object): string =>
    `${JSON.stringify({ type: "role" in message ? "user" : "assistant", uuid, parentUuid, sessionId: SESSION, message })}\n`;
  const says = (uuid: string, parent: string | null, content: unknown): string =>
    line(uuid, parent, { role: "user", content });
  const part = (uuid: string, parent: string, id: string, block: object): string =>
    line(uuid, parent, { id, content: [block] });
  const text = (said: string) => ({ type: "text", text: said });
  const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: {} });
  const result = (uuid: string, parent: string, id: string): string =>
    says(uuid, parent, [{ type: "tool_result", tool_use_id: id, content: `of ${id}` }]);

  const prompt = says("u1", null, "Go");

  const calls = [part("a1", "u1", "m1", text("First")), part("a2", "a1", "m1", call("t"))];
  const resultBetween = [
    part("a1", "u1", "m1", call("s")) + result("r1", "a1", "s"),
    part("a2", "a1", "m1", call("t")),
  ];

  it.each([
    ["a text and a call", calls, false],
    ["the same, read in two passes", calls, true],
    ["a result before the last call", resultBetween, false],
    ["the same, read in two passes", resultBetween, true],
  ])("is continued after its last part by a copy of the session: %s", async (_, parts, isReadFirst) => {
    const sources = join(folder, "sources");
    rmSync(file);
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    const session = join(sources, `${SESSION}.jsonl`);
    writeFileSync(session, prompt);
    for (const lines of parts) {
      appendFileSync(session, lines);
      await take(store);
    }
    const before = await path(store, undefined, `claude-code:${SESSION}`);
    mkdirSync(join(sources, "elsewhere"));
    const copy = join(sources, "elsewhere", `${SESSION}.jsonl`);
    renameSync(session, copy);
    if (isReadFirst) await take(store);
    appendFileSync(copy, result("r2", "a2", "t"));
    expect(await take(store)).toMatchObject({ messages: 1, branches: 0 });
    const after = await path(store, undefined, `claude-code:${SESSION}`);
    expect(after.slice(0, -1)).toEqual(before);
  });
});
