/** What the user told a store to forget stays forgotten. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { forgetSources } from "../../src/formats/import/forget.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { watchConversations } from "../../src/formats/import/watch.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

let sources: string;
let target: string;
let file: string;

beforeEach(() => {
  const folder = tempFolder();
  sources = join(folder, "sources");
  file = join(sources, "a.jsonl");
  target = join(folder, "store.db");
  mkdirSync(sources);
  writeFileSync(file, piHeader("a") + piSays("a1", null, "One"));
});

it("after the ledger was removed", async () => {
  await using store = await openStore(`sqlite:${target}`);
  await importConversations(store, [sources]);
  await forgetSources(store, [sources]);
  for (const end of ["", "-wal", "-shm", ".lock"]) rmSync(`${target}-imports${end}`, { force: true });
  writeFileSync(join(sources, "b.jsonl"), piHeader("b") + piSays("b1", null, "Two"));
  expect(await importConversations(store, [sources])).toMatchObject({ forgotten: 2, messages: 0 });
  expect(await importConversations(store, [sources], { again: true })).toMatchObject({ messages: 1 });
});

it("and is not missed by a dry run or a verification, which change nothing", async () => {
  await using store = await openStore(`sqlite:${target}`);
  await importConversations(store, [sources]);
  await forgetSources(store, [sources]);
  appendFileSync(file, piSays("a2", "a1", "Two"));
  const nothing = { forgotten: 1, messages: 0, missingCount: 0 };
  expect(await importConversations(store, [sources], { dryRun: true })).toMatchObject(nothing);
  expect(await importConversations(store, [sources], { verify: true })).toMatchObject(nothing);
  await importConversations(store, [sources], { dryRun: true, again: true });
  expect(await importConversations(store, [sources])).toMatchObject(nothing);
});

it("under every name of its path", async () => {
  const here = relative(process.cwd(), sources);
  await using store = await openStore(`sqlite:${target}`);
  await importConversations(store, [`${here}/`]);
  expect(await forgetSources(store, [`./${here}/`])).toMatchObject({ files: 1 });
  appendFileSync(file, piSays("a2", "a1", "Two"));
  expect(await importConversations(store, [sources])).toMatchObject({ forgotten: 1, messages: 0 });
});

it("and is not imported while the list of it is damaged", async () => {
  await using store = await openStore(`sqlite:${target}`);
  await forgetSources(store, [sources]);
  writeFileSync(`${target}-imports.forgotten.json`, "{");
  const refused = { code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("forgotten.json") };
  await expect(importConversations(store, [sources])).rejects.toMatchObject(refused);
  expect((await store.list()).items).toEqual([]);
});

it("what is deleted while an import with --again watches stays deleted", async () => {
  await using store = await openStore(`sqlite:${target}`);
  await importConversations(store, [sources]);
  await store.delete("pi:a");
  const stop = new AbortController();
  let passes = 0;
  const watching = watchConversations(store, [sources], {
    signal: stop.signal,
    again: true,
    intervalMs: 10,
    onPass: async () => {
      if (++passes === 1) await store.delete("pi:a");
      else stop.abort();
      writeFileSync(join(sources, "b.jsonl"), piHeader("b") + piSays("b1", null, "Two"));
    },
  });
  await watching;
  expect(passes).toBe(2);
  expect(await store.get("pi:a")).toBeUndefined();
  expect(await store.get("pi:b")).toBeDefined();
});
