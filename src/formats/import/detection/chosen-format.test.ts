import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { importConversations } from "../run.ts";

let folder: string;
beforeEach(() => {
  folder = tempFolder();
  mkdirSync(join(folder, "sources"));
  write("a.jsonl", piHeader("s1") + piSays("a1", null, "One"));
  write("b.txt", "Day 1: rain\n");
});

/** Long ago: a tool writes nothing more to it. */
function write(name: string, text: string): void {
  const path = join(folder, "sources", name);
  writeFileSync(path, text);
  utimesSync(path, 1, 1);
}

function take(store: Store, format?: string) {
  return importConversations(store, [join(folder, "sources")], { format });
}

function open(): Promise<Store> {
  return openStore(`sqlite:${join(folder, "store.db")}`);
}

describe("a file that was imported in a format that the user chose", () => {
  it("is read again without it, by the reader of its own format", async () => {
    await using store = await open();
    expect(await take(store, "codex")).toMatchObject({ messages: 0, skippedCount: 1 });
    expect(await take(store)).toMatchObject({ messages: 1, unchanged: 0, skippedCount: 0 });
    expect(await take(store)).toMatchObject({ messages: 0, unchanged: 1, ignored: 1, skippedCount: 0 });
  });

  it("is not read again with it, and is with another one", async () => {
    await using store = await open();
    await take(store, "codex");
    expect(await take(store, "codex")).toMatchObject({ unchanged: 2 });
    expect(await take(store, "pi")).toMatchObject({ messages: 1, unchanged: 0 });
  });
});
