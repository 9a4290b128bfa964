/** `colloquy chat -m` on a store that cannot be written: a plain sentence, and the log stays whole. */
import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { ENGINES, isRoot, lacks } from "../process/child-process.ts";
import { ChatPlace } from "./chat-place.ts";

/** What a person sees: one line, without a stack and without the names of our files. */
const PLAIN = /^Error: [^\n]+\n$/;
const INTERNALS = /\n\s+at |\.ts:|node:internal|undefined|\[object/;

async function whole(place: ChatPlace, target: string, texts: readonly string[]): Promise<void> {
  const { messages } = await place.json(["sessions", "history", "cli:default", "--store", target]);
  expect(messages.map(({ text }: { text: string }) => text)).toEqual(texts);
  expect((await place.run(["sessions", "validate", "--store", target])).code).toBe(0);
}

function mount(...values: string[]): void {
  const { status, stderr } = spawnSync(values[0] as string, values.slice(1), { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** A file that leaves no room. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const bytes of [65_536, 4096, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes));
      } catch (error) {
        expect(error).toMatchObject({ code: "ENOSPC" });
      }
    }
  } finally {
    closeSync(file);
  }
}

async function fullDisk(engine: string): Promise<void> {
  await using place = await ChatPlace.open([[{ text: "One." }], [{ text: "Two." }]]);
  const disk = place.path("disk");
  mkdirSync(disk);
  mount("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk);
  try {
    const target = `${engine}:${join(disk, "store")}`;
    const chat = ["chat", "--store", target, "-m"];
    await place.run([...chat, "Hi"]);
    fill(join(disk, "ballast"));
    for (const size of [1, 100_000]) {
      const { code, stdout, stderr } = await place.run([...chat, "x".repeat(size)]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(PLAIN);
      expect(stderr).not.toMatch(INTERNALS);
      expect(stderr).toMatch(/full|no space/);
    }
    expect(place.server.requests.length).toBe(1);
    rmSync(join(disk, "ballast"));
    await whole(place, target, ["Hi", "One."]);
    expect((await place.run([...chat, "Again"])).stdout).toBe("Two.\n");
    await whole(place, target, ["Hi", "One.", "Again", "Two."]);
  } finally {
    mount("umount", "-l", disk);
  }
}

async function lockedStore(engine: string): Promise<void> {
  await using place = await ChatPlace.open([[{ text: "One." }], [{ text: "Two." }]]);
  const target = `${engine}:${place.path("store")}`;
  const chat = ["chat", "--store", target, "-m"];
  await place.run([...chat, "Hi"]);
  const other = new DatabaseSync(engine === "sqlite" ? place.path("store") : lockIn(place.path("store")));
  other.exec("BEGIN IMMEDIATE");
  const { code, stdout, stderr } = await place.run([...chat, "Now?"]);
  other.exec("ROLLBACK");
  other.close();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(PLAIN);
  expect(stderr).toMatch(/locked/);
  expect(place.server.requests.length).toBe(1);
  await whole(place, target, ["Hi", "One."]);
}

it("chat -m on a store that another program has locked says so, and asks no model", async () => {
  // It waits a while for the lock.
  await Promise.all(ENGINES.map(lockedStore));
});

describe.each(ENGINES)("chat -m on a %s store", (engine) => {
  it.skipIf(lacks(isRoot, "a full file system needs root, to mount a small tmpfs"))(
    "that is full says so, loses nothing and answers when there is room",
    () => fullDisk(engine),
  );

  it.skipIf(lacks(isRoot, "another user needs root"))("that may only be read says so", async () => {
    await using place = await ChatPlace.open([[{ text: "One." }], [{ text: "Two." }]]);
    const target = `${engine}:${place.path("store")}`;
    const chat = ["chat", "--store", target, "-m"];
    await place.run([...chat, "Hi"]);
    readable(place.folder);
    const { code, stdout, stderr } = await place.run([...chat, "Now?"], { uid: 65534 });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(PLAIN);
    expect(stderr).not.toMatch(INTERNALS);
    expect(place.server.requests.length).toBe(1);
    await whole(place, target, ["Hi", "One."]);
  });
});

function lockIn(folder: string): string {
  const name = readdirSync(folder).find((file) => file.endsWith(".lock"));
  return join(folder, name ?? "");
}

/** For everyone, and writable for nobody but root. */
function readable(path: string): void {
  chmodSync(path, 0o755);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}
