import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import { type ImportOptions, importConversations } from "./run.ts";

const CHAT = JSON.stringify({ messages: [{ role: "user", content: "An example" }] });
const FLAT = '{"role":"user","content":"An example","timestamp":"2026-01-01T00:00:00Z"}\n';
const SESSION = "claude-code/real-forks.jsonl";

/** A folder with these files: the text of each, or the name of a fixture. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (content.includes("{")) writeFileSync(path, content);
    else cpSync(join("test/fixtures", content), path);
  }
  return folder;
}

/** The formats of the conversations that are imported, and how many files are ignored. */
async function imported(path: string, options: ImportOptions = {}): Promise<[string[], number]> {
  await using store = await openStore("ephemeral:");
  const report = await importConversations(store, [path], options);
  expect(report.skipped).toEqual([]);
  return [[...new Set(report.imported.map(({ format }) => format))].sort(), report.ignored];
}

describe("the home of a tool", () => {
  const claude = (): string =>
    folderOf({
      ".claude/projects/-p/s.jsonl": SESSION,
      ".claude/plugins/marketplaces/m/evals/one.json": CHAT,
      ".claude/skills/s/examples/two.jsonl": FLAT,
    });

  it.each(["", ".claude"])(
    "has only sessions of the tool, also below a folder that has it: %j",
    async (name) => {
      expect(await imported(join(claude(), name))).toEqual([["claude-code"], 2]);
    },
  );

  it("has only sessions of the tool in the folder that the usual places name", async () => {
    const home = folderOf({ ".claude/projects/-p/s.jsonl": SESSION, ".claude/projects/-p/notes.json": CHAT });
    expect(await imported(join(home, ".claude/projects"))).toEqual([["claude-code"], 1]);
  });

  it("has damaged sessions of the tool, and no damaged documents of others", async () => {
    const damaged = '{ "messages": [ { "role": "user", "content": "Hi" } }, ]\n';
    const home = folderOf({ ".claude/evals/one.json": damaged, ".claude/projects/-p/s.jsonl": damaged });
    await using store = await openStore("ephemeral:");
    const { skipped, ignoredFiles } = await importConversations(store, [home]);
    expect(skipped.map(({ source }) => source)).toEqual([join(home, ".claude/projects/-p/s.jsonl")]);
    expect(ignoredFiles).toEqual([join(home, ".claude/evals/one.json")]);
  });

  it("has chats of anyone in a folder or file below it that the user names", async () => {
    expect(await imported(join(claude(), ".claude/plugins"))).toEqual([["openai-chat"], 0]);
    const file = join(claude(), ".claude/plugins/marketplaces/m/evals/one.json");
    expect(await imported(file)).toEqual([["openai-chat"], 0]);
  });

  it("has chats of anyone in what the user names after an import of all of it", async () => {
    const home = join(claude(), ".claude");
    await using store = await openStore(`sqlite:${join(tempFolder(), "s.db")}`);
    const formatsIn = async (name: string): Promise<string[]> => {
      const { imported } = await importConversations(store, [join(home, name)]);
      return imported.filter(({ added }) => added > 0).map(({ format }) => format);
    };
    expect(await formatsIn("")).toEqual(["claude-code"]);
    expect(await formatsIn("plugins/marketplaces/m/evals/one.json")).toEqual(["openai-chat"]);
    expect(await formatsIn("skills")).toEqual(["goclaw"]);
    expect(await importConversations(store, [home])).toMatchObject({ unchanged: 3, ignored: 0, messages: 0 });
  });

  it("has what the user says that it has", async () => {
    const home = folderOf({ ".claude/evals/one.json": CHAT });
    expect(await imported(home)).toEqual([[], 1]);
    expect(await imported(home, { format: "openai-chat" })).toEqual([["openai-chat"], 0]);
  });

  it.each([".codex", ".gemini", ".pi/agent", ".openclaw", ".local/share/opencode"])(
    "has no chats of others: %s",
    async (name) => {
      const home = folderOf({ [`${name}/plugins/one.json`]: CHAT });
      expect(await imported(home)).toEqual([[], 1]);
    },
  );

  it("has no databases of others", async () => {
    const home = folderOf({ ".codex/sessions/one.json": CHAT });
    const database = new DatabaseSync(join(home, ".codex/some.db"));
    database.exec(`CREATE TABLE sessions (id, channel); INSERT INTO sessions VALUES ('s', 'cli');
      CREATE TABLE messages (id, session_id, role, content); INSERT INTO messages VALUES (1, 's', 'user', 'Hi')`);
    database.close();
    expect(await imported(home)).toEqual([[], 2]);
  });

  it("has sessions of the tools that it runs", async () => {
    const home = folderOf({
      ".openclaw/agents/main/agent/codex-home/sessions/2026/01/01/r.jsonl": "codex/typed-lines.jsonl",
      ".openclaw/agents/main/agent/one.json": CHAT,
    });
    expect(await imported(home)).toEqual([["codex"], 1]);
  });

  it("may be in the home of another one", async () => {
    const home = folderOf({
      ".claude/plugins/data/.codex/sessions/2026/01/01/r.jsonl": "codex/typed-lines.jsonl",
    });
    expect(await imported(home)).toEqual([["codex"], 0]);
  });
});

it("A folder in nobody's home has chats in every shape", async () => {
  const folder = folderOf({ "claude/one.json": CHAT, "x.claude/two.json": CHAT });
  expect(await imported(folder)).toEqual([["openai-chat"], 0]);
});
