import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { makeZip } from "../support/make-zip.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

const GOOD = piHeader("good") + piSays("a1", null, "I am whole.");

let folder: string;
beforeEach(() => {
  folder = join(tempFolder(), "sources");
  mkdirSync(folder);
  // Whatever other files there are, this is imported.
  writeFileSync(join(folder, "zz-good.jsonl"), GOOD);
});

function put(name: string, bytes: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

async function imported(check?: (store: Store) => Promise<void>) {
  await using store = await openStore("ephemeral:");
  const report = await importConversations(store, [folder]);
  expect(await store.get("pi:good")).toBeDefined();
  await check?.(store);
  return report;
}

/** A process that has `locked.db` locked and `wal.db` open. */
async function programWithDatabases(): Promise<ChildProcess> {
  const program = `
    const { DatabaseSync } = require("node:sqlite");
    const locked = new DatabaseSync("locked.db");
    locked.exec("CREATE TABLE session (id TEXT); BEGIN EXCLUSIVE");
    const wal = new DatabaseSync("wal.db");
    wal.exec("PRAGMA journal_mode = WAL; CREATE TABLE photos (id TEXT); INSERT INTO photos VALUES ('x')");
    console.log("ready");
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ["-e", program], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

describe("an import survives", () => {
  it("folders without transcripts and files of other programs, and says how many it ignored", async () => {
    put("empty/deeper/.keep", "");
    put("program.bin", Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)));
    put("page.html", "<!doctype html><p>Hello</p>");
    put("numbers.json", "[1, 2, 3]");
    put("table.csv", "a,b\n1,2\n");
    expect(await imported()).toMatchObject({ conversations: 1, ignored: 4, skippedCount: 0 });
  });

  it("half a zip, and a zip in a zip", async () => {
    const zip = makeZip([{ name: "a.jsonl", data: piHeader("zipped") + piSays("z1", null, "From a zip.") }]);
    put("whole.zip", zip);
    put("half.zip", zip.subarray(0, zip.length >> 1));
    put("nested.zip", makeZip([{ name: "inner.zip", data: zip }]));
    const report = await imported(async (store) => {
      expect(await store.get("pi:zipped")).toBeDefined();
    });
    expect(report.skipped.map(({ source }) => source.split("/").at(-1))).toEqual(
      ["half.zip", "nested.zip!inner.zip"].sort().reverse().sort(),
    );
  });

  it("a zip with several members of one name, and imports each", async () => {
    const named = (id: string) => ({
      name: "same.jsonl",
      data: piHeader(id) + piSays(`${id}1`, null, "From a zip."),
    });
    put("same.zip", makeZip([named("first"), named("second"), named("third")]));
    expect(await imported()).toMatchObject({ conversations: 4, skippedCount: 0 });
  });

  it("a zip bomb, a gzip bomb and names that lead out of an archive", async () => {
    put("bomb.zip", makeZip([{ name: "a.jsonl", data: Buffer.alloc(120_000_000) }]));
    put("bomb.jsonl.gz", gzipSync(Buffer.alloc(150_000_000), { level: 9 }));
    put(
      "names.zip",
      makeZip([
        { name: "../../out.jsonl", data: GOOD },
        { name: "/etc/out.jsonl", data: GOOD },
        { name: "in.jsonl", data: piHeader("inside") + piSays("i1", null, "Inside.") },
      ]),
    );
    const report = await imported(async (store) => {
      expect(await store.get("pi:inside")).toBeDefined();
    });
    expect(report.skippedCount).toBeGreaterThanOrEqual(3);
    expect(report.skipped.map(({ source }) => source).join(" ")).toMatch(/bomb\.zip.*names\.zip/s);
  });

  it("circular links, and pipes without a writer", async () => {
    symlinkSync(folder, join(folder, "circle"));
    symlinkSync("loop", join(folder, "loop"));
    execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
    const report = await imported();
    expect(report.messages).toBe(1);
    expect(report.skipped.map(({ source }) => source.split("/").at(-1))).toContain("loop");
  });

  it("a line of 400 MB, which is reported and not held", async () => {
    const file = openSync(join(folder, "long.jsonl"), "w");
    writeSync(file, piHeader("long"));
    const start = piHeader("long").length;
    ftruncateSync(file, start + 400_000_000);
    writeSync(file, `\n${piSays("l1", null, "After the long line.")}`, start + 400_000_000);
    closeSync(file);
    const report = await imported(async (store) => {
      const { items } = (await (await store.get("pi:long"))?.messages()) ?? { items: [] };
      expect(items).toHaveLength(1);
    });
    expect(report.skipped).toMatchObject([{ line: 2, offset: start }]);
    expect(report.skipped[0]?.reason).toMatch(/longer than the maximum line length/);
  });

  it("JSON of 10,000 levels, as a line and as a file", async () => {
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    put("deep.json", deep);
    put(
      "deep.jsonl",
      `${piHeader("deep")}{"type":"custom","id":"d1","parentId":null,"data":${deep}}\n${piSays("d2", null, "Below.")}`,
    );
    const report = await imported(async (store) => {
      expect((await (await store.get("pi:deep"))?.info())?.messageCount).toBe(1);
    });
    expect(report.skipped.some(({ reason }) => /nested/.test(reason))).toBe(true);
  });

  it("a line of more than a million values", async () => {
    put("glued.jsonl", "{}".repeat(1_500_000));
    expect(await imported()).toMatchObject({ conversations: 1, ignored: 1, skippedCount: 0 });
  });

  it("a row of 300 MB, which is reported, and imports the others", async () => {
    const database = new DatabaseSync(join(folder, "opencode.db"));
    database.exec(`
      CREATE TABLE session (id TEXT PRIMARY KEY, project_id, title);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id, time_created, data);
      CREATE TABLE part (id TEXT PRIMARY KEY, message_id, session_id, data);
      INSERT INTO session VALUES ('ses_1', 'p', 'Large');
      INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{"role":"user"}'), ('msg_2', 'ses_1', 2, '{"role":"user"}');
      INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"before"}'),
        ('prt_2', 'msg_1', 'ses_1', replace(hex(zeroblob(150000000)), '0', 'x')),
        ('prt_3', 'msg_2', 'ses_1', '{"type":"text","text":"after"}')`);
    database.close();
    const reason = expect.stringMatching(/^a row of part .* id prt_2,/);
    const skipped = [{ source: join(folder, "opencode.db"), reason }];
    const report = await imported(async (store) => {
      const { items } = (await (await store.get("opencode:ses_1"))?.messages()) ?? { items: [] };
      expect(items).toMatchObject([
        { message: { content: [{ text: "before" }] } },
        { message: { content: [{ text: "after" }] } },
      ]);
      expect((await importConversations(store, [folder])).skipped).toMatchObject(skipped);
    });
    expect(report.skipped).toMatchObject(skipped);
  });

  it("text that is not UTF-8, keeping its bytes", async () => {
    const line = Buffer.from(piSays("u1", null, "caf?"))
      .toString("latin1")
      .replace("?", "\xe9");
    put("latin.jsonl", Buffer.concat([Buffer.from(piHeader("latin")), Buffer.from(line, "latin1")]));
    const report = await imported(async (store) => {
      expect((await (await store.get("pi:latin"))?.info())?.messageCount).toBe(1);
    });
    expect(report.skipped).toMatchObject([{ line: 2 }]);
  });

  it("clocks in 1970 and in 2100, and invalid times", async () => {
    put(
      "clock.jsonl",
      piHeader("clock") +
        piSays("c1", null, "Long ago.", "1970-01-01T00:00:00.000Z") +
        piSays("c2", "c1", "Far ahead.", "2100-12-31T23:59:59.999Z") +
        piSays("c3", "c2", "Never.", "yesterday") +
        piSays("c4", "c3", "Too far.", "+275760-09-13T00:00:00.000Z"),
    );
    await imported(async (store) => {
      const { items } = (await (await store.get("pi:clock"))?.messages()) ?? { items: [] };
      expect(items.map(({ id }) => id)).toEqual(["c1", "c2", "c3", "c4"]);
      expect(items.map(({ at }) => at.slice(0, 4))).toEqual(["1970", "2100", "2100", "2100"]);
    });
  });

  it("SQLite files that are locked, in WAL mode, damaged or of other programs", async () => {
    // In another process: files that this one has locked are left out.
    const other = await programWithDatabases();
    const whole = put("whole.db", "");
    new DatabaseSync(whole).exec("CREATE TABLE other (id TEXT)");
    put("damaged.db", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(4000, 7)]));
    try {
      const report = await imported();
      expect(report.skipped.map(({ source }) => source.split("/").at(-1)).sort()).toEqual([
        "damaged.db",
        "locked.db",
      ]);
    } finally {
      other.kill();
    }
  });
});
