/** Two writers at once, or one that lost a newline, leave several records on one line. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeOriginals } from "../../src/formats/export/original/write-originals.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";

const says = (content: string): string => JSON.stringify({ messages: [{ role: "user", content }] });

async function imported(store: Store, bytes: string | Buffer): Promise<string> {
  const folder = tempFolder();
  writeFileSync(join(folder, "glued.jsonl"), bytes);
  await importConversations(store, [folder]);
  return folder;
}

/** What is kept of the file with each conversation, by its title. */
async function keptOf(store: Store): Promise<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const { id, title } of (await store.list()).items) {
    const [{ path } = { path: "" }] = await writeOriginals(store, [id], tempFolder());
    kept[title ?? ""] = readFileSync(path, "utf8");
  }
  return kept;
}

describe.each(["ephemeral:", "sqlite:", "jsonl:"])("records on one line, %s", (engine) => {
  const open = (): Promise<Store> =>
    openStore(engine === "ephemeral:" ? engine : `${engine}${join(tempFolder(), "store")}`);

  it.each([
    ["", ""],
    ["after a byte order mark", "\ufeff"],
  ])("are kept with their own conversations %s", async (_, before) => {
    const [one, two, three] = [says("Wéird one"), says("Second"), says("Third")];
    await using store = await open();
    await imported(store, `${before}${one} ${two}, ${three}\n${says("Alone")}\n`);
    expect(await keptOf(store)).toEqual({
      "Wéird one": `${before}${one} `,
      Second: `${two}, `,
      Third: `${three}\n`,
      Alone: `${says("Alone")}\n`,
    });
  });

  it("do not outlive the purge of their conversation in another one", async () => {
    await using store = await open();
    const folder = await imported(store, `${says("Secret words")}${says("Second")}\n`);
    const { items } = await store.list();
    const secret = items.find(({ title }) => title === "Secret words");
    await store.purge(secret?.id ?? "", { force: true });
    expect(await keptOf(store)).toEqual({ Second: `${says("Second")}\n` });
    await importConversations(store, [folder], {});
    expect(await keptOf(store)).toEqual({ Second: `${says("Second")}\n` });
  });
});

it("damage on the same line is kept with the last of them", async () => {
  await using store = await openStore("ephemeral:");
  await imported(store, `${says("One")}${says("Two")}{"messages": [\n`);
  expect(await keptOf(store)).toEqual({ One: says("One"), Two: `${says("Two")}{"messages": [\n` });
});

it("a long line of several records is divided, too", async () => {
  await using store = await openStore("ephemeral:");
  const long = says("long ".repeat(1_200_000));
  await imported(store, `${long}${says("Second")}\n`);
  const kept = Object.values(await keptOf(store)).sort((a, b) => b.length - a.length);
  expect(kept.map((text) => text.length)).toEqual([long.length, says("Second").length + 1]);
});
