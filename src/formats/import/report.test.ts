import { appendFileSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { ImportReport } from "./report.ts";
import { type ImportProgress, importConversations } from "./run.ts";

const line = (uuid: string, parentUuid: string | null, content: string): string =>
  `${JSON.stringify({ type: "user", uuid, parentUuid, sessionId: "s", message: { role: "user", content } })}\n`;

it("adds up what several files of a conversation have", async () => {
  const folder = tempFolder();
  writeFileSync(
    join(folder, "a.jsonl"),
    line("1", null, "One") + line("2", "lost", "Two") + line("3", "gone", "Three"),
  );
  writeFileSync(join(folder, "b.jsonl"), line("1", null, "One") + line("4", "missing", "Four"));
  await using store = await openStore("ephemeral:");
  const { imported, messages, conversations } = await importConversations(store, [folder]);
  expect({ messages, conversations }).toEqual({ messages: 4, conversations: 1 });
  expect(imported).toMatchObject([{ messages: 4, added: 4, flags: { "missing-parent": 3 } }]);
});

it("does not list the pictures of a conversation as ignored", async () => {
  const folder = tempFolder();
  const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", "base64");
  cpSync("test/fixtures/chatgpt/assets.json", join(folder, "conversations.json"));
  mkdirSync(join(folder, "dalle-generations"));
  writeFileSync(join(folder, "file-1a2B-photo.png"), picture);
  writeFileSync(join(folder, "dalle-generations", "file-9z-art.webp"), picture);
  writeFileSync(join(folder, "notes.png"), picture);
  await using store = await openStore("ephemeral:");
  for (let pass = 0; pass < 2; pass++) {
    const { ignoredFiles } = await importConversations(store, [folder]);
    expect(ignoredFiles).toEqual([join(folder, "notes.png")]);
  }
});

it("mentions conversations that were opened and never used", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "20250121193000001.jsonl"), "");
  writeFileSync(join(folder, "20250121193000001.meta.json"), '{"id":"x","title":"Empty"}');
  await using store = await openStore("ephemeral:");
  for (let pass = 0; pass < 2; pass++) {
    expect(await importConversations(store, [folder])).toMatchObject({
      empty: 1,
      ignored: 0,
      conversations: 0,
    });
  }
});

it("imports a conversation of PersonalAgent that is one file without messages", async () => {
  const folder = tempFolder();
  const about = { id: "x", title: "Empty", created_at: "2025-01-21T19:30:00Z", profile_id: "p" };
  writeFileSync(join(folder, "x.json"), JSON.stringify({ ...about, messages: [] }));
  await using store = await openStore("ephemeral:");
  const { imported } = await importConversations(store, [folder]);
  expect(imported).toMatchObject([{ key: "personal-agent:x", title: "Empty", messages: 0 }]);
});

it("tells before an import which key a conversation without a usable one would get", async () => {
  const folder = join(tempFolder(), "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "sessions.json"), '{"main":{"sessionId":"one"}}');
  writeFileSync(join(folder, "one.jsonl"), piHeader("one") + piSays("m1", null, "Hello"));
  await using store = await openStore("ephemeral:");
  const keys = [];
  for (const dryRun of [true, false]) {
    const { imported } = await importConversations(store, [folder], { dryRun });
    keys.push(imported.map(({ key }) => key));
  }
  expect(keys).toEqual([["openclaw:one"], ["openclaw:one"]]);
});

/** Everything about each conversation, in the order of their ids. */
function reported({ imported, messages, branches, records }: ImportReport): unknown {
  const list = imported.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return { imported: list, messages, branches, records };
}

describe("a dry run says what the import reports", () => {
  it.each([
    ...["1.0.100-resume", "1.0.100-resumed-twice", "2.0.50-forks", "2.1.325-forks", "2.1.325-hook-fork"],
    ...["2.1.325-sdk-fork", "2.1.325-typed-forks"],
  ])("of the Claude Code sessions %s, in any order", async (fixture) => {
    const folder = join("test/fixtures/claude-code", fixture);
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    const paths = files.map((name) => join(folder, name));
    for (const order of [paths, paths.toReversed()]) {
      await using store = await openStore("ephemeral:");
      const dry = await importConversations(store, order, { dryRun: true });
      expect(reported(dry)).toEqual(reported(await importConversations(store, order)));
    }
  });

  it.each(["codex", "pi", "opencode", "openclaw/agents", "chatgpt", "claude-ai", "sharegpt", "colloquy"])(
    "of the conversations of %s",
    async (fixture) => {
      await using store = await openStore("ephemeral:");
      const folder = join("test/fixtures", fixture);
      const dry = await importConversations(store, [folder], { dryRun: true });
      expect(reported(dry)).toEqual(reported(await importConversations(store, [folder])));
    },
  );

  it("of a fork with a title, when its session has none", async () => {
    const folder = tempFolder();
    const command = (session: string, timestamp: string): string =>
      line("1", null, "<command-name>/clear</command-name>")
        .replace("{", `{"timestamp":"${timestamp}",`)
        .replace('"s"', `"${session}"`);
    const title = `${JSON.stringify({ type: "custom-title", customTitle: "Mine", sessionId: "a" })}\n`;
    writeFileSync(join(folder, "a.jsonl"), command("a", "2026-01-02T10:00:00Z") + title);
    writeFileSync(join(folder, "b.jsonl"), command("b", "2026-01-01T10:00:00Z"));
    await using store = await openStore("ephemeral:");
    const dry = await importConversations(store, [folder], { dryRun: true });
    const imported = await importConversations(store, [folder]);
    expect(imported.imported).toMatchObject([{ key: "claude-code:b", title: "Mine" }]);
    expect(reported(dry)).toEqual(reported(imported));
  });

  it("of a fork that was archived, and so does not continue the branch of its session", async () => {
    const folder = join(tempFolder(), "p");
    cpSync("test/fixtures/claude-code/2.1.325-typed-forks", folder, { recursive: true });
    for (const name of readdirSync(folder).filter((one) => one.endsWith(".jsonl"))) {
      const archived = join(folder, name.replace(".jsonl", ""));
      mkdirSync(archived, { recursive: true });
      writeFileSync(join(archived, "archived.json"), '{"archived":true}');
      await using store = await openStore("ephemeral:");
      const dry = await importConversations(store, [folder], { dryRun: true });
      expect(reported(dry)).toEqual(reported(await importConversations(store, [folder])));
    }
  });

  it.each([
    ["first", 0],
    ["last", 1],
  ])("of a session that goes on in a copy, when the %s file is archived", async (which, branches) => {
    const folder = tempFolder();
    writeFileSync(join(folder, "first.jsonl"), line("1", null, "One") + line("2", "1", "Two"));
    const copy = [line("1", null, "One"), line("2", "1", "Two"), line("3", "2", "Three")];
    writeFileSync(join(folder, "last.jsonl"), `\n${copy.join("")}`);
    mkdirSync(join(folder, which));
    writeFileSync(join(folder, which, "archived.json"), '{"archived":true}');
    await using store = await openStore("ephemeral:");
    const dry = await importConversations(store, [folder], { dryRun: true });
    const imported = await importConversations(store, [folder]);
    expect(imported.branches).toBe(branches);
    expect(reported(dry)).toEqual(reported(imported));
  });
});

it("says of a dry run what an import says of conversations that come again after many others", async () => {
  const source = join(tempFolder(), "conversations.json");
  const node = (id: string, parent: string | null, text: string) => {
    const content = { content_type: "text", parts: [text] };
    return { id, parent, children: [], message: { id, author: { role: "user" }, content, metadata: {} } };
  };
  const talk = (id: string, ...nodes: ReturnType<typeof node>[]) => ({
    ...{ id, conversation_id: id, title: `Talk ${id}`, create_time: 1.7e9, update_time: 1.7e9 },
    ...{ current_node: nodes.at(-1)?.id, mapping: Object.fromEntries(nodes.map((one) => [one.id, one])) },
  });
  const first = node("m1", null, "One");
  const others = Array.from({ length: 200 }, (_, index) => talk(`c${index}`, node("m1", null, "Hello")));
  const again = [first, node("m2", "m1", "Two"), node("m3", "m1", "Another two")];
  writeFileSync(
    source,
    JSON.stringify([talk("x", first, node("m2", "m1", "Two")), ...others, talk("x", ...again)]),
  );
  await using store = await openStore("ephemeral:");
  const dry = await importConversations(store, [source], { dryRun: true });
  const { imported, messages, branches, conversations } = await importConversations(store, [source]);
  expect(dry).toMatchObject({ messages: 203, branches: 1, conversations: 201 });
  expect({ messages, branches, conversations }).toEqual({ messages: 203, branches: 1, conversations: 201 });
  const sorted = (list: typeof imported) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(sorted(dry.imported)).toEqual(sorted(imported));
});

it("says of a dry run which session keys the conversations would have", async () => {
  await using store = await openStore("ephemeral:");
  const keys = async (dryRun: boolean): Promise<(string | null)[]> => {
    const { imported } = await importConversations(store, ["test/fixtures/openclaw/agents"], { dryRun });
    return imported.map(({ key }) => key).sort();
  };
  expect(await keys(true)).toEqual(await keys(false));
});

it("counts a message with a long output once in a dry run, as in an import", async () => {
  const session = "21000000-0000-4000-8000-000000000003";
  const folder = join(tempFolder(), "p");
  cpSync("test/fixtures/claude-code/2.1-session", folder, { recursive: true });
  cpSync(join(folder, `${session}.jsonl`), join(folder, "copy.jsonl"));
  await using store = await openStore("ephemeral:");
  const { messages, branches } = await importConversations(store, [folder], { dryRun: true });
  expect(await importConversations(store, [folder])).toMatchObject({ messages, branches });
});

describe("a file that is read twice in an import", () => {
  it.each([
    ["its session is found after it", "75d7a667.jsonl", false],
    ["the ledger of its first import is lost", "15d7a667.jsonl", true],
  ])("counts once: %s", async (_why, session, isLost) => {
    const fixture = "test/fixtures/claude-code/2.1.325-forks";
    const fork = "65d31212-1f61-4adc-bf8d-bbe74025d92e.jsonl";
    const folder = tempFolder();
    const target = join(tempFolder(), "store.db");
    await using store = await openStore(`sqlite:${target}`);
    cpSync(join(fixture, fork), join(folder, fork));
    appendFileSync(join(folder, fork), "{torn\n");
    const first = await importConversations(store, [folder]);
    expect(first).toMatchObject({ files: 1, skippedCount: 1 });
    if (isLost) rmSync(`${target}-imports`);
    cpSync(join(fixture, "d7a667f8-c48e-4891-a872-5f885776cfb7.jsonl"), join(folder, session));
    const steps: ImportProgress[] = [];
    const report = await importConversations(store, [folder], { onProgress: (step) => steps.push(step) });
    const sizes = [fork, session].map((name) => statSync(join(folder, name)).size);
    const bytes = sizes.reduce((sum, size) => sum + size);
    expect(report).toMatchObject({ joined: 1, files: 2, unchanged: 0, bytes, skippedCount: 1 });
    expect(report.skipped).toHaveLength(1);
    expect(steps.at(-1)).toMatchObject({ files: 2, filesTotal: 2, bytes: steps.at(-1)?.bytesTotal });
  });
});

it("counts a file without conversations once, also when it has not changed", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "notes.txt"), "Buy milk.\n");
  writeFileSync(join(folder, "empty.jsonl"), "");
  writeFileSync(join(folder, "a.jsonl"), line("1", null, "One"));
  await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`);
  expect(await importConversations(store, [folder])).toMatchObject({ files: 1, ignored: 1, empty: 1 });
  const again = await importConversations(store, [folder]);
  expect(again).toMatchObject({ files: 0, unchanged: 1, ignored: 1, empty: 1 });
});
