import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { until } from "../support/until.ts";
import { BIN, Place, type Printed } from "./run-command.ts";

const OLDER = fileURLToPath(new URL("../fixtures/own/sessions", import.meta.url));

const MEMBERS = ["from", "to", "conversations", "entries", "verified", "hash", "skipped", "dryRun", "items"];

async function fill(target: string, conversations: number, messages: number): Promise<void> {
  await using store = await openStore(target, { durability: "process" });
  for (let n = 0; n < conversations; n++) {
    const chat = await store.open(`web:${n}`, { title: `Number ${n}` });
    const words = Array.from({ length: messages }, (_, i) => ({
      role: "user" as const,
      content: `word ${n}.${i}`,
    }));
    await chat.append(words);
    if (n % 3 === 0)
      await chat.edit((await chat.messages({ limit: 1 })).items[0]?.id as string, words.slice(0, 2));
    if (n % 5 === 4) await store.delete(chat.id);
  }
}

/** Names and sizes of the files that begin with `path`. */
function filesAt(place: Place, path: string): string {
  const names = readdirSync(place.folder, { recursive: true, encoding: "utf8" });
  const sizes = names
    .filter((name) => name.startsWith(path))
    .map((name) => [name, statSync(place.path(name), { throwIfNoEntry: false })?.size]);
  return JSON.stringify(sizes);
}

/** Start the command and send it a signal soon after it has begun to write to `path`. */
async function interrupt(
  place: Place,
  args: readonly string[],
  path: string,
  afterMs: number,
  signal: NodeJS.Signals,
): Promise<{ code: number | null; ended: NodeJS.Signals | null; stderr: string }> {
  const before = filesAt(place, path);
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: place.folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const closed = once(child, "close");
  await until(() => child.exitCode !== null || filesAt(place, path) !== before);
  await sleep(afterMs);
  child.kill(signal);
  const [code, ended] = await closed;
  return { code, ended, stderr };
}

describe("sessions migrate", () => {
  it("copies a store to another engine and back, with the same hash", async () => {
    using place = new Place();
    await fill(`jsonl:${place.path("chats")}`, 6, 3);
    const there = await place.json([
      "sessions",
      "migrate",
      "--to",
      "sqlite:agent.db",
      "--store",
      "jsonl:chats",
    ]);
    expect(Object.keys(there)).toEqual(MEMBERS);
    expect(there).toMatchObject({
      from: "jsonl:chats",
      to: "sqlite:agent.db",
      conversations: 6,
      verified: true,
      skipped: [],
      dryRun: false,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(there.items).toHaveLength(6);
    const back = await place.json(["sessions", "migrate", "--from", "sqlite:agent.db", "--to", "jsonl:back"]);
    expect(back).toMatchObject({ hash: there.hash, entries: there.entries, verified: true });
    for (const store of ["sqlite:agent.db", "jsonl:back"]) {
      expect(await place.json(["sessions", "validate", "--store", store])).toMatchObject({ ok: true });
      const { items } = await place.json(["sessions", "list", "--trash", "--store", store]);
      expect(items).toMatchObject([{ key: "web:4" }]);
    }
  });

  it("reports what was done, and does nothing twice", async () => {
    using place = new Place();
    await fill(`jsonl:${place.path("chats")}`, 2, 3);
    const args = ["sessions", "migrate", "--to", "sqlite:agent.db", "--store", "jsonl:chats"];
    const planned = await place.run([...args, "--dry-run"]);
    expect(planned).toMatchObject({
      code: 0,
      stdout: "Would migrate 2 conversations with 9 entries to sqlite:agent.db\n",
    });
    expect(existsSync(place.path("agent.db"))).toBe(false);
    const first = await place.run(args);
    expect(first.stdout).toMatch(
      /^Migrated 2 conversations with 9 entries to sqlite:agent\.db\nverified: both stores have the same content, SHA-256 [0-9a-f]{64}\n$/,
    );
    expect(first.stderr).toContain("sessions list --store sqlite:agent.db");
    expect((await place.run(args)).stdout).toContain("9 of which already existed");
    expect((await place.run([...args, "--dry-run"])).stdout).toContain("9 of which already existed");
  });

  it("exits with 3 on a conflict, and leaves it alone", async () => {
    using place = new Place();
    await fill(`jsonl:${place.path("chats")}`, 2, 1);
    const append = [
      "sessions",
      "append",
      "web:1",
      "--role",
      "user",
      "--content",
      "mine",
      "--store",
      "sqlite:agent.db",
    ];
    await place.json(append);
    const args = ["sessions", "migrate", "--to", "sqlite:agent.db", "--store", "jsonl:chats"];
    const { code, stdout } = await place.run([...args, "--json"]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).skipped).toMatchObject([{ key: "web:1", code: "CONFLICT" }]);
    expect((await place.run(args)).stdout).toMatch(/^skipped web:1: The session key web:1 is in use/);
    const { messages } = await place.json(["sessions", "history", "web:1", "--store", "sqlite:agent.db"]);
    expect(messages).toMatchObject([{ text: "mine" }]);
  });

  it("refuses senseless requests", async () => {
    using place = new Place();
    await fill(`jsonl:${place.path("chats")}`, 1, 1);
    const run = (...args: string[]): Promise<Printed> => place.failure(["sessions", "migrate", ...args]);
    expect(await run("--store", "jsonl:chats")).toMatchObject({ code: 2, error: { field: "to" } });
    expect(await run("--store", "jsonl:chats", "--to", "jsonl:./chats")).toMatchObject({
      code: 1,
      error: { field: "to" },
    });
    expect(await run("--store", "jsonl:none", "--to", "sqlite:a.db")).toMatchObject({
      code: 1,
      error: { code: "NOT_FOUND" },
    });
    for (const store of ["jsonl:chats", "jsonl:none"]) {
      expect(await run("--store", store, "--to", "v3")).toMatchObject({
        code: 1,
        error: { field: "to", message: expect.stringContaining('"v3"') },
      });
    }
    await place.json(["sessions", "migrate", "--store", "jsonl:chats", "--to", "sqlite:a.db"]);
    expect(await run("--store", "sqlite:a.db", "--to", "v2")).toMatchObject({
      code: 1,
      error: { field: "to" },
    });
  });

  it("says how to import a database of another program", async () => {
    using place = new Place();
    const database = new DatabaseSync(place.path("their.db"));
    database.exec(
      "CREATE TABLE sessions (id TEXT PRIMARY KEY); CREATE TABLE messages (id INTEGER PRIMARY KEY)",
    );
    database.close();
    const before = readFileSync(place.path("their.db"));
    for (const args of [
      ["list", "--store", "sqlite:their.db"],
      ["migrate", "--from", "sqlite:their.db", "--to", "sqlite:new.db"],
    ]) {
      const { error } = await place.failure(["sessions", ...args]);
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: /colloquy import .*their\.db/ });
    }
    expect(readFileSync(place.path("their.db"))).toEqual(before);
  });

  it("continues at the next run, whenever it was killed", async () => {
    using place = new Place();
    await fill(`sqlite:${place.path("agent.db")}`, 40, 60);
    const expected = await place.json([
      "sessions",
      "migrate",
      "--to",
      "jsonl:whole",
      "--store",
      "sqlite:agent.db",
    ]);
    for (const to of ["jsonl:parts", "sqlite:parts.db"]) {
      const args = ["sessions", "migrate", "--to", to, "--store", "sqlite:agent.db"];
      let interrupted = 0;
      for (const afterMs of [0, 10, 20, 40, 80]) {
        if ((await interrupt(place, args, "parts", afterMs, "SIGKILL")).ended === "SIGKILL") interrupted++;
      }
      expect(interrupted).toBeGreaterThan(0);
      const { hash, verified, skipped } = await place.json(args);
      expect({ hash, verified, skipped }).toEqual({ hash: expected.hash, verified: true, skipped: [] });
      expect(await place.json(["sessions", "validate", "--store", to])).toMatchObject({
        ok: true,
        conversations: 40,
      });
    }
  });

  it("stops at Ctrl-C and says how to continue", async () => {
    using place = new Place();
    await fill(`sqlite:${place.path("agent.db")}`, 60, 60);
    const args = ["sessions", "migrate", "--to", "jsonl:parts", "--store", "sqlite:agent.db"];
    // The first signal may come before anybody listens for it, and then just ends the command.
    let stopped = await interrupt(place, args, "parts", 0, "SIGINT");
    for (let again = 0; stopped.ended === "SIGINT" && again < 5; again++)
      stopped = await interrupt(place, args, "parts", 10 * again, "SIGINT");
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toMatch(
      /^Error: Stopped: \d+ of 60 conversations are copied\. Run it again to continue/,
    );
    expect(await place.json(args)).toMatchObject({ conversations: 60, verified: true });
  });
});

describe("sessions migrate --to v2", () => {
  const older = (place: Place): string => {
    cpSync(OLDER, place.path("old"), { recursive: true });
    return place.path("old");
  };

  it("rewrites legacy files in place, keeps the originals, and reports what could not be read", async () => {
    using place = new Place();
    const folder = older(place);
    const planned = await place.run([
      "sessions",
      "migrate",
      "--from",
      "old",
      "--to",
      "v2",
      "--dry-run",
      "--json",
    ]);
    expect(JSON.parse(planned.stdout)).toMatchObject({ conversations: 7, entries: 35, dryRun: true });
    expect(readdirSync(folder).sort()).toEqual(readdirSync(OLDER).sort());

    const { code, stdout } = await place.run([
      "sessions",
      "migrate",
      "--from",
      "old",
      "--to",
      "v2",
      "--json",
    ]);
    const report = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(report).toMatchObject({ to: "v2", conversations: 7, entries: 35, verified: true });
    expect(report.hash).toBe(JSON.parse(planned.stdout).hash);
    const reasons = report.skipped.map(({ reason }: Printed) => reason.split(":", 1)[0]);
    expect(reasons.sort()).toEqual([
      "bad-line",
      "bad-line",
      "cycle",
      "dangling-parent",
      "duplicate-id",
      "torn-tail",
    ]);
    expect(readdirSync(`${folder}/legacy`)).toHaveLength(9);
    const again = await place.json(["sessions", "migrate", "--from", "jsonl:old", "--to", "v2"]);
    expect(again).toMatchObject({ conversations: 0, entries: 0, skipped: [] });
    const told = await place.run(["sessions", "migrate", "--from", "jsonl:old", "--to", "v2"]);
    expect(told.stdout).toMatch(/^Nothing to do: .*old has no legacy files\n$/);
    const kitchen = await place.json(["sessions", "history", "web:kitchen", "--store", "jsonl:old"]);
    expect(kitchen.messages.map(({ id }: Printed) => id)).toEqual(["msg-1", "msg-2", "msg-3", "msg-6"]);
  });

  it("leads to the same result as a copy to another engine, directly or in two steps", async () => {
    using place = new Place();
    older(place);
    const direct = await place.run(["sessions", "migrate", "--from", "old", "--to", "sqlite:a.db", "--json"]);
    expect(direct.code).toBe(3);
    const rewritten = await place.run(["sessions", "migrate", "--from", "old", "--to", "v2"]);
    expect(rewritten.stdout).toMatch(
      /\nverified: the rewritten files have the same content as the originals in legacy, SHA-256 [0-9a-f]{64}\n$/,
    );
    const later = await place.run([
      "sessions",
      "migrate",
      "--from",
      "jsonl:old",
      "--to",
      "sqlite:b.db",
      "--json",
    ]);
    expect(JSON.parse(later.stdout).hash).toBe(JSON.parse(direct.stdout).hash);
    expect(JSON.parse(later.stdout)).toMatchObject({ conversations: 7, verified: true });
  });

  it("is completed by the next run after a kill, without duplicates", async () => {
    using place = new Place();
    const folder = older(place);
    const line = (n: number, i: number): string =>
      `${JSON.stringify({ role: "user", content: `word ${i}`, timestamp: new Date(1.7e12 + n * 1e6 + i).toISOString() })}\n`;
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    for (const n of numbers)
      writeFileSync(`${folder}/slack_team${n}.jsonl`, numbers.map((i) => line(n, i)).join(""));
    const count = async (): Promise<[number, number]> => {
      const { items } = await place.json(["sessions", "list", "--limit", "500", "--store", "jsonl:old"]);
      return [items.length, items.reduce((sum: number, { messageCount }: Printed) => sum + messageCount, 0)];
    };
    const before = await count();
    const args = ["sessions", "migrate", "--from", "old", "--to", "v2"];
    let interrupted = 0;
    for (const afterMs of [0, 10, 20, 30, 40]) {
      if ((await interrupt(place, args, "old", afterMs, "SIGKILL")).ended === "SIGKILL") interrupted++;
      expect(await count()).toEqual(before);
    }
    expect(interrupted).toBeGreaterThan(0);
    const last = JSON.parse((await place.run([...args, "--json"])).stdout);
    expect(last.verified).toBe(true);
    expect(await count()).toEqual(before);
    expect(readdirSync(folder).filter((name) => /^(slack|web|cli|discord|telegram)_/.test(name))).toEqual([]);
    expect(readdirSync(`${folder}/legacy`)).toHaveLength(69);
    for (const n of numbers) {
      const name = readdirSync(`${folder}/legacy`).find((one) => one.endsWith(`.slack_team${n}.jsonl`));
      expect(readFileSync(`${folder}/legacy/${name}`, "utf8")).toBe(numbers.map((i) => line(n, i)).join(""));
    }
  });
});

describe("sessions validate", () => {
  it("finds branches that are too deep, which a backup does not report as damage", async () => {
    for (const target of ["sqlite:deep.db", "jsonl:deep"]) {
      using place = new Place();
      {
        const [engine, name] = target.split(":") as [string, string];
        await using store = await openStore(`${engine}:${place.path(name)}`, {
          tree: { maxDepth: 20, warningDepth: 20 },
        });
        const chat = await store.open("web:deep");
        for (let n = 0; n < 12; n++) {
          const [entry] = (await chat.append({ role: "user", content: `level ${n}` })).entries;
          await chat.branch(entry?.id as string, { name: `b${n}`, checkout: true });
        }
      }
      const { code, stdout } = await place.run(["sessions", "validate", "--store", target, "--json"]);
      expect(code).toBe(3);
      expect(
        JSON.parse(stdout)
          .findings.map(({ code }: Printed) => code)
          .sort(),
      ).toEqual([
        "branch-depth",
        "branch-depth",
        "branch-depth",
        "deep-branch",
        "deep-branch",
        "deep-branch",
      ]);
      const shown = await place.run(["sessions", "validate", "--store", target]);
      expect(shown.stdout).toContain("3 problems found.");
      expect(await place.json(["backup", "copy", "--store", target])).toMatchObject({ ok: true });
    }
  });
});

describe("sessions validate --repair", () => {
  it("repairs what it can, says what it did, and exits with 0 if nothing is left", async () => {
    using place = new Place();
    await fill(`sqlite:${place.path("agent.db")}`, 2, 2);
    const database = new DatabaseSync(place.path("agent.db"));
    database.exec("UPDATE conversations SET message_count = 7 WHERE key = 'web:1'");
    database.close();
    const store = ["--store", "sqlite:agent.db"];
    const found = await place.run(["sessions", "validate", ...store]);
    expect(found.code).toBe(3);
    expect(found.stderr).toContain("sessions validate --repair --store sqlite:agent.db");
    const { code, stdout } = await place.run(["sessions", "validate", "--repair", ...store, "--json"]);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(["ok", "conversations", "findings", "repaired"]);
    expect(report).toMatchObject({
      ok: true,
      conversations: 2,
      findings: [],
      repaired: [{ code: "wrong-count" }, { code: "wrong-tally" }],
    });
    const again = await place.run(["sessions", "validate", "--repair", ...store]);
    expect(again.stdout).toMatch(/^ok: 2 conversations and \d+ entries read, no problems\n$/);
  });

  it("keeps a damaged line next to the log, says what is lost, and finds nothing afterwards", async () => {
    using place = new Place();
    await fill(`jsonl:${place.path("chats")}`, 2, 3);
    const name = readdirSync(place.path("chats")).find((file) => {
      return (
        /^\d{17}\.jsonl$/.test(file) && readFileSync(place.path("chats", file), "utf8").includes("word 1.1")
      );
    }) as string;
    const log = place.path("chats", name);
    writeFileSync(log, readFileSync(log, "utf8").replace("word 1.1", "ward 1.1"));
    const { code, stdout } = await place.run(["sessions", "validate", "--repair", "--store", "jsonl:chats"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bad-line: checksum does not match; set aside as \S+\.jsonl\.bad-\d{17}\n/);
    expect(stdout).toContain("which does not exist or cannot be read");
    expect(stdout).toContain("2 problems repaired. ok: ");
    const again = await place.run(["sessions", "validate", "--store", "jsonl:chats"]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/, no problems\n$/) });
    const aside = readdirSync(place.path("chats")).find((file) => file.includes(".bad-")) as string;
    expect(readFileSync(place.path("chats", aside), "utf8")).toContain("ward 1.1");
  });
});
