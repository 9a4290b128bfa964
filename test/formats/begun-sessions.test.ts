/** A file of a session that has no message yet: a tool may write one hours after the first line. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

const SESSION = "21000000-0000-4000-8000-000000000003";

const mode = { type: "permission-mode", permissionMode: "default", sessionId: SESSION };
const prompt = {
  ...{ type: "user", uuid: "u1", parentUuid: null, sessionId: SESSION, timestamp: "2026-01-01T00:00:00Z" },
  message: { role: "user", content: "hello" },
};

const BEGUN: readonly (readonly [tool: string, path: string, first: string, next: string])[] = [
  ["Claude Code", `projects/p/${SESSION}.jsonl`, `${JSON.stringify(mode)}\n`, `${JSON.stringify(prompt)}\n`],
  ["pi", "agent/sessions/p/one.jsonl", piHeader("new"), piSays("m1", null, "hello")],
  ["OpenClaw", "agents/main/sessions/new.jsonl", piHeader("new"), piSays("m1", null, "hello")],
];

it.each(BEGUN)(
  "of %s is the same conversation as in an import of all of it",
  async (_, path, first, next) => {
    const write = (text: string): string => {
      const file = join(tempFolder(), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    };
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const file = write(first);
    expect(await importConversations(store, [file])).toMatchObject({
      conversations: 0,
      skipped: [],
      pending: 1,
    });
    expect(await importConversations(store, [file], { verify: true })).toMatchObject({ missing: [] });
    appendFileSync(file, next);
    expect(await importConversations(store, [file])).toMatchObject({
      conversations: 1,
      messages: 1,
      pending: 0,
    });
    expect(await importConversations(store, [file], { verify: true })).toMatchObject({ missing: [] });
    const moved = write(readFileSync(file, "utf8"));
    expect(await importConversations(store, [moved])).toMatchObject({ messages: 0 });
    expect(await Array.fromAsync(store.list())).toHaveLength(1);
  },
);

describe.each(BEGUN)("of %s that was left for a day", (_, path, first, next) => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = tempFolder();
    file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, first);
    leave();
  });

  const open = (): Promise<Store> => openStore(`sqlite:${join(folder, "store.db")}`);

  function leave(): void {
    const left = Date.now() / 1000 - 2 * 86_400;
    utimesSync(file, left, left);
  }

  async function isComplete(store: Store): Promise<boolean> {
    return (await importConversations(store, [file], { verify: true })).missingCount === 0;
  }

  it("is kept", async () => {
    await using store = await open();
    expect(await importConversations(store, [file])).toMatchObject({ conversations: 1, pending: 0 });
    expect(await isComplete(store)).toBe(true);
  });

  it.each(["2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"])(
    "is the same conversation as in an import of all of it when it goes on at %s",
    async (time) => {
      await using store = await open();
      await importConversations(store, [file]);
      const [begun] = await Array.fromAsync(store.list());
      appendFileSync(file, next.replace(/"timestamp":"[^"]*"/, `"timestamp":"${time}"`));
      expect(await importConversations(store, [file])).toMatchObject({ messages: 1, joined: 0 });
      expect(await isComplete(store)).toBe(true);
      expect(await Array.fromAsync(store.list())).toMatchObject([{ key: begun?.key, messageCount: 1 }]);
      expect(await Array.fromAsync(store.list({ trash: true }))).toMatchObject([{ id: begun?.id }]);
      expect(await importConversations(store, [file])).toMatchObject({ unchanged: 1 });
      expect(await importConversations(store, [file], { again: true })).toMatchObject({ messages: 0 });
      const moved = join(tempFolder(), path);
      mkdirSync(dirname(moved), { recursive: true });
      writeFileSync(moved, readFileSync(file, "utf8"));
      expect(await importConversations(store, [moved])).toMatchObject({ messages: 0 });
      expect(await Array.fromAsync(store.list())).toHaveLength(1);
    },
  );

  it("leaves what the user added to it where it is", async () => {
    await using store = await open();
    await importConversations(store, [file]);
    const [begun] = await Array.fromAsync(store.list());
    await (await store.open(begun?.key ?? "")).append({ role: "user", content: "Mine" });
    appendFileSync(file, next);
    expect(await importConversations(store, [file])).toMatchObject({ messages: 1 });
    expect(await isComplete(store)).toBe(true);
    const mine = await (await store.get(begun?.id ?? ""))?.messages();
    expect(mine?.items.map(({ message }) => message.content)).toEqual(["Mine"]);
    expect(await Array.fromAsync(store.list())).toHaveLength(2);
    expect(await Array.fromAsync(store.list({ trash: true }))).toEqual([]);
  });

  it("stays the conversation that it is as long as it has no message", async () => {
    await using store = await open();
    await importConversations(store, [file]);
    const before = await Array.fromAsync(store.list());
    appendFileSync(file, first);
    leave();
    expect(await importConversations(store, [file])).toMatchObject({ conversations: 1, pending: 0 });
    expect(await isComplete(store)).toBe(true);
    const ids = (await Array.fromAsync(store.list())).map(({ id }) => id);
    expect(ids).toEqual(before.map(({ id }) => id));
    appendFileSync(file, next);
    await importConversations(store, [file]);
    expect(await Array.fromAsync(store.list())).toMatchObject([{ messageCount: 1 }]);
  });

  it("stays while another file is in the same state", async () => {
    const other = join(folder, "other", path);
    mkdirSync(dirname(other), { recursive: true });
    cpSync(file, other, { preserveTimestamps: true });
    await using store = await open();
    await importConversations(store, [file, other]);
    appendFileSync(file, next);
    await importConversations(store, [file, other]);
    expect(await Array.fromAsync(store.list())).toHaveLength(2);
    appendFileSync(other, next);
    await importConversations(store, [file, other]);
    expect(await Array.fromAsync(store.list())).toMatchObject([{ messageCount: 1 }]);
  });
});

it("goes to the trash although its first message names another session", async () => {
  const name = "5036381b-a9f1-453f-9a8c-db03f4020f36.jsonl";
  const whole = readFileSync(`test/fixtures/claude-code/2.0.50-forks/${name}`, "utf8");
  const file = join(tempFolder(), name);
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  writeFileSync(file, whole.slice(0, whole.indexOf("\n") + 1));
  const left = Date.now() / 1000 - 2 * 86_400;
  utimesSync(file, left, left);
  await importConversations(store, [file]);
  writeFileSync(file, whole);
  await importConversations(store, [file]);
  expect(await Array.fromAsync(store.list())).toHaveLength(1);
});

it("does not hide the messages of a recording without its first line", async () => {
  const recording = readFileSync("test/fixtures/gemini/0.61-resumed-twice.jsonl", "utf8");
  const lines = recording.trimEnd().split("\n");
  const file = join(tempFolder(), "session-2026-11-16T15-31-bcd9fff2.jsonl");
  writeFileSync(file, `${lines.filter((line) => typeof JSON.parse(line).id === "string").join("\n")}\n`);
  await using store = await openStore("ephemeral:");
  const { messages, pending } = await importConversations(store, [file]);
  expect(messages).toBeGreaterThan(0);
  expect(pending).toBe(0);
});

it("is not taken for a copy of another session before its first message", async () => {
  const about = { sessionId: SESSION, timestamp: "2026-01-01T00:00:00Z" };
  const checkpoint = { type: "file-history-snapshot", messageId: "u1", snapshot: {} };
  const hook = {
    type: "attachment",
    uuid: "h1",
    parentUuid: null,
    ...about,
    attachment: { type: "hook_success" },
  };
  const file = join(tempFolder(), `${SESSION}.jsonl`);
  writeFileSync(file, `${JSON.stringify(checkpoint)}\n${JSON.stringify(hook)}\n`);
  const left = Date.now() / 1000 - 2 * 86_400;
  utimesSync(file, left, left);
  await using store = await openStore("ephemeral:");
  await importConversations(store, [file]);
  const [begun] = await Array.fromAsync(store.list());
  const { items } = (await (await store.get(begun?.id ?? ""))?.entries({ all: true })) ?? { items: [] };
  expect(items[0]?.data).toMatchObject({ type: "import", source_id: SESSION });
  expect(items[0]?.data).not.toHaveProperty("copy");
});
