/** From the store back to the tool: the files as they were, and the command that continues. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { has, lacks } from "../process/child-process.ts";
import { makeZip } from "../support/make-zip.ts";
import { Place } from "./run-command.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const SESSION = "21000000-0000-4000-8000-000000000003";

interface Case {
  readonly tool: string;
  readonly fixture: string;
  /** Below the home folder. */
  readonly file: string;
  readonly command: readonly string[];
}

const CASES: readonly Case[] = [
  {
    tool: "Claude Code",
    fixture: `claude-code/2.1-session/${SESSION}.jsonl`,
    file: `.claude/projects/-home-mira-garden/${SESSION}.jsonl`,
    command: ["claude", "--resume", SESSION],
  },
  {
    tool: "Codex",
    fixture:
      "codex/0.166-forks/sessions/2026/11/16/rollout-2026-11-16T15-11-16-01a1e4e9-9672-7710-a8fc-e2208048df69.jsonl",
    file: ".codex/sessions/2026/11/16/rollout-2026-11-16T15-11-16-01a1e4e9-9672-7710-a8fc-e2208048df69.jsonl",
    command: ["codex", "resume", "01a1e4e9-9672-7710-a8fc-e2208048df69"],
  },
  {
    tool: "pi",
    fixture: "pi/v3-tree.jsonl",
    file: ".pi/agent/sessions/--home-mira-garden--/2026-01-01T00-00-00-000Z_a.jsonl",
    command: [
      "pi",
      "--session",
      "HOME/.pi/agent/sessions/--home-mira-garden--/2026-01-01T00-00-00-000Z_a.jsonl",
    ],
  },
  {
    tool: "Gemini CLI",
    fixture: "gemini/chats/session-2026-04-01T08-00-9e111000.jsonl",
    file: ".gemini/tmp/garden/chats/session-2026-04-01T08-00-9e111000.jsonl",
    command: ["gemini", "--resume", "9e111000-0000-4000-8000-000000000001"],
  },
];

async function imported(place: Place, { fixture, file }: Case) {
  const path = place.path("home", file);
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(FIXTURES, fixture), path);
  const env = { HOME: place.path("home") };
  const { imported: all } = await place.json(["import", place.path("home", file.split("/")[0] ?? "")], {
    env,
  });
  expect(all).toHaveLength(1);
  return { path, env, id: all[0].id as string, bytes: readFileSync(path) };
}

describe.each(CASES)("resume of a conversation of $tool", (tool) => {
  it("puts the file back as it was, and overwrites nothing", async () => {
    const place = new Place();
    const { path, env, id, bytes } = await imported(place, tool);
    const words = tool.command.map((word) => word.replace("HOME", env.HOME));
    const there = await place.json(["resume", id], { env });
    expect(there).toMatchObject({ tool: tool.tool, files: [{ path, state: "same" }], command: words });
    rmSync(join(env.HOME, tool.file.split("/")[0] ?? ""), { recursive: true });
    expect(await place.json(["resume", id], { env })).toMatchObject({
      files: [{ path, state: "restored", notes: [] }],
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    writeFileSync(path, "something else\n");
    const { files } = await place.json(["resume", id], { env });
    expect(files).toMatchObject([{ path, state: "differs" }]);
    expect(readFileSync(path, "utf8")).toBe("something else\n");
  });
});

it("finds the folder of a project that is not in the path", async () => {
  const place = new Place();
  const [claude] = CASES as [Case];
  cpSync(join(FIXTURES, claude.fixture), place.path(`${SESSION}.jsonl`));
  const env = { HOME: place.path("home") };
  const { imported: all } = await place.json(["import", place.path(`${SESSION}.jsonl`)], { env });
  const { files, cwd } = await place.json(["resume", all[0].id], { env });
  const project = (cwd as string).replaceAll(/[^A-Za-z0-9]/g, "-");
  expect(files).toMatchObject([
    { path: join(env.HOME, ".claude/projects", project, `${SESSION}.jsonl`), state: "restored" },
  ]);
  // The folder is of another machine.
  const { stdout } = await place.run(["resume", all[0].id], { env });
  expect(stdout).toMatch(/The folder .* does not exist.*To continue:\n {2}claude --resume/s);
});

it("writes nothing outside of the folder of the tool", async () => {
  const place = new Place();
  const [claude] = CASES as [Case];
  const data = readFileSync(join(FIXTURES, claude.fixture));
  const name = `projects/../../../../-escaped/${SESSION}.jsonl`;
  writeFileSync(place.path("their.zip"), makeZip([{ name, data }]));
  const env = { HOME: place.path("home") };
  const { stdout } = await place.run(["import", place.path("their.zip"), "--json"], { env });
  const [first] = JSON.parse(stdout).imported as { id: string }[];
  // The import may refuse the name; if it takes the file, it must come back below the folder of the tool.
  if (first === undefined) return;
  const { files } = await place.json(["resume", first.id], { env });
  for (const { path } of files as { path: string }[])
    expect(path).toContain(join(env.HOME, ".claude/projects/"));
  expect(existsSync(place.path("-escaped"))).toBe(false);
});

it("makes no file whose name a message made up, except in the folder of the session", async () => {
  const place = new Place();
  const source = { type: "base64", media_type: "image/png", data: Buffer.from("forged").toString("base64") };
  const image = (name: string): object => ({ type: "image", source: { ...source, name } });
  const own = `${SESSION}/pictures/one.png`;
  const content = ["memory/MEMORY.md", "../-other/memory/MEMORY.md", own].map(image);
  const line = {
    ...{ parentUuid: null, sessionId: SESSION, type: "user", uuid: "21000000-0000-4000-8000-000000000099" },
    ...{ timestamp: "2026-01-01T00:00:00.000Z", cwd: "/home/mira/garden", version: "2.1.0" },
    message: { role: "user", content },
  };
  const env = { HOME: place.path("home") };
  writeFileSync(place.path(`${SESSION}.jsonl`), `${JSON.stringify(line)}\n`);
  const { imported: all } = await place.json(["import", place.path(`${SESSION}.jsonl`)], { env });
  const { files } = await place.json(["resume", all[0].id], { env });
  const folder = join(env.HOME, ".claude/projects/-home-mira-garden");
  expect(files.map(({ path }: { path: string }) => relative(folder, path))).toEqual([
    `${SESSION}.jsonl`,
    own,
  ]);
});

it("continues the fork whose branch is checked out, and restores all files", async () => {
  const place = new Place();
  const folder = place.path("home/.claude/projects/-home-user-project");
  cpSync(join(FIXTURES, "claude-code/1.0.100-resume"), folder, { recursive: true });
  const env = { HOME: place.path("home") };
  const { imported: all } = await place.json(["import", folder], { env });
  expect(all).toHaveLength(1);
  const names = readdirSync(folder);
  rmSync(folder, { recursive: true });
  const { files, command } = await place.json(["resume", all[0].id], { env });
  expect(files.map(({ path }: { path: string }) => basename(path)).sort()).toEqual(names.sort());
  expect(command).toEqual(["claude", "--resume", "5be62d01-6ff0-43c2-bce3-b65540ea03f9"]);
});

it("continues a fork by the id that its tool shows, although the conversation has another", async () => {
  const place = new Place();
  const folder = place.path("home/.claude/projects/-home-user-project");
  cpSync(join(FIXTURES, "claude-code/2.1.325-forks"), folder, { recursive: true });
  const env = { HOME: place.path("home") };
  const { imported: all } = await place.json(["import", folder], { env });
  const fork = "9feb4f89-8240-4918-824d-1fc4b832234f";
  for (const name of [fork, `claude-code:${fork}`, fork.slice(0, 8)]) {
    const { id, command } = await place.json(["resume", name], { env });
    expect({ id, command }).toEqual({ id: all[0].id, command: ["claude", "--resume", fork] });
  }
  expect((await place.failure(["resume", "9feb4f89-0000"], { env })).error.code).toBe("NOT_FOUND");
});

it("restores the names that the user gave a session and its forks, also if they are the same", async () => {
  const place = new Place();
  const folder = place.path("home/.claude/projects/-home-user-project");
  cpSync(join(FIXTURES, "claude-code/2.1.325-typed-forks"), folder, { recursive: true });
  const fork = join(folder, "014eaf79-925d-4411-be15-3f5d3603a4f6");
  mkdirSync(fork);
  const name = readFileSync(join(folder, "d6f124e5-6acc-4979-b52f-01060476dc59", "custom-title.json"));
  for (const other of [fork, join(folder, "af04e36a-6af9-42d4-bd20-082510076d2b")]) {
    writeFileSync(join(other, "custom-title.json"), name);
  }
  writeFileSync(join(fork, "archived.json"), '{"archived":true,"at":"2026-11-16T16:47:32.575Z","by":"sdk"}');
  const env = { HOME: place.path("home") };
  const { imported: all } = await place.json(["import", folder], { env });
  const before = filesIn(folder);
  rmSync(folder, { recursive: true });
  await place.json(["resume", all[0].id], { env });
  expect(filesIn(folder)).toEqual(before);
});

/** Every file below a folder, by its path in there. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    names
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [relative(folder, path), readFileSync(path, "latin1")]),
  );
}

describe("the files of a session with sub-agents", () => {
  it.each([
    ["in their folder", "claude-code/2.1-session", ".claude/projects/-home-mira-garden"],
    ["beside the session", "claude-code/2.0-agent-files", ".claude/projects/-home-mira-garden"],
    ["in a folder of their parent, of Gemini CLI", "gemini/chats", ".gemini/tmp/garden/chats"],
  ])("that are %s are all restored", async (_, fixture, below) => {
    const place = new Place();
    const folder = place.path("home", below);
    cpSync(join(FIXTURES, fixture), folder, { recursive: true });
    const before = filesIn(folder);
    const env = { HOME: place.path("home") };
    const root = place.path("home", below.split("/")[0] ?? "");
    const { imported: all } = await place.json(["import", root], { env });
    rmSync(root, { recursive: true });
    const main = all.find(({ key }: { key: string }) => !/agent-|explorer/.test(key));
    const { files } = await place.json(["resume", main.id], { env });
    expect(files).toHaveLength(Object.keys(before).length);
    expect(filesIn(folder)).toEqual(before);
    // Nothing that is there is written again.
    const again = await place.json(["resume", main.id], { env });
    expect(new Set(again.files.map(({ state }: { state: string }) => state))).toEqual(new Set(["same"]));
  });

  it("are restored when the folder of the project is not in the path", async () => {
    const place = new Place();
    cpSync(join(FIXTURES, "claude-code/2.1-session"), place.path("copied"), { recursive: true });
    const env = { HOME: place.path("home") };
    const { imported: all } = await place.json(["import", place.path("copied")], { env });
    const main = all.find(({ key }: { key: string }) => !key.includes("agent-"));
    const { cwd } = await place.json(["resume", main.id], { env });
    const project = (cwd as string).replaceAll(/[^A-Za-z0-9]/g, "-");
    expect(filesIn(join(env.HOME, ".claude/projects", project))).toEqual(filesIn(place.path("copied")));
  });

  it("are exported as they were, with the files beside them", async () => {
    const place = new Place();
    cpSync(join(FIXTURES, "claude-code/2.1-session"), place.path("copied"), { recursive: true });
    await place.json(["import", place.path("copied")]);
    const out = place.path("out");
    const { exported } = await place.json(["export", "--all", "--to", "original", "--out", out]);
    expect(exported.every(({ isExact }: { isExact: boolean }) => isExact)).toBe(true);
    expect(filesIn(out)).toEqual(filesIn(place.path("copied")));
  });
});

it("exports messages that were in files as those files", async () => {
  const place = new Place();
  cpSync(join(FIXTURES, "opencode/storage"), place.path("storage"), { recursive: true });
  const before = filesIn(place.path("storage"));
  await place.json(["import", place.path("storage")]);
  const out = place.path("out");
  const { exported } = await place.json(["export", "--all", "--to", "original", "--out", out]);
  expect(exported.every(({ isExact }: { isExact: boolean }) => isExact)).toBe(true);
  const after = filesIn(out);
  expect(before).toMatchObject(after);
  const rest = Object.keys(before).filter((name) => !(name in after));
  // A part without its message, and a project: no conversation has them.
  expect(rest).toEqual(["part/msg_lost/prt_99.json", "project/proj1.json"]);
});

describe("a session that opencode keeps in its database", () => {
  function withDatabase(place: Place): { env: { HOME: string; XDG_DATA_HOME: string }; path: string } {
    const env = { HOME: place.path("home"), XDG_DATA_HOME: place.path("data") };
    mkdirSync(place.path("data/opencode"), { recursive: true });
    const path = place.path("data/opencode/opencode.db");
    const database = new DatabaseSync(path);
    database.exec(readFileSync(join(FIXTURES, "opencode/1.18.33-continued-and-forked.sql"), "utf8"));
    database.close();
    return { env, path };
  }

  it("is not touched while it is there", async () => {
    const place = new Place();
    const { env, path } = withDatabase(place);
    const { imported: all } = await place.json(["import", path], { env });
    const found = await place.json(["resume", all[0].id], { env });
    expect(found).toMatchObject({ tool: "opencode", files: [], before: [], cwd: "/home/user" });
    expect(found.command).toEqual(["opencode", "--session", all[0].sourceId]);
  });

  it("comes back by its own import, from a file with all of its messages", async () => {
    const place = new Place();
    const { env, path } = withDatabase(place);
    const { imported: all } = await place.json(["import", path], { env });
    rmSync(place.path("data"), { recursive: true });
    const { files, before } = await place.json(["resume", all[0].id], { env });
    expect(files).toMatchObject([{ state: "restored", notes: [] }]);
    expect(before).toEqual([["opencode", "import", files[0].path]]);
    // What opencode exports is what it imports.
    const other = place.path("other");
    const again = await place.json(["import", files[0].path, "--state-dir", other], { env });
    expect(again.imported).toMatchObject([{ id: all[0].id, messages: all[0].messages, title: all[0].title }]);
    const { files: same } = await place.json(["resume", all[0].id], { env });
    expect(same).toMatchObject([{ path: files[0].path, state: "same" }]);
    const { stdout } = await place.run(["resume", all[0].id], { env });
    expect(stdout).toMatch(/To continue:\n {2}opencode import \S+\n {2}opencode --session/);
  });
});

it("puts a session of the JSON files of opencode back by its own import, unless opencode has it", async () => {
  const place = new Place();
  const data = place.path("data");
  const env = { HOME: place.path("home"), XDG_DATA_HOME: data };
  cpSync(join(FIXTURES, "opencode/storage"), join(data, "opencode/storage"), { recursive: true });
  const { imported: all } = await place.json(["import", join(data, "opencode")], { env });
  const { id, messages } = all.find(({ sourceId }: { sourceId: string }) => sourceId === "ses_a");
  expect(await place.json(["resume", id], { env })).toMatchObject({
    files: [],
    before: [],
    notes: [NO_FOLDER],
  });
  rmSync(data, { recursive: true });
  const { files, before, notes } = await place.json(["resume", id], { env });
  expect(before).toEqual([["opencode", "import", files[0].path]]);
  expect(notes).toEqual([NO_FOLDER]);
  const state = ["--state-dir", place.path("other")];
  const { imported: again } = await place.json(["import", files[0].path, ...state], { env });
  expect(again).toMatchObject([{ id, messages, title: "Plant beans" }]);
  // Its messages are there, but not the session.
  const { notes: told } = await place.json(["resume", "opencode:ses_gone"], { env });
  expect(told[0]).toBe("Not everything can be put back: opencode must still have the session");
});

const NO_FOLDER = "The folder /home/rosa/garden does not exist: run it in a folder of the project";

it("says that a session in the database of OpenClaw is not put back, and names it as OpenClaw does", async () => {
  const place = new Place();
  const env = { HOME: place.path("home") };
  const folder = place.path("home/.openclaw/agents/main/agent");
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "openclaw-agent.sqlite"));
  database.exec(readFileSync(join(FIXTURES, "openclaw/2026.9.6-reset-and-deleted.sql"), "utf8"));
  database.close();
  await place.json(["import", folder], { env });
  const { command, files, notes } = await place.json(["resume", "agent:main:scratch-1"], { env });
  expect({ command, files }).toEqual({
    command: ["openclaw", "tui", "--session", "agent:main:scratch-1"],
    files: [],
  });
  expect(notes[0]).toBe("Not everything can be put back: OpenClaw must still have the session");
});

it("refuses a session that OpenClaw has reset: no key leads to it", async () => {
  const place = new Place();
  const env = { HOME: place.path("home") };
  const folder = place.path("home/.openclaw/agents");
  cpSync(join(FIXTURES, "openclaw/agents"), folder, { recursive: true });
  await place.json(["import", folder], { env });
  const { error } = await place.failure(["resume", "openclaw:7d0c2a8e-1111-4000-8000-000000000003"], { env });
  expect(error.code).toBe("NOT_SUPPORTED");
  expect(error.message).toMatch(/^OpenClaw has no command .* Use colloquy export to write a file$/);
});

it("refuses a session that OpenClaw has reset since it was imported: the store has marked its key", async () => {
  const place = new Place();
  const env = { HOME: place.path("home") };
  const folder = place.path("home/.openclaw/agents/main/sessions");
  cpSync(join(FIXTURES, "openclaw/agents/main/sessions"), folder, { recursive: true });
  await place.json(["import", folder], { env });
  const [old, next] = ["7d0c2a8e-1111-4000-8000-000000000001", "7d0c2a8e-1111-4000-8000-000000000009"];
  renameSync(join(folder, `${old}.jsonl`), join(folder, `${old}.jsonl.reset.2026-03-04T09-00-00.000Z`));
  const lines = [
    { type: "session", version: 3, id: next, timestamp: "2026-03-04T09:00:00.000Z", cwd: "/" },
    {
      ...{ type: "message", id: "n1", parentId: null, timestamp: "2026-03-04T09:00:01.000Z" },
      message: { role: "user", content: "After the reset" },
    },
  ];
  writeFileSync(join(folder, `${next}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const index = join(folder, "sessions.json");
  writeFileSync(index, readFileSync(index, "utf8").replaceAll(old, next));
  await place.json(["import", folder], { env });
  const { items } = await place.json(["sessions", "list"], { env });
  const marked = items.find(({ key }: { key: string }) => key.startsWith("agent:main:main~"));
  expect((await place.failure(["resume", marked.id], { env })).error.code).toBe("NOT_SUPPORTED");
  const { command } = await place.json(["resume", "agent:main:main"], { env });
  expect(command).toEqual(["openclaw", "tui", "--session", "agent:main:main"]);
});

it("says what its tool does not know", async () => {
  const place = new Place();
  const { id, env } = await imported(place, CASES[0] as Case);
  await place.json(["sessions", "append", id, "--role", "user", "--content", "one more"], { env });
  const { notes } = await place.json(["resume", id], { env });
  expect(notes[0]).toBe("Claude Code does not know the newest message, which was added here");
});

it("refuses a conversation that no tool can continue", async () => {
  const place = new Place();
  await place.json(["sessions", "append", "cli:mine", "--role", "user", "--content", "hello"]);
  const { code, error } = await place.failure(["resume", "cli:mine"]);
  expect([code, error.code]).toEqual([1, "NOT_FOUND"]);
});

it.skipIf(lacks(process.platform !== "win32" && has("sh"), "the tool is a script"))(
  "starts the tool in the folder of the conversation, and returns its exit code",
  async () => {
    const place = new Place();
    const { id, env } = await imported(place, CASES[0] as Case);
    const bin = place.path("bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), `#!/bin/sh\nprintf '%s ' "$@" > '${place.path("started")}'\nexit 7\n`);
    chmodSync(join(bin, "claude"), 0o755);
    const { code } = await place.run(["resume", id, "--run"], {
      env: { ...env, PATH: `${bin}:${process.env.PATH}` },
    });
    expect(code).toBe(7);
    expect(readFileSync(place.path("started"), "utf8")).toBe(`--resume ${SESSION} `);
    const missing = await place.run(["resume", id, "--run"], {
      env: { ...env, PATH: place.path("nothing") },
    });
    expect(missing.stderr).toContain("Claude Code is not installed");
  },
);
