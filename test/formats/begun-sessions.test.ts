/** A file of a session that has no message yet: a tool may write one hours after the first line. */
import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
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

it.each(BEGUN)("of %s is kept when it was left for a day", async (_, path, first) => {
  const file = join(tempFolder(), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, first);
  const left = Date.now() / 1000 - 2 * 86_400;
  utimesSync(file, left, left);
  await using store = await openStore("ephemeral:");
  expect(await importConversations(store, [file])).toMatchObject({ conversations: 1, pending: 0 });
});
