/** Sessions that Claude Code 2.1.325 and its SDK forked, and one that 1.0.100 resumed. */
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shapeOf } from "../../../../test/support/samples/conversation-shape.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import { importConversations } from "../../import/run.ts";

const FIXTURES = "test/fixtures/claude-code";
const FORKS = `${FIXTURES}/2.1.325-forks`;
const SESSION = "d7a667f8-c48e-4891-a872-5f885776cfb7.jsonl";

const beginning = ["Look around", "Looking.", "Two lines."];
const afterwards = ["After the compaction", "Still here."];

describe("forks of a Claude Code session", () => {
  it("are branches of one conversation: before and after a compaction, by the SDK, and of a fork", async () => {
    await using store = await openStore("ephemeral:");
    const report = await importConversations(store, [FORKS]);
    expect(report).toMatchObject({ skipped: [], unknown: {}, unresolved: 0 });
    const [shape, ...others] = await shapeOf(store);
    expect(others).toEqual([]);
    expect(shape?.flags).toEqual([]);
    const ends = shape?.branches.map((path) => path.slice(-2)).sort();
    expect(ends).toEqual([
      ["A fork after the compaction", "Forked late."],
      ["In a fork", "Forked."],
      ["In the fork of the SDK", "Forked by the SDK."],
      ["In the fork of the fork", "Forked twice."],
    ]);
    expect(shape?.active.slice(-4)).toEqual([
      ...["In the fork of the SDK", "Forked by the SDK.", "In the fork of the fork", "Forked twice."],
    ]);
    expect(shape?.branches.every((path) => path.slice(0, 3).join() === beginning.join())).toBe(true);
    expect(report).toMatchObject({ messages: 18, branches: 3 });
    expect(shape?.branches.filter((path) => path.join().includes(afterwards.join()))).toHaveLength(3);
    expect(await importConversations(store, [FORKS], { verify: true })).toMatchObject({ missing: [] });
  });

  it("name their branches by the titles that the user gave them, and not the conversation", async () => {
    await using store = await openStore("ephemeral:");
    const { imported } = await importConversations(store, [FORKS]);
    const { branches, info } = await store.snapshot(imported[0]?.id ?? "");
    expect(branches.map(({ name }) => name)).toContain("A named fork");
    expect(info.title).not.toMatch(/fork/);
  });

  it("are not shown when the user archived them", async () => {
    const folder = join(tempFolder(), "project");
    cpSync(FORKS, folder, { recursive: true });
    for (const name of ["f22bf73b-3b42-4e69-8840-3eb62a70674c", "6c54cef5-e6f3-4424-97b3-4735c4e69d4d"]) {
      mkdirSync(join(folder, name));
      writeFileSync(
        join(folder, name, "archived.json"),
        '{"archived":true,"at":"2026-11-16T16:47:32.575Z","by":"sdk"}',
      );
    }
    await using store = await openStore("ephemeral:");
    expect(await importConversations(store, [folder])).toMatchObject({ ignored: 0 });
    expect((await shapeOf(store))[0]?.active.at(-1)).toBe("Forked late.");
  });

  it("become the same conversation when they are found one after another", async () => {
    await using whole = await openStore("ephemeral:");
    await importConversations(whole, [FORKS]);
    await using store = await openStore("ephemeral:");
    const folder = join(tempFolder(), "project");
    mkdirSync(folder);
    const forks = readdirSync(FORKS).filter((name) => name !== SESSION);
    for (const name of [SESSION, ...forks]) {
      cpSync(join(FORKS, name), join(folder, name));
      await importConversations(store, [folder]);
    }
    const [one, other] = [await shapeOf(store), await shapeOf(whole)];
    expect(one[0]?.branches).toEqual(other[0]?.branches);
    expect(one[0]?.active).toEqual(other[0]?.active);
  });
});

describe("copies of a Claude Code session", () => {
  const TYPED = "test/fixtures/claude-code/2.1.325-typed-forks";
  const TYPED_SESSION = "d6f124e5-6acc-4979-b52f-01060476dc59.jsonl";
  const TYPED_FORK = "014eaf79-925d-4411-be15-3f5d3603a4f6.jsonl";
  const TYPED_BRANCH = "af04e36a-6af9-42d4-bd20-082510076d2b.jsonl";

  it.each([
    ["/branch", TYPED, TYPED_SESSION, TYPED_BRANCH],
    ["--fork-session in a terminal", TYPED, TYPED_SESSION, TYPED_FORK],
    ["--fork-session with -p", FORKS, SESSION, "9feb4f89-8240-4918-824d-1fc4b832234f.jsonl"],
    ["the SDK", FORKS, SESSION, "6c54cef5-e6f3-4424-97b3-4735c4e69d4d.jsonl"],
    [
      ...["--fork-session, with a hook that ran before the prompt", `${FIXTURES}/2.1.325-hook-fork`],
      ...["ef8a4da4-f6d4-41cb-a84d-089bde744395.jsonl", "a7b06035-77f4-4518-8a34-027bf72fcc74.jsonl"],
    ],
    ...[
      ["fdcba672-b4a4-4dc6-a9c3-4c7ed9fcfc73.jsonl", "5d14f194-af2e-4fd7-aa34-f458c856537b.jsonl"],
      ["8895583b-0723-4815-8b84-6b97dd0da429.jsonl", "5036381b-a9f1-453f-9a8c-db03f4020f36.jsonl"],
    ].map(([session = "", copy = ""]) => {
      return ["version 2.0", "test/fixtures/claude-code/2.0.50-forks", session, copy] as const;
    }),
    [
      ...["version 1.0", "test/fixtures/claude-code/1.0.100-resume"],
      ...["adcab481-14af-4293-8e92-645f861e1135.jsonl", "5be62d01-6ff0-43c2-bce3-b65540ea03f9.jsonl"],
    ],
  ])("by %s have the key and the title of the session, whichever is read first", async (...of) => {
    const [, fixture = "", session = "", copy = ""] = of;
    const shapes = [];
    for (const steps of [[[session], [copy]], [[copy], [session]], [[session, copy]]]) {
      await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
      const folder = join(tempFolder(), "project");
      mkdirSync(folder);
      for (const names of steps) {
        for (const name of names) cpSync(join(fixture, name), join(folder, name));
        await importConversations(store, [folder]);
      }
      shapes.push(await shapeOf(store));
    }
    const [first, ...others] = shapes;
    expect(first).toMatchObject([{ key: `claude-code:${session.slice(0, 36)}` }]);
    expect(others).toEqual([first, first]);
  });

  it("are not shown when they are archived, whichever is read first", async () => {
    const copy = TYPED_FORK.slice(0, 36);
    for (const steps of [
      [TYPED_SESSION, TYPED_FORK],
      [TYPED_FORK, TYPED_SESSION],
    ]) {
      await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
      const folder = join(tempFolder(), "project");
      mkdirSync(join(folder, copy), { recursive: true });
      writeFileSync(join(folder, copy, "archived.json"), '{"archived":true}');
      for (const name of steps) {
        cpSync(join(TYPED, name), join(folder, name));
        await importConversations(store, [folder]);
      }
      const [shape] = await shapeOf(store);
      expect(shape?.active.at(-1)).toBe("Two.");
      expect(shape?.branches.map((path) => path.at(-1)).sort()).toEqual(["Forked.", "Two."]);
      appendFileSync(
        join(folder, TYPED_SESSION),
        `${JSON.stringify({ type: "user", uuid: "more", sessionId: TYPED_SESSION.slice(0, 36), message: { role: "user", content: "More" } })}\n`,
      );
      await importConversations(store, [folder]);
      expect((await shapeOf(store))[0]?.active.at(-1)).toBe("More");
    }
  });

  it("leave a title that the user gave", async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const folder = join(tempFolder(), "project");
    mkdirSync(folder);
    cpSync(join(TYPED, TYPED_FORK), join(folder, TYPED_FORK));
    await importConversations(store, [folder]);
    const chat = await store.open(`claude-code:${TYPED_FORK.slice(0, 36)}`);
    await chat.update({ title: "Mine" });
    cpSync(join(TYPED, TYPED_SESSION), join(folder, TYPED_SESSION));
    await importConversations(store, [folder]);
    expect(await chat.info()).toMatchObject({
      title: "Mine",
      key: `claude-code:${TYPED_SESSION.slice(0, 36)}`,
    });
  });

  it.each([
    ["at once", [[TYPED_BRANCH, TYPED_SESSION]]],
    ["one after the other", [[TYPED_SESSION], [TYPED_BRANCH]]],
  ])("by /branch are branches with the name that the user gave, imported %s", async (_, steps) => {
    await using store = await openStore("ephemeral:");
    const folder = join(tempFolder(), "project");
    mkdirSync(folder);
    const lines = readFileSync(join(TYPED, TYPED_SESSION), "utf8").trimEnd().split("\n");
    const last = lines.map((line) => JSON.parse(line)).findLast(({ uuid }) => uuid !== undefined);
    const message = { role: "user", content: "Back in the session" };
    const back = `${JSON.stringify({ ...last, type: "user", uuid: "back", parentUuid: last.uuid, message })}\n`;
    for (const names of steps) {
      for (const name of names) cpSync(join(TYPED, name), join(folder, name));
      if (names.includes(TYPED_SESSION)) appendFileSync(join(folder, TYPED_SESSION), back);
      await importConversations(store, [folder]);
    }
    const [{ id } = { id: "" }, ...others] = await Array.fromAsync(store.list());
    const { branches, info } = await store.snapshot(id);
    expect(others).toEqual([]);
    expect(branches.map(({ name }) => name)).toEqual(["main", "A branch"]);
    expect(info).toMatchObject({ title: "A name", key: `claude-code:${TYPED_SESSION.slice(0, 36)}` });
    expect(await importConversations(store, [folder], { verify: true })).toMatchObject({ missing: [] });
  });

  it("have branches with the names that the user gave them", async () => {
    await using store = await openStore("ephemeral:");
    const { imported } = await importConversations(store, [TYPED]);
    const { branches, info } = await store.snapshot(imported[0]?.id ?? "");
    expect(branches.map(({ name }) => name)).toContain("A branch");
    expect(info.title).toBe("A name");
  });
});

describe("a fork that the user gave a title", () => {
  const SDK = `${FIXTURES}/2.1.325-sdk-fork`;
  const SDK_SESSION = "10df78a2-58b7-4c8d-9504-3919836a61ae.jsonl";
  const SDK_FORK = "92829322-0264-4f66-baa3-81f8676340ce.jsonl";
  const TYPED = `${FIXTURES}/2.1.325-typed-forks`;
  const TYPED_SESSION = "d6f124e5-6acc-4979-b52f-01060476dc59.jsonl";
  const TYPED_FORK = "014eaf79-925d-4411-be15-3f5d3603a4f6.jsonl";
  const TYPED_BRANCH = "af04e36a-6af9-42d4-bd20-082510076d2b.jsonl";

  /** The branches of the only conversation after each import, by name, with the last words of each. */
  async function branchesAfter(fixture: string, ...steps: readonly string[][]): Promise<object> {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const folder = join(tempFolder(), "project");
    mkdirSync(folder);
    for (const names of steps) {
      for (const name of names) cpSync(join(fixture, name), join(folder, name));
      await importConversations(store, [folder]);
    }
    const [{ id } = { id: "" }, ...others] = await Array.fromAsync(store.list());
    expect(others).toEqual([]);
    expect(await importConversations(store, [folder], { verify: true })).toMatchObject({ missing: [] });
    const snapshot = await store.snapshot(id);
    const ends = snapshot.branches.map(async ({ name }) => {
      const path = await Array.fromAsync(snapshot.path(snapshot.branch(name)));
      const { message } = path.findLast((entry) => entry.message?.role === "assistant") ?? {};
      return [name, message?.content];
    });
    return Object.fromEntries(await Promise.all(ends));
  }

  it.each([
    ["at once", [[SDK_SESSION, SDK_FORK]]],
    ["after its session", [[SDK_SESSION], [SDK_FORK]]],
    ["before its session", [[SDK_FORK], [SDK_SESSION]]],
  ])("is a branch of that name even if its session ended there, imported %s", async (_, steps) => {
    expect(await branchesAfter(SDK, ...steps)).toEqual({
      main: [{ type: "text", text: "L1." }],
      "Title of a lone fork": [{ type: "text", text: "L2." }],
    });
  });

  it.each([
    [[TYPED_SESSION, TYPED_FORK, TYPED_BRANCH]],
    [[TYPED_SESSION, TYPED_BRANCH, TYPED_FORK]],
    [[TYPED_FORK, TYPED_BRANCH, TYPED_SESSION]],
    [[TYPED_BRANCH, TYPED_FORK, TYPED_SESSION]],
    [[TYPED_BRANCH, TYPED_SESSION, TYPED_FORK]],
  ])("is a branch of that name beside a fork without one, found in the order %j", async (names) => {
    expect(await branchesAfter(TYPED, ...names.map((name) => [name]))).toEqual({
      main: [{ type: "text", text: "Forked." }],
      "A branch": [{ type: "text", text: "Branched." }],
    });
  });

  it("is a branch of that name also as a fork of a fork", async () => {
    const files = readdirSync(FORKS);
    expect(await branchesAfter(FORKS, files)).toMatchObject({
      "A named fork": [{ type: "text", text: "Forked by the SDK." }],
      "A fork of the fork": [{ type: "text", text: "Forked twice." }],
    });
  });

  it("is a branch of that name if the user goes on in it after an import", async () => {
    const lines = readFileSync(join(SDK, SDK_FORK), "utf8").split("\n");
    const own = lines.findIndex((line) => line.includes("In the lone fork"));
    const folder = join(tempFolder(), "project");
    mkdirSync(folder);
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    for (const end of [own, lines.length]) {
      writeFileSync(join(folder, SDK_FORK), `${lines.slice(0, end).join("\n")}\n`);
      await importConversations(store, [folder]);
    }
    const [{ id } = { id: "" }] = await Array.fromAsync(store.list());
    const { branches } = await store.snapshot(id);
    expect(branches.map(({ name }) => name)).toEqual(["main", "Title of a lone fork"]);
  });
});

describe("a session that version 1.0 resumed", () => {
  const RESUMED = `${FIXTURES}/1.0.100-resumed-twice`;
  const FILES = ["7461e1ae", "7657a6ba", "f937c44e"];

  it.each(
    [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ].map((order) => [order]),
  )("names the conversation of its copies, found in the order %j", async (order) => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const folder = join(tempFolder(), "project");
    mkdirSync(folder);
    for (const index of order) {
      const name = readdirSync(RESUMED).find((file) => file.startsWith(FILES[index] ?? "")) ?? "";
      cpSync(join(RESUMED, name), join(folder, name));
      await importConversations(store, [folder]);
    }
    expect(await shapeOf(store)).toMatchObject([
      { key: "claude-code:7461e1ae-43a8-48b5-a6b7-910c458decac", title: expect.stringMatching(/^First/) },
    ]);
  });

  it("is continued in another file, without a second copy of its prompts", async () => {
    await using store = await openStore("ephemeral:");
    const report = await importConversations(store, ["test/fixtures/claude-code/1.0.100-resume"]);
    expect(report).toMatchObject({ conversations: 1, messages: 4, branches: 0 });
    const [shape] = await shapeOf(store);
    expect(shape?.active).toEqual(["Hello there", "Hello.", "Again", "Again."]);
    expect(shape?.flags).toEqual([]);
  });
});

describe("a compaction", () => {
  it("is one entry, wherever the file ended when it was read before", async () => {
    const lines = readFileSync(join(FORKS, SESSION), "utf8").split("\n");
    const boundary = lines.findIndex((line) => line.includes('"compact_boundary"'));
    const file = join(tempFolder(), "session.jsonl");
    for (const end of [boundary, boundary + 1, boundary + 2]) {
      await using store = await openStore("ephemeral:");
      for (const count of [end, lines.length]) {
        writeFileSync(file, `${lines.slice(0, count).join("\n")}\n`);
        await importConversations(store, [file]);
      }
      const [{ id } = { id: "" }] = await Array.fromAsync(store.list());
      const entries = await Array.fromAsync((await store.snapshot(id)).log());
      const compactions = entries.filter(({ kind }) => kind === "compaction");
      expect(compactions.map(({ data }) => data)).toMatchObject([
        { summary: expect.stringContaining("This session") },
      ]);
    }
  });
});
