import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import type { EngineOptions } from "../../engine.ts";
import { SqliteEngine } from "../sqlite-engine.ts";

const OPTIONS: EngineOptions = { readonly: false, durability: "full", lockWaitMs: 5000, onProblem: () => {} };
const PAIR = ["one", "two"].map((content) => ({ role: "user" as const, content }));

/** A process that appends pairs for as long as it lives. */
async function writer(path: string): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { openStore } = await import(${JSON.stringify(new URL("../../../store/open.ts", import.meta.url).href)});
      const store = await openStore("sqlite:" + process.argv[1]);
      const chat = await store.open("cli:busy");
      const pair = ${JSON.stringify(PAIR)};
      for (let n = 0; ; n++) {
        await chat.append(pair);
        if (n === 20) process.stdout.write("busy");
      }`,
      path,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

describe("a backup of a SQLite store", () => {
  it("is of one moment while two processes write, and does not block this thread", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    const engine = await SqliteEngine.open(path, OPTIONS);
    await using store = await openStore(engine);
    const chat = await store.open("cli:here");
    const child = await writer(path);
    try {
      for (let round = 0; round < 3; round++) {
        const copying = engine.backup(join(folder, `copy-${round}`));
        await chat.append(PAIR);
        await copying;
      }
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    for (let round = 0; round < 3; round++) {
      const copy = await SqliteEngine.open(join(folder, `copy-${round}`), OPTIONS);
      expect(await copy.verify()).toMatchObject({ ok: true, conversations: 2, findings: [] });
      expect(((await copy.byKey("cli:busy"))?.messageCount ?? 1) % 2).toBe(0);
      copy.close();
    }
  });

  it("is one private file, with open turns and without leases", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    const engine = await SqliteEngine.open(path, OPTIONS);
    await using store = await openStore(engine);
    const chat = await store.create();
    const turn = await chat.beginTurn();
    if (turn.state === "running") await turn.delta("so far");
    const to = join(folder, "deep", "copy.db");
    await engine.backup(to);
    expect(readdirSync(join(folder, "deep"))).toEqual(["copy.db"]);
    expect(statSync(to).mode & 0o777).toBe(0o600);
    const copy = await SqliteEngine.open(to, OPTIONS);
    expect((await copy.turn(chat.id, 0))?.text).toBe("so far");
    const lease = { type: "lease", action: "acquire", token: "t", ttlMs: 1000, wait: false } as const;
    const [taken] = await copy.commit([{ ...lease, conversation: chat.id }]);
    expect(taken).toMatchObject({ lease: { granted: true } });
    copy.close();
  });

  it("can be made of a read-only store", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    await using store = await openStore(`sqlite:${path}`);
    await (await store.create()).append(PAIR);
    const reader = await SqliteEngine.open(path, { ...OPTIONS, readonly: true });
    await reader.backup(join(folder, "copy"));
    reader.close();
    const copy = await SqliteEngine.open(join(folder, "copy"), OPTIONS);
    expect((await copy.stats()).entries).toBe(2);
    copy.close();
  });

  it("overwrites nothing, not even a leftover log", async () => {
    const folder = tempFolder();
    const engine = await SqliteEngine.open(join(folder, "store.db"), OPTIONS);
    writeFileSync(join(folder, "there"), "mine");
    writeFileSync(join(folder, "gone-wal"), "of another file");
    for (const name of ["there", "gone"]) {
      await expect(engine.backup(join(folder, name))).rejects.toMatchObject({
        code: "CONFLICT",
        message: /already exists/,
      });
    }
    expect(existsSync(join(folder, "gone"))).toBe(false);
    engine.close();
  });

  it("leaves no file when it fails", async () => {
    const folder = tempFolder();
    const engine = await SqliteEngine.open(join(folder, "store.db"), OPTIONS);
    mkdirSync(join(folder, "copies"));
    writeFileSync(join(folder, "copies", "file"), "");
    const failing = engine.backup(join(folder, "copies", "file", "copy"));
    await expect(failing).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(readdirSync(join(folder, "copies"))).toEqual(["file"]);
    engine.close();
  });
});
