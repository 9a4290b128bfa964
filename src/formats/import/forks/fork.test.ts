/** Forks that are imported before the sessions that they were forked from. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { shapeOf } from "../../../../test/support/samples/conversation-shape.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { forgetSources } from "../forget.ts";
import type { ImportReport } from "../report.ts";
import { importConversations } from "../run.ts";

const CODEX = "test/fixtures/codex/0.166-forks";
const DAY = "sessions/2026/11/16/rollout-2026-11-16T15-11-16";
const THREAD = `${DAY}-01a1e4e9-9672-7710-a8fc-e2208048df69.jsonl`;
const WENT_BACK = `${DAY}-01a1e4e9-9672-7710-a8fc-e2208048df69_01a1e4e9-9835-70b2-87e4-e6247f2ca54b.jsonl`;
const FORK = "archived_sessions/rollout-2026-11-16T15-11-16-01a1e4e9-98af-74a1-8391-497d8b49b4c5.jsonl";
const FORK_OF_FORK = `${DAY}-01a1e4e9-9935-7722-a5b4-d91f6206efe9.jsonl`;
const EARLY_FORK = `${DAY}-01a1e4e9-99d5-7ec1-bca8-0cc0646a4ee5.jsonl`;
const FORK_KEY = "codex:01a1e4e9-99d5-7ec1-bca8-0cc0646a4ee5";
const THREAD_KEY = "codex:01a1e4e9-9672-7710-a8fc-e2208048df69";

const CLAUDE = "test/fixtures/claude-code/2.1.325-forks";
const SESSION = "d7a667f8-c48e-4891-a872-5f885776cfb7.jsonl";
const LATE_FORK = "65d31212-1f61-4adc-bf8d-bbe74025d92e.jsonl";
const SDK_FORK = "6c54cef5-e6f3-4424-97b3-4735c4e69d4d.jsonl";
const SDK_FORK_OF_FORK = "f22bf73b-3b42-4e69-8840-3eb62a70674c.jsonl";

let folder: string;
let target: string;
let home: string;
beforeEach(() => {
  folder = tempFolder();
  target = `sqlite:${join(folder, "store.db")}`;
  home = join(folder, "home");
});

function add(fixture: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    cpSync(join(fixture, name), join(home, name));
  }
}

async function importAll(store: Store, again = false): Promise<ImportReport> {
  const report = await importConversations(store, [home], { again });
  expect(report.skipped).toEqual([]);
  return report;
}

async function isComplete(store: Store): Promise<boolean> {
  return (await importConversations(store, [home], { verify: true })).missingCount === 0;
}

/** What users see of all conversations, by the words in them. */
async function seen(store: Store) {
  const shapes = await shapeOf(store);
  return shapes.map(({ active, branches }) => ({ active, branches }));
}

async function imported(fixture: string, steps: readonly (readonly string[])[]) {
  rmSync(home, { recursive: true, force: true });
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  for (const names of steps) {
    add(fixture, ...names);
    await importAll(store);
  }
  expect(await isComplete(store)).toBe(true);
  return await seen(store);
}

async function textsOf(store: Store, key: string): Promise<string> {
  const entries = (await (await store.get(key))?.entries({ all: true }))?.items ?? [];
  return JSON.stringify(entries.map(({ message }) => message?.content ?? null));
}

/** The user writes another prompt in Codex. */
function say(name: string, text: string): void {
  const payload = { type: "message", role: "user", content: [{ type: "input_text", text }] };
  const line = { timestamp: "2026-11-16T16:00:00.000Z", type: "response_item", payload };
  appendFileSync(join(home, name), `${JSON.stringify(line)}\n`);
}

describe("a fork that is found before its session", () => {
  it.each([
    [CODEX, [[EARLY_FORK], [THREAD]]],
    [CODEX, [[WENT_BACK], [THREAD]]],
    [CODEX, [[FORK_OF_FORK], [FORK], [THREAD, WENT_BACK]]],
    [CODEX, [[FORK_OF_FORK, FORK, EARLY_FORK], [WENT_BACK], [THREAD]]],
    [CODEX, [[FORK_OF_FORK], [THREAD], [WENT_BACK, EARLY_FORK, FORK]]],
    [CLAUDE, [[LATE_FORK], [SESSION]]],
    [CLAUDE, [[SDK_FORK_OF_FORK], [SDK_FORK], [SESSION]]],
    [CLAUDE, [[SDK_FORK_OF_FORK, LATE_FORK], [SESSION], [SDK_FORK]]],
  ])("is joined to it when that is found: %s %j", async (fixture, steps) => {
    const whole = await imported(fixture, [steps.flat()]);
    expect(whole).toHaveLength(1);
    expect(await imported(fixture, steps)).toEqual(whole);
  });

  it("moves its former conversation to the trash, and the report says so", async () => {
    await using store = await openStore(target);
    add(CODEX, EARLY_FORK);
    expect(await importAll(store)).toMatchObject({ joined: 0, apart: 0 });
    const { id } = (await (await store.get(FORK_KEY))?.info()) ?? {};
    add(CODEX, THREAD);
    expect(await importAll(store)).toMatchObject({ joined: 1, apart: 0 });
    expect((await store.list({ trash: true })).items.map((info) => info.id)).toEqual([id]);
    expect(await importAll(store)).toMatchObject({ joined: 0, files: 0, messages: 0 });
    expect(await importAll(store, true)).toMatchObject({ joined: 0, messages: 0 });
  });

  it("waits without being read again, also beside a copy of it", async () => {
    await using store = await openStore(target);
    add(CLAUDE, LATE_FORK);
    cpSync(join(CLAUDE, LATE_FORK), join(home, "75d31212-1f61-4adc-bf8d-bbe74025d92e.jsonl"));
    for (const files of [2, 0, 0]) expect(await importAll(store)).toMatchObject({ files });
  });

  it("is read when its own folder is imported, if the session was in another import", async () => {
    await using store = await openStore(target);
    add(CODEX, EARLY_FORK);
    await importAll(store);
    add(CODEX, THREAD);
    await importConversations(store, [join(home, THREAD)]);
    expect(await seen(store)).toHaveLength(2);
    await importAll(store);
    expect(await seen(store)).toHaveLength(1);
  });
});

describe("a fork whose session lies in its folder", () => {
  it.each([
    [CODEX, WENT_BACK, [THREAD, WENT_BACK]],
    [CLAUDE, LATE_FORK, [SESSION, LATE_FORK]],
  ])("is imported with it when only the fork is named: %s", async (fixture, name, all) => {
    const whole = await imported(fixture, [all]);
    await using store = await openStore(target);
    expect(await importConversations(store, [join(home, name)])).toMatchObject({
      files: 2,
      conversations: 1,
    });
    expect(await seen(store)).toEqual(whole);
    expect(await importAll(store)).toMatchObject({ messages: 0, branches: 0 });
    expect(await isComplete(store)).toBe(true);
  });

  it.each([
    ["sessions", "archived_sessions", "."],
    ["archived_sessions", "sessions", "."],
  ])("is joined to it when both are imported at once for the first time: %s, %s, %s", async (...folders) => {
    const all = [THREAD, WENT_BACK, FORK, FORK_OF_FORK, EARLY_FORK];
    const whole = await imported(CODEX, [all]);
    await using store = await openStore(target);
    for (const name of folders) await importConversations(store, [join(home, name)]);
    expect(await seen(store)).toEqual(whole);
    expect(await importAll(store)).toMatchObject({ messages: 0, branches: 0, joined: 0 });
    expect(await isComplete(store)).toBe(true);
  });
});

describe("a fork that was joined to its session later", () => {
  it.each(["with", "without"])("goes on there %s what earlier imports knew", async (how) => {
    await using store = await openStore(target);
    add(CODEX, EARLY_FORK);
    await importAll(store);
    const ledger = join(folder, "store.db-imports");
    cpSync(ledger, `${ledger}.before`);
    add(CODEX, THREAD);
    await importAll(store);
    // As if the import had been killed when all was written.
    if (how === "without") cpSync(`${ledger}.before`, ledger);
    say(EARLY_FORK, "More in the fork");
    await importAll(store);
    const [shape, ...others] = await seen(store);
    expect(others).toEqual([]);
    expect(shape?.active.slice(-2)).toEqual(["Forked early.", "More in the fork"]);
    rmSync(ledger);
    say(EARLY_FORK, "Even more");
    await importAll(store);
    expect((await seen(store))[0]?.active.slice(-2)).toEqual(["More in the fork", "Even more"]);
    expect(await seen(store)).toHaveLength(1);
  });
});

describe("a fork that was shown when its file was archived", () => {
  it("is shown no longer", async () => {
    await using store = await openStore(target);
    add(CODEX, THREAD, EARLY_FORK);
    await importAll(store);
    expect((await seen(store))[0]?.active.at(-1)).toBe("Forked early.");
    const archived = join("archived_sessions", basename(EARLY_FORK));
    mkdirSync(dirname(join(home, archived)));
    renameSync(join(home, EARLY_FORK), join(home, archived));
    for (const again of [false, true]) {
      expect(await importAll(store, again)).toMatchObject({ messages: 0 });
      expect((await seen(store))[0]?.active.at(-1)).toBe("Third answer, reverted.");
    }
    say(archived, "More in the archived fork");
    await importAll(store);
    expect((await seen(store))[0]?.active.at(-1)).toBe("Third answer, reverted.");
  });
});

describe("several forks that are archived one after another", () => {
  it("are not shown as long as the thread is there", async () => {
    await using store = await openStore(target);
    add(CODEX, THREAD, WENT_BACK, EARLY_FORK, FORK_OF_FORK, FORK);
    for (const name of [FORK_OF_FORK, EARLY_FORK]) say(name, "The last words");
    await importAll(store);
    expect((await seen(store))[0]?.active.at(-1)).toBe("The last words");
    for (const name of [FORK_OF_FORK, EARLY_FORK]) {
      renameSync(join(home, name), join(home, "archived_sessions", basename(name)));
      await importAll(store);
    }
    expect((await seen(store))[0]?.active.at(-1)).toBe("Still here.");
  });
});

describe("a fork that the user has changed", () => {
  async function changed(change: (store: Store) => Promise<unknown>): Promise<Store> {
    const store = await openStore(target);
    add(CODEX, EARLY_FORK);
    await importAll(store);
    await change(store);
    add(CODEX, THREAD);
    return store;
  }

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["written to", async (store) => (await store.open(FORK_KEY)).append({ role: "user", content: "Mine" })],
    ["renamed", async (store) => (await store.open(FORK_KEY)).update({ title: "Mine" })],
    [
      "labelled",
      async (store) => {
        const chat = await store.open(FORK_KEY);
        await chat.label((await chat.messages()).items[0]?.id ?? "", "mine");
      },
    ],
  ])("stays a conversation of its own if it was %s, until it is imported again", async (_, change) => {
    await using store = await changed(change);
    expect(await importAll(store)).toMatchObject({ joined: 0, apart: 1 });
    expect(await isComplete(store)).toBe(true);
    say(EARLY_FORK, "More in the fork");
    expect(await importAll(store)).toMatchObject({ messages: 1 });
    expect(await textsOf(store, FORK_KEY)).toContain("More in the fork");
    expect(await textsOf(store, THREAD_KEY)).not.toContain("In an early fork");
    await importAll(store, true);
    expect(await textsOf(store, THREAD_KEY)).toContain("In an early fork");
    expect(await textsOf(store, FORK_KEY)).toContain("More in the fork");
    expect((await store.list({ trash: true })).items).toEqual([]);
  });

  it.each([false, true])(
    "does not bring back words that were erased from it (deleted: %s)",
    async (deleted) => {
      await using store = await changed(async (store) => {
        const chat = await store.open(FORK_KEY);
        const { items } = await chat.messages();
        await chat.redact(items.find(({ message }) => message.role === "user")?.id ?? "");
        if (deleted) await store.delete(FORK_KEY);
      });
      for (const again of [false, true]) {
        await importAll(store, again);
        expect(await textsOf(store, THREAD_KEY)).not.toContain("In an early fork");
      }
    },
  );

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["deleted", (store) => store.delete(FORK_KEY)],
    ["purged", (store) => store.purge(FORK_KEY, { force: true })],
  ])("stays away if it was %s, until it is imported again", async (_, change) => {
    await using store = await changed(change);
    expect(await importAll(store)).toMatchObject({ joined: 0, apart: 0 });
    expect(await textsOf(store, THREAD_KEY)).not.toContain("In an early fork");
    await importAll(store, true);
    expect(await textsOf(store, THREAD_KEY)).toContain("In an early fork");
  });

  it("stays if the conversation of its session was deleted", async () => {
    await using store = await openStore(target);
    add(CODEX, THREAD);
    await importAll(store);
    await store.delete(THREAD_KEY);
    rmSync(join(home, THREAD));
    add(CODEX, EARLY_FORK);
    await importAll(store);
    add(CODEX, THREAD);
    await importAll(store);
    say(EARLY_FORK, "More in the fork");
    await importAll(store);
    expect(await textsOf(store, FORK_KEY)).toContain("More in the fork");
  });
});

describe("a fork that was joined to its session and has grown", () => {
  it.each<[string, (path: string) => void]>([
    [
      "compressed",
      (path) => {
        writeFileSync(`${path}.zst`, zstdCompressSync(readFileSync(path)));
        rmSync(path);
      },
    ],
    ["renamed", (path) => renameSync(path, path.replace("T15-11-16", "T15-11-17"))],
  ])("is read on when its file was %s", async (_, change) => {
    await using store = await openStore(target);
    add(CODEX, EARLY_FORK);
    await importAll(store);
    add(CODEX, THREAD);
    expect(await importAll(store)).toMatchObject({ joined: 1 });
    say(EARLY_FORK, "More in the fork");
    change(join(home, EARLY_FORK));
    expect(await importAll(store)).toMatchObject({ messages: 1 });
    expect(await textsOf(store, THREAD_KEY)).toContain("More in the fork");
    expect(await isComplete(store)).toBe(true);
  });
});

describe("a fork that is written after its session", () => {
  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["was deleted", (store) => store.delete(THREAD_KEY)],
    ["was forgotten", (store) => forgetSources(store, [join(home, THREAD)])],
  ])("%s is a conversation of its own", async (_, remove) => {
    await using store = await openStore(target);
    add(CODEX, THREAD);
    await importAll(store);
    await remove(store);
    add(CODEX, EARLY_FORK);
    await importAll(store);
    expect(await textsOf(store, FORK_KEY)).toContain("In an early fork");
    expect(await store.get(THREAD_KEY)).toBeUndefined();
    expect(await isComplete(store)).toBe(true);
  });

  it("is a conversation of its own if that was forgotten before it was imported", async () => {
    await using store = await openStore(target);
    add(CODEX, THREAD, EARLY_FORK);
    await forgetSources(store, [join(home, THREAD)]);
    await importAll(store);
    expect((await store.list()).items.map(({ key }) => key)).toEqual([FORK_KEY]);
    expect(await isComplete(store)).toBe(true);
  });

  it("does not come back with another ledger if both were deleted together", async () => {
    await using store = await openStore(target);
    add(CODEX, THREAD, EARLY_FORK);
    await importAll(store);
    await store.delete(THREAD_KEY);
    await store.ingest().forgetImports();
    await importAll(store);
    expect((await store.list()).items).toEqual([]);
  });
});

describe("a fork and its session are one conversation", () => {
  const cut = (name: string, lines: number): void => {
    const whole = readFileSync(join(CLAUDE, name), "utf8").split(/(?<=\n)/);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, name), whole.slice(0, lines).join(""));
  };

  async function expectOne(store: Store, again = false): Promise<void> {
    await importAll(store, again);
    expect((await store.list()).items).toHaveLength(1);
    expect(await isComplete(store)).toBe(true);
  }

  it("if the fork had only begun when it was imported", async () => {
    await using store = await openStore(target);
    cut(LATE_FORK, 3);
    await importAll(store);
    add(CLAUDE, LATE_FORK, SESSION);
    await expectOne(store);
  });

  it("if the session had only begun when it was imported, days ago", async () => {
    await using store = await openStore(target);
    cut(SESSION, 2);
    const left = Date.now() / 1000 - 2 * 86_400;
    utimesSync(join(home, SESSION), left, left);
    await importAll(store);
    add(CLAUDE, LATE_FORK, SESSION);
    await expectOne(store);
  });

  it("if the file of the fork was moved before the session was found", async () => {
    await using store = await openStore(target);
    add(CODEX, EARLY_FORK);
    await importAll(store);
    mkdirSync(join(home, "archived_sessions"));
    renameSync(join(home, EARLY_FORK), join(home, "archived_sessions", basename(EARLY_FORK)));
    add(CODEX, THREAD);
    await expectOne(store);
  });

  it("if everything is imported again without the ledger", async () => {
    await using store = await openStore(target);
    add(CODEX, WENT_BACK);
    await importAll(store);
    rmSync(`${target.slice("sqlite:".length)}-imports`);
    add(CODEX, THREAD);
    await expectOne(store, true);
  });
});

describe("a fork that was purged with its session", () => {
  it.each<[string, (store: Store) => unknown]>([
    ["the ledger was lost", (store) => store.ingest().forgetImports()],
    ["it was copied", () => cpSync(join(home, LATE_FORK), join(home, `7${LATE_FORK.slice(1)}`))],
  ])("stays away when the session was forgotten and %s", async (_, change) => {
    await using store = await openStore(target);
    add(CLAUDE, SESSION, LATE_FORK);
    await importAll(store);
    const [whole] = (await store.list()).items;
    await store.purge(whole?.id ?? "", { force: true });
    await importAll(store);
    await forgetSources(store, [join(home, SESSION)]);
    await change(store);
    expect(await importAll(store)).toMatchObject({ messages: 0 });
    expect((await store.list()).items).toEqual([]);
  });
});

describe("a fork of which the ledger knows nothing", () => {
  const LOSSES: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
    ["was lost", async () => rmSync(`${target.slice("sqlite:".length)}-imports`)],
    ["was cleared", (store) => store.ingest().forgetImports()],
    ["was not told by a killed import", async () => beginAgain(join(home, EARLY_FORK))],
  ];

  it.each(LOSSES)("is joined to its session: the ledger %s", async (_, lose) => {
    await using store = await openStore(target);
    add(CODEX, EARLY_FORK);
    await importAll(store);
    await lose(store);
    add(CODEX, THREAD);
    expect(await importAll(store)).toMatchObject({ joined: 1, apart: 0 });
    expect((await store.list()).items.map(({ key }) => key)).toEqual([THREAD_KEY]);
    expect(await importAll(store)).toMatchObject({ files: 0, joined: 0, apart: 0 });
  });

  it.each(LOSSES)(
    "stays a conversation of its own if the user renamed it: the ledger %s",
    async (_, lose) => {
      await using store = await openStore(target);
      add(CODEX, EARLY_FORK);
      await importAll(store);
      await (await store.open(FORK_KEY)).update({ title: "Mine" });
      await lose(store);
      add(CODEX, THREAD);
      expect(await importAll(store)).toMatchObject({ joined: 0, apart: 1 });
      expect(await (await store.get(FORK_KEY))?.info()).toMatchObject({ title: "Mine" });
      expect(await importAll(store)).toMatchObject({ files: 0 });
    },
  );

  it("is joined together with a fork that was joined to it", async () => {
    await using store = await openStore(target);
    for (const names of [[FORK], [WENT_BACK]]) {
      add(CODEX, ...names);
      await importAll(store);
    }
    rmSync(`${target.slice("sqlite:".length)}-imports`);
    add(CODEX, THREAD);
    await importAll(store);
    expect((await seen(store)).map(({ branches }) => branches.flat().includes("In the fork"))).toEqual([
      true,
    ]);
    expect(await importAll(store)).toMatchObject({ files: 0 });
    expect(await isComplete(store)).toBe(true);
  });

  it("is joined together with forks of it", async () => {
    await using store = await openStore(target);
    add(CODEX, FORK_OF_FORK, FORK);
    await importAll(store);
    await store.ingest().forgetImports();
    add(CODEX, THREAD, WENT_BACK);
    expect(await importAll(store)).toMatchObject({ apart: 0 });
    expect((await store.list()).items).toHaveLength(1);
  });

  /** Everything of a file is in the store, and the ledger only knows that the file was begun. */
  function beginAgain(path: string): void {
    const ledger = new DatabaseSync(`${target.slice("sqlite:".length)}-imports`);
    ledger.exec("DELETE FROM files; DELETE FROM conversations; DELETE FROM awaiting");
    ledger.prepare("INSERT INTO begun VALUES (?)").run(path);
    ledger.close();
  }
});
