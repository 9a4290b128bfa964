/** Databases that have to be copied to be read, while the temporary folder takes nothing. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { isRoot, lacks, must } from "../process/child-process.ts";
import { makeZip } from "../support/make-zip.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { writeSources } from "../torture/import/sources.ts";

const TMPDIR = process.env.TMPDIR;
let folder: string;
/** The temporary folder. */
let temporary: string;

beforeEach(() => {
  folder = tempFolder();
  temporary = join(folder, "temporary");
  process.env.TMPDIR = temporary;
  mkdirSync(join(folder, "sources"));
});

afterEach(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

/** A database of opencode of about 2 MB, with one session. */
function opencode(session: string, mode: "WAL" | "DELETE"): DatabaseSync {
  const database = new DatabaseSync(join(folder, `${session}.db`));
  database.exec(`PRAGMA journal_mode = ${mode};
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT, title TEXT, version TEXT,
      time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
      time_updated INTEGER, data TEXT);
    INSERT INTO session VALUES ('${session}', 'p', '/d', 'Talk', '1', 1, 1);
    BEGIN;`);
  const data = JSON.stringify({ role: "user", time: { created: 1 } });
  for (let index = 0; index < 40; index++) {
    const id = `msg_${session}_${index}`;
    database.prepare("INSERT INTO message VALUES (?, ?, 1, 1, ?)").run(id, session, data);
    const text = JSON.stringify({ type: "text", text: Math.sin(index).toString(36).repeat(3000) });
    database.prepare("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)").run(`prt_${id}`, id, session, text);
  }
  database.exec("COMMIT");
  return database;
}

/** One of every kind that is copied. */
function writeDatabases(): void {
  const sources = join(folder, "sources");
  const logged = opencode("logged", "WAL");
  for (const end of ["", "-wal"])
    copyFileSync(join(folder, `logged.db${end}`), join(sources, `logged.db${end}`));
  logged.close();
  for (const session of ["zipped", "packed", "damaged"]) opencode(session, "DELETE").close();
  const bytes = (session: string): Buffer => readFileSync(join(folder, `${session}.db`));
  writeFileSync(join(sources, "a.zip"), makeZip([{ name: "zipped.db", data: bytes("zipped"), method: 0 }]));
  writeFileSync(join(sources, "packed.db.zst"), zstdCompressSync(bytes("packed")));
  const damaged = bytes("damaged");
  damaged.fill(0xff, damaged.length - 4096);
  writeFileSync(join(sources, "damaged.db"), damaged);
}

const NAMES = ["a.zip!zipped.db", "logged.db", "packed.db.zst"];

async function reasons(store: Store): Promise<Record<string, string>> {
  const { skipped } = await importConversations(store, [join(folder, "sources")]);
  return Object.fromEntries(
    skipped.map(({ source, reason }) => [source.slice(join(folder, "sources/").length), reason]),
  );
}

function because(state: string): Record<string, string> {
  const reason = `because the temporary folder ${temporary} ${state}`;
  const told = `${reason}, or name another folder in TMPDIR, and import it again`;
  const whole = NAMES.map((name) => [name, `was not read, ${told}`]);
  const read = "is damaged, and what follows the damage was not read";
  return { ...Object.fromEntries(whole), "damaged.db": `${read}, ${told}` };
}

async function keysIn(store: Store): Promise<unknown[]> {
  const all = await Array.fromAsync(store.list());
  return all
    .map(({ key }) => key)
    .filter((key) => key?.startsWith("opencode:"))
    .sort();
}

describe("databases that have to be copied", () => {
  it("are reported if the temporary folder does not exist, and read once it does", async () => {
    writeDatabases();
    writeSources(join(folder, "sources/others"), { formats: ["codex"], longBytes: 10_000 });
    await using store = await openStore(`sqlite:${join(folder, "store")}`);
    expect(await reasons(store)).toEqual(because("does not exist: create it"));
    expect(await keysIn(store)).toEqual(["opencode:damaged"]);
    expect(await Array.fromAsync(store.list())).not.toEqual([]);
    mkdirSync(temporary);
    await reasons(store);
    expect(await keysIn(store)).toEqual(
      ["damaged", "logged", "packed", "zipped"].map((name) => `opencode:${name}`),
    );
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.skipIf(lacks(!isRoot && process.platform !== "win32", "the superuser writes into every folder"))(
    "are reported if the temporary folder cannot be written to",
    async () => {
      writeDatabases();
      mkdirSync(temporary);
      chmodSync(temporary, 0o500);
      await using store = await openStore(`sqlite:${join(folder, "store")}`);
      for (const reason of Object.values(await reasons(store)))
        expect(reason).toMatch(/cannot be written to \(EACCES\): see to its permissions, or name another/);
      chmodSync(temporary, 0o700);
    },
  );

  it.skipIf(lacks(isRoot, "a full file system needs root, to mount a small tmpfs"))(
    "are reported if the temporary folder is full, and read once it is not",
    async () => {
      writeDatabases();
      writeSources(join(folder, "sources/others"), { formats: ["codex"], longBytes: 10_000 });
      mkdirSync(temporary);
      must("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", temporary);
      try {
        const ballast = join(temporary, "ballast");
        await using store = await openStore(`sqlite:${join(folder, "store")}`);
        // Room for a part of a copy, and at last for none of it.
        for (const free of [1_000_000, 0]) {
          const bytes = 32 * 1024 * 1024 - free;
          writeFileSync(ballast, Buffer.alloc(bytes - (bytes % 4096)));
          expect(await reasons(store)).toEqual(because("is full: free some space"));
          expect(readdirSync(temporary)).toEqual(["ballast"]);
        }
        expect(await keysIn(store)).toEqual(["opencode:damaged"]);
        expect(await Array.fromAsync(store.list())).not.toEqual([]);
        rmSync(ballast);
        await reasons(store);
        expect(await keysIn(store)).toEqual(
          ["damaged", "logged", "packed", "zipped"].map((name) => `opencode:${name}`),
        );
        expect(readdirSync(temporary)).toEqual([]);
      } finally {
        must("umount", "-l", temporary);
      }
    },
  );
});
