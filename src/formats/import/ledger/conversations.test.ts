import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { RememberedConversation } from "./conversations.ts";
import { type FileMemory, Ledger } from "./ledger.ts";

function ledger(): Ledger {
  return Ledger.open(join(tempFolder(), "ledger"), "store");
}

function known(sourceId: string, lastSeq = 1, id = `id-${sourceId}`): RememberedConversation {
  return { id, sourceId, lastSeq, lastId: null, titleMark: null, keyMark: null, version: null };
}

function memory(path: string, former?: RememberedConversation): FileMemory {
  return {
    ...{ path, identity: "1:1", size: 1, modifiedMs: 1, format: "pi", offset: 1, line: 1 },
    ...{ kept: { offset: 1, line: 1 }, fingerprint: "", whole: true, reader: undefined, sink: {} },
    ...{ former, skipped: [] },
  };
}

const ids = (of: Ledger, path: string): string[] =>
  [...of.conversations.ofFile(path)].map(({ sourceId, lastSeq }) => `${sourceId} ${lastSeq}`);

it("what was known of a file counts until all of it is done", () => {
  const notes = ledger();
  notes.note("/a", [known("one"), known("two")]);
  expect(ids(notes, "/a")).toEqual([]);
  notes.put(memory("/a"));
  notes.note("/a", [known("one", 2)]);
  expect(ids(notes, "/a")).toEqual(["one 1", "two 1"]);
  notes.begin("/a");
  notes.put(memory("/a"), { keepsOthers: true });
  expect(ids(notes, "/a")).toEqual(["one 1", "two 1"]);
  notes.close();
});

it("a file keeps the conversations that were not read again, or loses them", () => {
  const notes = ledger();
  notes.note("/a", [known("one"), known("two")]);
  notes.put(memory("/a"));
  notes.note("/a", [known("two", 2), known("three")]);
  notes.put(memory("/a"), { keepsOthers: true });
  expect(ids(notes, "/a")).toEqual(["one 1", "three 1", "two 2"]);
  expect(notes.conversations.last("/a")?.sourceId).toBe("three");
  notes.note("/a", [known("four")]);
  notes.put(memory("/a"));
  expect(ids(notes, "/a")).toEqual(["four 1"]);
  notes.close();
});

it("a conversation is found in each of its files, also where it was before", () => {
  const notes = ledger();
  notes.note("/a", [known("one", 1, "shared")]);
  notes.put(memory("/a"));
  notes.note("/b", [known("fork", 3, "shared")]);
  notes.put(memory("/b"));
  notes.note("/c", [known("late", 1, "whole")]);
  notes.put(memory("/c", known("late", 1, "shared")));
  const found = notes.conversations.of("shared").map(({ path, isFormer }) => [path, isFormer]);
  expect(found.sort()).toEqual([
    ["/a", false],
    ["/b", false],
    ["/c", true],
  ]);
  expect(notes.conversations.byId("/b", "shared")?.lastSeq).toBe(3);
  notes.close();
});

it("thousands of conversations are read page by page", () => {
  const notes = ledger();
  const names = Array.from({ length: 2500 }, (_, index) => `c${String(index).padStart(5, "0")}`);
  notes.note(
    "/a",
    names.map((name) => known(name)),
  );
  notes.put(memory("/a"));
  expect([...notes.conversations.ofFile("/a")].map(({ sourceId }) => sourceId)).toEqual(names);
  notes.close();
});
