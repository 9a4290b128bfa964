/** Announcements in an export of another store, which may claim anything. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { beforeEach, expect, it } from "vitest";
import { writeOriginals } from "../../src/formats/export/original/write-originals.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";

const ID = "01980000-0000-7000-8000-000000000001";
const AT = "2026-01-01T00:00:00.000Z";

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

function segment(bytes: Buffer, claimed: object = {}) {
  const hash = createHash("sha256").update(bytes).digest("hex");
  const zstd = zstdCompressSync(bytes).toString("base64");
  return { at: [[0, bytes.length]], bytes: bytes.length, hash, zstd, ...claimed };
}

/** A store with the conversation of such an export. */
async function storeWith(announcement: object): Promise<Store> {
  const original = { type: "original", original: 1, file: "a.jsonl", form: "document", first: 0 };
  const common = { parentId: null, at: AT };
  const entries = [
    { id: "e1", seq: 1, kind: "message", message: { role: "user", content: "hello" }, ...common },
    { id: "a1", seq: 2, branch: -1, kind: "info", data: { ...original, ...announcement }, ...common },
  ];
  const info = { id: ID, key: "cli:claimed", title: "Claimed", channel: "cli", createdAt: AT };
  const branches = [{ name: "main", head: "e1", forkedFrom: null, parent: null }];
  const path = join(folder, "export.json");
  writeFileSync(path, JSON.stringify({ colloquy: 1, info, branches, active: "main", labels: [], entries }));
  const store = await openStore("ephemeral:");
  await importConversations(store, [path]);
  return store;
}

it("an original is written below the folder, whatever its name", async () => {
  const bytes = Buffer.from("hello");
  const out = join(folder, "deep", "er", "out");
  for (const file of ["a/..\0/..\0/..\0/out.txt", "../../../out.txt", "..\\..\\..\\out.txt", "/out.txt"]) {
    await using store = await storeWith({ file, size: 5, segments: [segment(bytes)] });
    const [written] = await writeOriginals(store, [ID], out, { force: true });
    expect(written?.path.startsWith(out)).toBe(true);
    expect(readFileSync(written?.path ?? "")).toEqual(bytes);
  }
  expect(existsSync(join(folder, "out.txt"))).toBe(false);
});

it.each([
  ["is larger than any that an import makes", { segments: [segment(Buffer.alloc(3_000_000))] }],
  ["claims an impossible size", { segments: [segment(Buffer.from("x"), { bytes: 2 ** 53 - 2 })] }],
  [
    "is said to be at more places than it has bytes for",
    {
      segments: [segment(Buffer.alloc(1000), { at: Array.from({ length: 500 }, () => [0, 1000]) })],
    },
  ],
  [
    "comes after more others than there can be",
    { first: 2 ** 53 - 2, segments: [segment(Buffer.from("x"))] },
  ],
])("a segment that %s has no original, and its conversation can be redacted", async (_, announcement) => {
  await using store = await storeWith(announcement);
  await expect(writeOriginals(store, [ID], folder)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await (await store.get(ID))?.redact("e1");
  expect(JSON.stringify((await (await store.get(ID))?.messages())?.items)).not.toContain("hello");
});

it("bytes that are there more than once are not the source", async () => {
  const first = segment(Buffer.from("hello\n"));
  const again = segment(Buffer.from("hello\nagain\n"));
  await using store = await storeWith({ form: "lines", size: 12, segments: [first, again] });
  const [written] = await writeOriginals(store, [ID], folder);
  expect(written).toMatchObject({ isExact: false, notes: ["bytes from 0 on are there more than once"] });
});

it("a folder that has the name of an original is left, even with force", async () => {
  await using store = await storeWith({ size: 6, segments: [segment(Buffer.from("hello\n"))] });
  const [first] = await writeOriginals(store, [ID], folder);
  expect(first).toMatchObject({ path: join(folder, "a.jsonl"), state: "written" });
  rmSync(join(folder, "a.jsonl"));
  mkdirSync(join(folder, "a.jsonl"));
  const [written] = await writeOriginals(store, [ID], folder, { force: true });
  expect(written).toMatchObject({ state: "differs", notes: ["What is there is not a plain file"] });
  expect(statSync(join(folder, "a.jsonl")).isDirectory()).toBe(true);
});
