/** Titles of legacy files: whichever way they come into a store, they are cleaned in the same way. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { importConversations } from "./run.ts";

function folderWith(title: string): string {
  const folder = join(tempFolder(), "sessions");
  mkdirSync(folder);
  const message = { role: "user", content: "Hello", timestamp: "2025-03-02T08:00:00Z" };
  const write = (name: string, ...lines: readonly object[]): void =>
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  write("web_one.jsonl", { _type: "metadata", title }, message);
  write("web_two.jsonl", { _type: "metadata", version: 2, title }, { ...message, id: "a", parent_id: null });
  write("20250302080000000.jsonl", { ...message, timestamp: undefined, ts: message.timestamp });
  write("20250302080000000.meta.json", { id: "x", title, created_at: "2025-03-02T08:00:00Z" });
  return folder;
}

async function titlesOf(store: Store): Promise<unknown[]> {
  return (await store.list()).items.map(({ title }) => title);
}

describe.each([
  ["\u0007Plans\u001b[31m for\tMay", "Plans for May"],
  ["  \n\u2028Plans\nand more", "Plans"],
  [" \u200b\t ", null],
  [" [Mon 2025-03-02] Plans ", " [Mon 2025-03-02] Plans "],
])("the title %j of a legacy file", (given, title) => {
  it("is the same in place, after a migration, in a copy and in an import", async () => {
    const folder = folderWith(given);
    await using place = await openStore(`jsonl:${folder}`);
    expect(await titlesOf(place)).toEqual([title, title, title]);
    await using copy = await openStore("ephemeral:");
    expect(await place.copyTo(copy)).toMatchObject({ verified: true, skipped: [] });
    expect(await titlesOf(copy)).toEqual([title, title, title]);
    expect(await place.migrateLegacy()).toMatchObject({ conversations: 3, verified: true, skipped: [] });
    expect(await titlesOf(place)).toEqual([title, title, title]);

    await using imported = await openStore("ephemeral:");
    const source = folderWith(given);
    for (const dryRun of [true, false]) {
      const report = await importConversations(imported, [source], { dryRun });
      // An import names a conversation without a title by the first words.
      expect(report.imported.map((one) => one.title)).toEqual(Array(3).fill(title ?? "Hello"));
    }
    expect(await titlesOf(imported)).toEqual(Array(3).fill(title ?? "Hello"));
  });
});

describe("a title that the user gave", () => {
  it("stays, however often the source grows and has another one", async () => {
    const folder = tempFolder();
    const file = join(folder, "sources", "5e551000-0000-4000-8000-000000000001.jsonl");
    mkdirSync(join(folder, "sources"));
    const add = (value: object): void =>
      appendFileSync(
        file,
        `${JSON.stringify({ sessionId: "5e551000-0000-4000-8000-000000000001", ...value })}\n`,
      );
    add({ type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Hello" } });
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    await importConversations(store, [join(folder, "sources")]);
    const chat = await store.open("claude-code:5e551000-0000-4000-8000-000000000001");
    await chat.update({ title: "Mine" });
    for (const aiTitle of ["One", "Two", "Three"]) {
      add({ type: "ai-title", aiTitle });
      await importConversations(store, [join(folder, "sources")]);
      expect(await titlesOf(store)).toEqual(["Mine"]);
    }
  });
});
