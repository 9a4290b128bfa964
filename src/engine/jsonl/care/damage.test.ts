import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { type FileIo, systemIo } from "../../../disk/file-io.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { JsonlEngine } from "../jsonl-engine.ts";

/** Changes that other programs make to the files of a store. */

interface Opened {
  readonly store: Store;
  readonly problems: string[];
}

async function open(folder: string): Promise<Opened> {
  const problems: string[] = [];
  const store = await openStore(`jsonl:${folder}`, { onProblem: ({ message }) => problems.push(message) });
  return { store, problems };
}

async function filled(folder: string, count: number): Promise<void> {
  const { store } = await open(folder);
  const chat = await store.open("cli:a", { title: "Kept" });
  for (let n = 1; n <= count; n++) await chat.append({ role: "user", content: `message number ${n}` });
  await store.close();
}

function logIn(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".jsonl")) as string);
}

async function contents(store: Store): Promise<unknown[]> {
  const chat = await store.get("cli:a");
  return (await chat?.messages({ limit: 100 }))?.items.map(({ message }) => message?.content) ?? [];
}

const hello = { role: "user", content: "hello" } as const;

describe("a JSONL store whose files were damaged", () => {
  it("loses one message to a flipped bit that makes a zero byte, even for a writer that missed later appends", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 1);
    const sleeper = await open(folder);
    const chat = await sleeper.store.open("cli:a");
    await chat.append(hello);
    const other = await open(folder);
    const same = await other.store.open("cli:a");
    for (let n = 0; n < 20; n++) await same.append({ role: "user", content: `other number ${n}` });
    await other.store.close();
    const bytes = readFileSync(logIn(folder));
    bytes[bytes.indexOf("other number 3") + 5] = 0;
    writeFileSync(logIn(folder), bytes);
    await chat.append({ role: "user", content: "awake" });
    expect(await contents(sleeper.store)).toHaveLength(1 + 1 + 19 + 1);
    expect(sleeper.problems).toHaveLength(1);
    await sleeper.store.close();
  });

  it("does not treat an emptied log as an empty conversation", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 5);
    truncateSync(logIn(folder), 0);
    const { store } = await open(folder);
    const chat = await store.get("cli:a");
    const code = "SERVICE_UNAVAILABLE";
    await expect(chat?.messages()).rejects.toMatchObject({ code, message: /5 messages/ });
    await expect(chat?.append(hello)).rejects.toMatchObject({ code, message: /5 messages/ });
    await store.close();
  });

  it("reports a log that was cut short, and never uses a number twice", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 5);
    const bytes = readFileSync(logIn(folder));
    writeFileSync(logIn(folder), bytes.subarray(0, bytes.lastIndexOf("\n", bytes.length - 2) + 1));
    const { store, problems } = await open(folder);
    expect(await contents(store)).toHaveLength(4);
    expect(problems[0]).toMatch(/shorter than it was/);
    const appended = await (await store.get("cli:a"))?.append(hello);
    expect(appended?.entries[0]?.seq).toBe(6);
    await store.close();
  });

  it.each(["closed", "open"])(
    "reports a line put into the middle of the log of a store that is %s once, by its own bytes",
    async (state) => {
      const folder = join(tempFolder(), "store");
      await filled(folder, 5);
      const running = await open(folder);
      const chat = await running.store.open("cli:a");
      await chat.append(hello);
      if (state === "closed") await running.store.close();
      const text = readFileSync(logIn(folder), "utf8");
      const at = text.indexOf("\n", text.indexOf("message number 2")) + 1;
      // In place: an editor that replaces the file would give it another inode.
      writeFileSync(logIn(folder), `${text.slice(0, at)}a line by hand\n${text.slice(at)}`);
      const { store, problems } = state === "closed" ? await open(folder) : running;
      expect(await contents(store)).toHaveLength(6);
      await (await store.get("cli:a"))?.append({ role: "user", content: "next" });
      expect(await contents(store)).toHaveLength(7);
      expect(problems).toEqual([expect.stringContaining(`bytes ${at} to ${at + 15}: no checksum`)]);
      await store.close();
    },
  );

  it("reports a copy of a conversation instead of splitting it", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 2);
    copyFileSync(logIn(folder), join(folder, "20990101000000000.jsonl"));
    const { store, problems } = await open(folder);
    expect((await store.list()).items).toHaveLength(1);
    expect(problems[0]).toMatch(/copy of/);
    expect((await store.verify()).findings.map(({ code }) => code)).toContain("duplicate-conversation");
    await store.close();
  });

  it("does not overwrite files in the trash with the same name", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 2);
    mkdirSync(join(folder, "trash"));
    const precious = logIn(folder).replace(folder, join(folder, "trash"));
    writeFileSync(precious, "precious\n");
    const { store } = await open(folder);
    await expect(store.delete("cli:a")).rejects.toMatchObject({ code: "CONFLICT" });
    expect(readFileSync(precious, "utf8")).toBe("precious\n");
    expect(await contents(store)).toHaveLength(2);
    await store.close();
  });

  it("assigns a key to one conversation, even if the change counter is damaged", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 1);
    const [one, two] = [await open(folder), await open(folder)];
    await Promise.all([one.store.list(), two.store.list()]);
    writeFileSync(join(folder, "store.changes"), Buffer.alloc(8, 0xff));
    const [first, second] = [await one.store.open("cli:new"), await two.store.open("cli:new")];
    expect(first.id).toBe(second.id);
    await one.store.close();
    await two.store.close();
  });

  it("lists the other conversations if one log is a folder", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 1);
    mkdirSync(join(folder, "20200101000000000.jsonl"));
    const { store, problems } = await open(folder);
    expect((await store.list()).items).toHaveLength(1);
    expect(problems[0]).toMatch(/was ignored/);
    expect((await store.verify()).findings.map(({ code }) => code)).toContain("unreadable-log");
    await store.close();
  });

  it.runIf(process.platform === "linux")("does not wait for a pipe instead of a file", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 1);
    execFileSync("mkfifo", [join(folder, "20200101000000000.meta.json")]);
    const { store } = await open(folder);
    expect((await store.list()).items).toHaveLength(1);
    await store.close();
  });

  it("has created nothing when a creation fails halfway", async () => {
    let full = false;
    const io: FileIo = {
      ...systemIo,
      open(path, mode) {
        if (full && mode === "create" && path.includes("meta.json")) throw new Error("the disk is full");
        return systemIo.open(path, mode);
      },
    };
    const options = { readonly: false, durability: "full", lockWaitMs: 1000, onProblem: () => {} } as const;
    const engine = await JsonlEngine.open(join(tempFolder(), "store"), options, { io });
    const store = await openStore(engine);
    full = true;
    await expect(store.create({ key: "cli:a", title: "T" })).rejects.toMatchObject({ message: /full/ });
    expect((await store.list()).items).toEqual([]);
    full = false;
    await store.create({ key: "cli:a", title: "T" });
    await store.close();
  });
});

describe("an opening that fails halfway", () => {
  it("keeps no lock and no file, so that the next one succeeds", async () => {
    const folder = join(tempFolder(), "store");
    await filled(folder, 1);
    const opened = new Set<number>();
    let locks = 0;
    const io: FileIo = {
      ...systemIo,
      open(path, mode) {
        if (path.endsWith("store.feed"))
          throw Object.assign(new Error("EIO: i/o error"), { syscall: "open" });
        const file = systemIo.open(path, mode);
        opened.add(file);
        return file;
      },
      close(file) {
        opened.delete(file);
        systemIo.close(file);
      },
      lock(path) {
        const lock = systemIo.lock(path);
        const close = lock.close.bind(lock);
        locks++;
        lock.close = () => {
          locks--;
          close();
        };
        return lock;
      },
    };
    const options = { readonly: false, durability: "full", lockWaitMs: 100, onProblem: () => {} } as const;
    const code = "SERVICE_UNAVAILABLE";
    await expect(JsonlEngine.open(folder, options, { io })).rejects.toMatchObject({ code });
    expect([locks, [...opened]]).toEqual([0, []]);
    const { store } = await open(folder);
    expect(await contents(store)).toHaveLength(1);
    await store.close();
  });
});

describe("the files of a running JSONL writer", () => {
  it("are looked at before every acknowledgement: a removed log, and a removed folder, are noticed", async () => {
    for (const remove of [logIn, (folder: string) => folder]) {
      const folder = join(tempFolder(), "store");
      const { store } = await open(folder);
      const chat = await store.open("cli:a");
      await chat.append(hello);
      rmSync(remove(folder), { recursive: true });
      await expect(chat.append(hello)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      await store.close().catch(() => {});
    }
  });

  it("may be replaced: the next append goes to the log that has the name, and continues its numbers", async () => {
    const folder = join(tempFolder(), "store");
    const { store } = await open(folder);
    const chat = await store.open("cli:a");
    await chat.append(hello);
    const log = logIn(folder);
    copyFileSync(log, `${log}.copy`);
    renameSync(`${log}.copy`, log);
    const { entries } = await chat.append({ role: "user", content: "more" });
    expect(entries[0]?.seq).toBe(2);
    await store.close();
    expect(readFileSync(log, "utf8")).toContain('"more"');
  });
});
