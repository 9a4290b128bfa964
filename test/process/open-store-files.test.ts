import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runDoctor } from "../../src/doctor/index.ts";
import { writeExport } from "../../src/formats/export/export-file.ts";
import { forgetSources } from "../../src/formats/import/forget.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { watchConversations } from "../../src/formats/import/watch.ts";
import { openSourceDatabase } from "../../src/formats/sources/database.ts";
import { systemReads } from "../../src/state/config/files/reads.ts";
import { restoreBackup } from "../../src/store/backup/restore.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { piHeader, piSays } from "../formats/pi-session.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { Child, ENGINES, user } from "./child-process.ts";

/** Locks that an open store has all the time: on its database, on the index of its log, on the file of a lease. */
const LASTING = /alive\/|^another-name|^store READ|^store-shm READ 128-128$/;

/** The lasting locks of this process on files in a folder, as the kernel lists them. */
function locksIn(folder: string): string[] {
  const names = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    names.set(String(statSync(join(folder, name)).ino), name);
  }
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, kind, , , pid]) => kind === "POSIX" && Number(pid) === process.pid)
    .flatMap(([, , , access, , file, from, to]) => {
      const name = names.get(file?.split(":")[2] ?? "");
      return name === undefined ? [] : [`${name} ${access} ${from}-${to}`];
    })
    .filter((lock) => LASTING.test(lock))
    .sort();
}

/** A folder with a source beside an open store, which has a lease. */
let folder: string;
let place: string;
let store: Store;
let target: string;

/** What reads or writes a path that the caller names. `folder` holds the store. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "import of the folder": () => importConversations(store, [folder]),
  "import of everything again": () => importConversations(store, [folder], { again: true }),
  "import as one format": () => importConversations(store, [folder], { format: "pi", again: true }),
  "dry run": () => importConversations(store, [folder], { dryRun: true }),
  verification: () => importConversations(store, [folder], { verify: true }),
  "import of the store itself": () => importConversations(store, [place]),
  "import of a link to it": () => importConversations(store, [join(folder, "link")]),
  "import of another name of it": () => importConversations(store, [join(folder, "other-name")]),
  "import into another store": async () => {
    await using other = await openStore("ephemeral:");
    return await importConversations(other, [folder]);
  },
  watch: async () => {
    const stop = new AbortController();
    await watchConversations(store, [folder], { signal: stop.signal, onPass: () => stop.abort() });
  },
  forget: () => forgetSources(store, [folder]),
  "opening it as a database": async () => (await openSourceDatabase(place)).close(),
  "export over it": () => writeExport(place, pieces(), { force: true }),
  "export over its log": () => writeExport(`${place}-wal`, pieces(), { force: true }),
  "backup over it": () => store.backup(place),
  "backup beside it": () => store.backup(join(folder, `backup-${readdirSync(folder).length}`)),
  "restore over it": () => restoreBackup(place, target, { force: true }),
  "restore from it": () => restoreBackup(place, target.replace(/store$/, "restored")),
  "reading it as a config": async () => systemReads.read(existsSync(place) ? place : folder, 1e9),
  doctor: () =>
    runDoctor({
      config: { stateDir: folder },
      store: { target, engine: store.engine, path: place, expected: true, indexed: false },
    }),
  "doctor with repairs": () =>
    runDoctor({
      config: { stateDir: folder },
      store: { target, engine: store.engine, path: place, expected: true, indexed: false },
      fix: true,
    }),
  validation: () => store.validate(),
  repair: () => store.repair(),
  "a second store at its place": async () => {
    await (await openStore(target)).close();
  },
  "a second store at its place, in a worker": async () => {
    await (await openStore(target, { worker: true })).close();
  },
  "a copy": async () => {
    await using other = await openStore("ephemeral:");
    await store.copyTo(other);
  },
};

async function* pieces(): AsyncGenerator<string> {
  yield "words";
}

describe.each([
  ["sqlite", false],
  ["sqlite", true],
  ["jsonl", false],
  ["jsonl", true],
] as const)("the locks of an open %s store (in a worker: %s)", (engine, worker) => {
  beforeEach(async () => {
    folder = tempFolder();
    place = join(folder, "store");
    target = `${engine}:${place}`;
    store = await openStore(target, { worker });
    const chat = await store.open("cli:default");
    await chat.append(user("Hello"));
    await chat.beginTurn();
    mkdirSync(join(folder, "sources"));
    writeFileSync(join(folder, "sources", "a.jsonl"), piHeader("s1") + piSays("a1", null, "One"));
    symlinkSync(place, join(folder, "link"));
    const file = engine === "sqlite" ? place : join(place, "store.lock");
    if (engine === "jsonl") linkSync(file, join(folder, "other-name"));
    const [alive = ""] = readdirSync(engine === "sqlite" ? `${place}-alive` : join(place, "alive"));
    linkSync(
      engine === "sqlite" ? join(`${place}-alive`, alive) : join(place, "alive", alive),
      join(folder, "another-name"),
    );
  });

  afterEach(() => store.close());

  it("are kept, whatever else the process does with its files", async () => {
    const before = locksIn(folder);
    expect(before.length).toBeGreaterThan(0);
    const chat = await store.get("cli:default");
    const lost: string[] = [];
    for (const [way, go] of Object.entries(WAYS)) {
      // Some of them are refused.
      await go().catch(() => {});
      const now = new Set(locksIn(folder));
      if (before.some((lock) => !now.has(lock))) lost.push(way);
      await chat?.append(user(`Still there after ${way}`));
    }
    expect(lost).toEqual([]);
  });
});

describe.each(ENGINES)("importing a folder that holds the open %s store", (engine) => {
  it("leaves its files out, quietly, and imports the rest", async () => {
    const root = tempFolder();
    await using opened = await openStore(`${engine}:${join(root, "store")}`, { worker: true });
    await (await opened.open("cli:default")).append(user("Hello"));
    writeFileSync(join(root, "a.jsonl"), piHeader("s1") + piSays("a1", null, "One"));
    const report = await importConversations(opened, [root]);
    expect(report).toMatchObject({ messages: 1, conversations: 1, skipped: [], ignored: 0 });
    expect(report.ofStore).toBeGreaterThan(0);
  });

  it("is refused when the store itself is named", async () => {
    const root = tempFolder();
    const path = join(root, "store");
    await using opened = await openStore(`${engine}:${path}`);
    await expect(importConversations(opened, [path])).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("that this process has open"),
    });
  });

  it("loses nothing while another process opens and closes the store", async () => {
    const root = tempFolder();
    const key = "cli:default";
    for (const name of ["a", "b"]) {
      mkdirSync(join(root, name));
      cpSync("test/fixtures/claude-code", join(root, name), { recursive: true });
    }
    const at = `${engine}:${join(root, "store")}`;
    {
      await using importing = new Child();
      await using other = new Child();
      await importing.do("open", at, {});
      for (let round = 0; round < 3; round++) {
        await importing.do("append", key, user(`before ${round}`));
        await importing.do("importAgain", root);
        await other.do("open", at, {});
        await other.do("close");
        await importing.do("append", key, user(`after ${round}`));
      }
      // A clean end would copy the log of a removed file.
      await importing.kill();
    }
    await using store = await openStore(at);
    const page = await (await store.get(key))?.messages({ limit: 100 });
    expect(page?.items).toHaveLength(6);
    expect((await store.verify()).findings).toEqual([]);
  });
});
