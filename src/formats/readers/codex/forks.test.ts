/** Rollouts that Codex 0.166 wrote: a thread that went back, forks of it, a fork of a fork, an archived one. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { makeZip } from "../../../../test/support/make-zip.ts";
import { shapeOf } from "../../../../test/support/samples/conversation-shape.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import type { ImportReport } from "../../import/report.ts";
import { importConversations } from "../../import/run.ts";

const FIXTURE = "test/fixtures/codex/0.166-forks";
const DAY = "sessions/2026/11/16";
const THREAD = "rollout-2026-11-16T15-11-16-01a1e4e9-9672-7710-a8fc-e2208048df69.jsonl";
const WENT_BACK =
  "rollout-2026-11-16T15-11-16-01a1e4e9-9672-7710-a8fc-e2208048df69_01a1e4e9-9835-70b2-87e4-e6247f2ca54b.jsonl";
const FORK_OF_FORK = "rollout-2026-11-16T15-11-16-01a1e4e9-9935-7722-a5b4-d91f6206efe9.jsonl";
const EARLY_FORK = "rollout-2026-11-16T15-11-16-01a1e4e9-99d5-7ec1-bca8-0cc0646a4ee5.jsonl";
const FORK = "rollout-2026-11-16T15-11-16-01a1e4e9-98af-74a1-8391-497d8b49b4c5.jsonl";

async function importInSteps(store: Store, steps: readonly (readonly string[])[]): Promise<string> {
  const home = join(tempFolder(), ".codex");
  for (const folder of [DAY, "archived_sessions"]) mkdirSync(join(home, folder), { recursive: true });
  for (const names of steps) {
    for (const name of names) cpSync(join(FIXTURE, name), join(home, name));
    expect((await importConversations(store, [home])).skipped).toEqual([]);
  }
  return home;
}

/** The user writes another prompt. */
function say(file: string, text: string): void {
  const payload = { type: "message", role: "user", content: [{ type: "input_text", text }] };
  const line = { timestamp: "2026-11-16T16:00:00.000Z", type: "response_item", payload };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

const everything = [
  "session_index.jsonl",
  ...[THREAD, WENT_BACK, FORK_OF_FORK, EARLY_FORK].map((name) => `${DAY}/${name}`),
  `archived_sessions/${FORK}`,
];

const beginning = ["First turn", "Looking.", "One line."];
const again = [...beginning, "Second turn again", "Second answer again."];

function ordersOf(names: readonly string[]): string[][] {
  if (names.length < 2) return [[...names]];
  return names.flatMap((name) =>
    ordersOf(names.filter((other) => other !== name)).map((others) => [name, ...others]),
  );
}

describe("forks and reverts of a Codex thread", () => {
  it("are branches of one conversation, joined where they begin", async () => {
    await using store = await openStore("ephemeral:");
    const home = await importInSteps(store, [everything]);
    const [shape, ...others] = await shapeOf(store);
    expect(others).toEqual([]);
    expect(shape).toMatchObject({
      key: "codex:01a1e4e9-9672-7710-a8fc-e2208048df69",
      title: "A named thread",
    });
    const reverted = ["Second turn, reverted", "Second answer, reverted."];
    const wentOn = [...again, "The thread goes on", "And on."];
    expect(shape?.active.slice(0, wentOn.length)).toEqual(wentOn);
    expect(shape?.active.slice(-2)).toEqual(["After the compaction", "Still here."]);
    expect(shape?.branches).toContainEqual([
      ...[...beginning, ...reverted, "Third turn, reverted", "Third answer, reverted."],
    ]);
    expect(shape?.branches).toContainEqual([
      ...again,
      "In the fork",
      "Forked.",
      "In the fork of the fork",
      "Forked twice.",
    ]);
    expect(shape?.branches).toContainEqual([...beginning, "In an early fork", "Forked early."]);
    expect(shape?.flags).toEqual([]);
    expect(await importConversations(store, [home], { verify: true })).toMatchObject({ missing: [] });
  });

  it("become the same conversation in whatever order they appear", async () => {
    await using whole = await openStore("ephemeral:");
    await importInSteps(whole, [everything]);
    const expected = await shapeOf(whole);
    const [index = "", thread = "", wentBack = "", forkOfFork = "", earlyFork = "", fork = ""] = everything;
    const asWritten = [[thread], [index, wentBack], [fork], [forkOfFork], [earlyFork]];
    for (const steps of [
      asWritten,
      [
        [thread, earlyFork],
        [index, wentBack, fork, forkOfFork],
      ],
    ]) {
      await using store = await openStore("ephemeral:");
      await importInSteps(store, steps);
      expect(await shapeOf(store)).toEqual(expected);
    }
  });

  it("become the same conversation in whatever order their folders are read", async () => {
    await using whole = await openStore("ephemeral:");
    await importInSteps(whole, [everything]);
    const expected = await shapeOf(whole);
    for (const names of ordersOf([THREAD, WENT_BACK, FORK_OF_FORK, EARLY_FORK])) {
      const home = join(tempFolder(), ".codex");
      cpSync(join(FIXTURE, "archived_sessions"), join(home, "archived_sessions"), { recursive: true });
      cpSync(join(FIXTURE, "session_index.jsonl"), join(home, "session_index.jsonl"));
      for (const [index, name] of names.entries()) {
        // The days that are near, in the zone of some user.
        const day = join(home, "sessions", "2026", "11", String(Math.min(15 + index, 17)));
        cpSync(join(FIXTURE, DAY, name), join(day, name));
      }
      await using store = await openStore("ephemeral:");
      await importConversations(store, [home]);
      expect(await shapeOf(store), names.join(", ")).toEqual(expected);
    }
  });

  it("show the thread that was used last, and an archived fork only when nothing else is there", async () => {
    await using store = await openStore("ephemeral:");
    const home = await importInSteps(store, [everything]);
    expect((await shapeOf(store))[0]?.active.at(-1)).toBe("Still here.");
    rmSync(join(home, DAY), { recursive: true });
    await using archived = await openStore("ephemeral:");
    expect((await importConversations(archived, [home])).imported[0]?.flags).toMatchObject({
      "history-elsewhere": 1,
    });
    expect((await shapeOf(archived))[0]?.active).toEqual(["In the fork", "Forked."]);
  });

  it("are shown as they were left when the archived thread is alone", async () => {
    const home = join(tempFolder(), ".codex");
    mkdirSync(join(home, "archived_sessions"), { recursive: true });
    const id = "0199aaaa-0000-7000-8000-0000000000b1";
    const file = join(home, "archived_sessions", `rollout-2026-02-04T09-00-00-${id}.jsonl`);
    cpSync("test/fixtures/codex/rolled-back.jsonl", file);
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`, { worker: true });
    await importConversations(store, [home]);
    const [shape] = await shapeOf(store);
    expect(shape?.branches).toHaveLength(2);
    expect(shape?.active.at(-1)).toBe("Osprey.");
  });

  it("stay apart from the thread when they are archived, also at its very end", async () => {
    const home = join(tempFolder(), ".codex");
    cpSync(FIXTURE, home, { recursive: true });
    for (const name of [FORK_OF_FORK, EARLY_FORK]) rmSync(join(home, DAY, name));
    // Where the fork begins.
    truncateSync(join(home, DAY, WENT_BACK), 6598);
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    await importConversations(store, [home]);
    const [shape] = await shapeOf(store);
    expect(shape?.active).toEqual(again);
    expect(shape?.branches).toContainEqual([...again, "In the fork", "Forked."]);
    say(join(home, "archived_sessions", FORK), "More in the fork");
    await importConversations(store, [home]);
    const [grown] = await shapeOf(store);
    expect(grown).toMatchObject({ active: again, branches: { length: shape?.branches.length } });
    expect(grown?.branches).toContainEqual([...again, "In the fork", "Forked.", "More in the fork"]);
  });

  it("continue the thread when it is archived itself", async () => {
    const home = join(tempFolder(), ".codex");
    cpSync(join(FIXTURE, DAY, THREAD), join(home, DAY, THREAD));
    mkdirSync(join(home, "archived_sessions"));
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    await importConversations(store, [home]);
    say(join(home, DAY, THREAD), "The last words");
    renameSync(join(home, DAY, THREAD), join(home, "archived_sessions", THREAD));
    await importConversations(store, [home]);
    const [shape] = await shapeOf(store);
    expect(shape?.branches).toEqual([shape?.active]);
    expect(shape?.active.at(-1)).toBe("The last words");
  });

  it("have the name that the index gives the thread later, and not that of a fork", async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const home = await importInSteps(store, [everything]);
    const rename = (id: string, thread_name: string): void =>
      appendFileSync(join(home, "session_index.jsonl"), `${JSON.stringify({ id, thread_name })}\n`);
    rename("01a1e4e9-9672-7710-a8fc-e2208048df69", "Another name");
    rename("01a1e4e9-9935-7722-a5b4-d91f6206efe9", "The name of a fork");
    expect(await importConversations(store, [home])).toMatchObject({ files: 0, messages: 0 });
    expect(await shapeOf(store)).toMatchObject([{ title: "Another name" }]);
    const [{ id } = { id: "" }] = (await store.list()).items;
    await (await store.get(id))?.update({ title: "The user's own" });
    rename("01a1e4e9-9672-7710-a8fc-e2208048df69", "A third name");
    await importConversations(store, [home]);
    expect(await shapeOf(store)).toMatchObject([{ title: "The user's own" }]);
  });

  it.each(["sessions", DAY, `${DAY}/${THREAD}`])(
    "have the name in the index of Codex also if only %s is imported",
    async (named) => {
      const home = join(tempFolder(), ".codex");
      cpSync(FIXTURE, home, { recursive: true });
      await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
      await importConversations(store, [join(home, named)]);
      expect(await shapeOf(store)).toMatchObject([{ title: "A named thread" }]);
      const entry = { id: "01a1e4e9-9672-7710-a8fc-e2208048df69", thread_name: "Another name" };
      appendFileSync(join(home, "session_index.jsonl"), `${JSON.stringify(entry)}\n`);
      await importConversations(store, [join(home, named)]);
      expect(await shapeOf(store)).toMatchObject([{ title: "Another name" }]);
    },
  );

  it("are joined in a zip where the thread is compressed", async () => {
    const path = join(tempFolder(), "codex.zip");
    const data = (name: string): Buffer => readFileSync(join(FIXTURE, name));
    const [thread, fork] = [`${DAY}/${THREAD}`, `${DAY}/${EARLY_FORK}`];
    const packed = { name: `${thread}.zst`, data: zstdCompressSync(data(thread)) };
    writeFileSync(path, makeZip([packed, { name: fork, data: data(fork) }]));
    await using store = await openStore("ephemeral:");
    const report = await importConversations(store, [path]);
    expect(report).toMatchObject({ files: 2, conversations: 1, skipped: [], unresolvedReferences: [] });
  });

  it("with a picture is one prompt of the user", async () => {
    await using store = await openStore("ephemeral:");
    const report = await importConversations(store, ["test/fixtures/codex/0.166-picture.jsonl"]);
    expect(report.unknown).toEqual({});
    const messages = await Array.fromAsync((await store.open(report.imported[0]?.key ?? "")).messages());
    expect(report.imported[0]?.title).toBe("A picture @say Seen.");
    const prompts = messages.filter(({ message }) => JSON.stringify(message.content).includes("A picture"));
    expect(prompts).toHaveLength(1);
    expect(prompts[0]?.message.extra).toBeUndefined();
    expect(prompts[0]?.message.content).toContainEqual(expect.objectContaining({ type: "image" }));
  });

  it("report no record as unknown", async () => {
    await using store = await openStore("ephemeral:");
    expect((await importConversations(store, [FIXTURE])).unknown).toEqual({});
  });
});

describe("a fork whose thread is in another folder of Codex than the imported one", () => {
  const KEY = "codex:01a1e4e9-9672-7710-a8fc-e2208048df69";
  const forkOn = (day: string): string => `sessions/2026/11/${day}/${EARLY_FORK}`;
  const thread = `${DAY}/${THREAD}`;

  function homeWith(files: Readonly<Record<string, string>>): string {
    const home = join(tempFolder(), ".codex");
    for (const [name, fixture] of Object.entries(files)) cpSync(join(FIXTURE, fixture), join(home, name));
    return home;
  }

  it.each([
    ["of another day", thread, forkOn("17"), forkOn("17")],
    ["of another month", thread, `sessions/2027/01/02/${EARLY_FORK}`, "sessions/2027"],
    ["archived", `archived_sessions/${THREAD}`, forkOn("16"), "sessions/2026/11/16"],
    ["not archived", thread, `archived_sessions/${EARLY_FORK}`, "archived_sessions"],
  ])("is imported with it: %s", async (_, session, fork, named) => {
    const home = homeWith({ [session]: thread, [fork]: forkOn("16") });
    await using store = await openStore("ephemeral:");
    const report = await importConversations(store, [join(home, named)]);
    expect(report).toMatchObject({ files: 2, conversations: 1, skipped: [] });
    expect((await store.list()).items.map(({ key }) => key)).toEqual([KEY]);
    const verified = await importConversations(store, [home], { verify: true });
    expect(verified).toMatchObject({ missing: [] });
  });

  it("is joined to it when that appears, though only the folders of days are imported", async () => {
    const home = homeWith({ [forkOn("17")]: forkOn("16") });
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    const day = (name: string): Promise<ImportReport> =>
      importConversations(store, [join(home, "sessions", "2026", "11", name)]);
    await day("17");
    cpSync(join(FIXTURE, thread), join(home, thread));
    expect(await day("16")).toMatchObject({ files: 1, joined: 0 });
    expect(await day("17")).toMatchObject({ files: 1, joined: 1 });
    expect((await store.list()).items.map(({ key }) => key)).toEqual([KEY]);
  });

  it("is not imported with what a link in the place of that leads to", async () => {
    const home = homeWith({ [forkOn("17")]: forkOn("16") });
    const elsewhere = homeWith({ [thread]: thread });
    mkdirSync(dirname(join(home, DAY)), { recursive: true });
    symlinkSync(join(elsewhere, DAY), join(home, DAY));
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
    expect(await importConversations(store, [join(home, forkOn("17"))])).toMatchObject({ files: 1 });
    rmSync(join(home, DAY));
    mkdirSync(join(home, DAY));
    symlinkSync(join(elsewhere, thread), join(home, thread));
    expect(await importConversations(store, [join(home, forkOn("17"))])).toMatchObject({ files: 0 });
  });

  it("is imported alone from a folder that is not that of Codex", async () => {
    const home = homeWith({ [thread]: thread, [`copies/${EARLY_FORK}`]: forkOn("16") });
    await using store = await openStore("ephemeral:");
    expect(await importConversations(store, [join(home, "copies")])).toMatchObject({ files: 1 });
  });
});

it.each([
  ["two rollouts that name each other", ["a", "b"]],
  ["three rollouts, each of which names the next", ["a", "b", "c"]],
  ["a rollout that names itself", ["a"]],
])("%s are imported, whenever they are found", async (_, names) => {
  const folder = tempFolder();
  const idOf = (name: string): string => `019a0000-0000-7000-8000-00000000000${name}`;
  const line = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: "2026-10-01T10:00:00.000Z", type, payload })}\n`;
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  for (const [index, name] of names.entries()) {
    const base = idOf(names[(index + 1) % names.length] ?? "");
    const part = { thread_id: base, end_ordinal_exclusive: 3 };
    const meta = { id: idOf(name), cwd: "/x", forked_from_id: base, history_base: part };
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes" }] };
    const text = `From ${name}`;
    const prompt = { type: "user_message", message: text };
    const words = line("response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text }],
    });
    const file = join(folder, `rollout-2026-10-01T10-00-00-${idOf(name)}.jsonl`);
    writeFileSync(
      file,
      line("session_meta", meta) + words + line("event_msg", prompt) + line("response_item", said),
    );
    await importConversations(store, [folder]);
  }
  await importConversations(store, [folder]);
  const { items } = await store.list();
  const logs = items.map(({ id }) => Array.fromAsync(store.ingest().log(id, 0)));
  const all = JSON.stringify(await Promise.all(logs));
  for (const name of names) expect(all).toContain(`From ${name}`);
});
