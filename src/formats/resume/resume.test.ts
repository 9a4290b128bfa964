import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { isRoot, lacks } from "../../../test/process/child-process.ts";
import { makeZip } from "../../../test/support/make-zip.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Json } from "../../util/json.ts";
import { importConversations } from "../import/run.ts";
import { type Resumable, resumeConversation } from "./resume.ts";

/** Imports one file, and continues its conversation with this home folder. */
async function resumed(name: string, lines: readonly Json[], home = tempFolder()): Promise<Resumable> {
  await using store = await openStore("ephemeral:");
  const path = join(tempFolder(), name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await importConversations(store, [join(path, "..")]);
  const [{ id } = { id: "" }] = await Array.fromAsync(store.list());
  return await resumeConversation(store, id, { home, data: join(home, "data"), environment: {} }, home);
}

const TIME = "2026-01-01T00:00:00.000Z";
const codex = (id: string): Json[] => [
  { timestamp: TIME, type: "session_meta", payload: { id, timestamp: TIME, cwd: "/tmp" } },
  {
    ...{ timestamp: TIME, type: "response_item" },
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
  },
];
const gemini = (id: string): Json[] => [
  { sessionId: id, projectHash: "a".repeat(32), startTime: TIME },
  { id: "m1", timestamp: TIME, type: "user", content: "hello" },
];

describe("an id that the command of the tool would take for an option", () => {
  it.each([
    ["Codex", codex("--dangerously-bypass-approvals-and-sandbox")],
    ["Gemini CLI", gemini("--yolo")],
  ])("is refused for %s, without a command", async (tool, lines) => {
    await expect(resumed("chats/some.jsonl", lines)).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
      message: expect.stringMatching(
        new RegExp(`^${tool} would take the id of this conversation, "--.*", for an option`),
      ),
    });
  });

  it("may have hyphens elsewhere", async () => {
    const { command } = await resumed("chats/some.jsonl", gemini("a--yolo"));
    expect(command).toEqual(["gemini", "--resume", "a--yolo"]);
  });
});

describe("what is where a file would be put back", () => {
  const SESSION = "21000000-0000-4000-8000-000000000003";
  const LINE = {
    ...{ type: "user", uuid: "u1", parentUuid: null, sessionId: SESSION, cwd: "/p", timestamp: TIME },
    message: { role: "user", content: "hello" },
  };

  /** What `resume` says about the file of the session, after `prepare` has put something into its place. */
  async function found(prepare: (path: string) => void): Promise<Resumable["files"][number]> {
    const home = tempFolder();
    const path = join(home, ".claude/projects/-p", `${SESSION}.jsonl`);
    mkdirSync(join(path, ".."), { recursive: true });
    prepare(path);
    const { files } = await resumed(`-p/${SESSION}.jsonl`, [LINE], home);
    expect(files).toMatchObject([{ path }]);
    return files[0] as Resumable["files"][number];
  }

  it("is the same if it is a file with the same bytes, or a link to one", async () => {
    const text = `${JSON.stringify(LINE)}\n`;
    expect(await found((path) => writeFileSync(path, text))).toMatchObject({ state: "same", notes: [] });
    const linked = (path: string): void => {
      writeFileSync(`${path}.real`, text);
      symlinkSync(`${path}.real`, path);
    };
    expect(await found(linked)).toMatchObject({ state: "same" });
  });

  it("is left as it is if it is a folder, or a link that leads nowhere", async () => {
    expect(await found((path) => mkdirSync(path))).toMatchObject({
      state: "differs",
      notes: ["What is there is not a plain file"],
    });
    expect(await found((path) => symlinkSync(join(path, "..", "gone"), path))).toMatchObject({
      state: "differs",
      notes: ["What is there is a link that leads nowhere"],
    });
  });

  it("is told if it is in place of a folder", async () => {
    const home = tempFolder();
    writeFileSync(join(home, ".claude"), "");
    await expect(resumed(`-p/${SESSION}.jsonl`, [LINE], home)).rejects.toMatchObject({
      code: "CONFLICT",
      message: `${join(home, ".claude")} is not a folder`,
    });
  });

  it.skipIf(lacks(process.platform !== "win32", "it has no pipes and devices in folders"))(
    "is not opened if it is a pipe or a device",
    async () => {
      const notes = ["What is there is not a plain file"];
      const pipe = (path: string): void => void execFileSync("mkfifo", [path]);
      expect(await found(pipe)).toMatchObject({ state: "differs", notes });
      const zero = (path: string): void => symlinkSync("/dev/zero", path);
      expect(await found(zero)).toMatchObject({ state: "differs", notes });
    },
  );

  it.skipIf(lacks(!isRoot && process.platform !== "win32", "the superuser reads every file"))(
    "is left as it is if it cannot be read",
    async () => {
      const locked = (path: string): void => writeFileSync(path, "secret", { mode: 0 });
      expect(await found(locked)).toMatchObject({
        state: "differs",
        notes: ["What is there cannot be read"],
      });
    },
  );
});

describe("a thread that Codex has archived", () => {
  const THREAD = "01a1e4e9-9672-7710-a8fc-e2208048df69";
  const NAME = `rollout-2026-11-16T15-11-16-${THREAD}.jsonl`;
  const continued = (home: string): Promise<Resumable> =>
    resumed(`archived_sessions/${NAME}`, codex(THREAD), home);
  const inArchive = (home: string): string => join(home, ".codex/archived_sessions", NAME);
  const amongOthers = (home: string): string => join(home, ".codex/sessions/2026/11/16", NAME);

  it.each([
    ["", "same"],
    ["more\n", "differs"],
  ])(
    "stays in the archive, from which Codex takes it first, if it is there and has more: %j",
    async (more, state) => {
      const home = tempFolder();
      mkdirSync(join(home, ".codex/archived_sessions"), { recursive: true });
      const text = codex(THREAD).map((line) => `${JSON.stringify(line)}\n`);
      writeFileSync(inArchive(home), `${text.join("")}${more}`);
      expect(await continued(home)).toMatchObject({
        files: [{ path: inArchive(home), state }],
        before: [["codex", "unarchive", THREAD]],
        command: ["codex", "resume", THREAD],
      });
      expect(existsSync(amongOthers(home))).toBe(false);
    },
  );

  it("is put back among the others if it is gone, and left in the archive if it is there as well", async () => {
    const home = tempFolder();
    const files = (state: string): object => ({ files: [{ path: amongOthers(home), state }], before: [] });
    expect(await continued(home)).toMatchObject(files("restored"));
    mkdirSync(join(home, ".codex/archived_sessions"), { recursive: true });
    writeFileSync(inArchive(home), "another");
    expect(await continued(home)).toMatchObject(files("same"));
  });
});

describe("the lines of sub-agents among those of their session", () => {
  const SESSION = "10000000-0000-4000-8000-000000000001";
  const whole = readFileSync("test/fixtures/claude-code/1.0-inline-sidechains.jsonl");

  it.each([false, true])(
    "are put back there, also if a copy with later times was read first: %j",
    async (isCopied) => {
      const folder = join(tempFolder(), "projects", "-p");
      const home = tempFolder();
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${SESSION}.jsonl`), whole);
      const [, , prompt = ""] = whole.toString().split("\n");
      const copy = prompt
        .replaceAll(SESSION, "00000000-0000-4000-8000-000000000001")
        .replaceAll("2026-03", "2026-04");
      if (isCopied) writeFileSync(join(folder, "00000000-0000-4000-8000-000000000001.jsonl"), `${copy}\n`);
      await using store = await openStore("ephemeral:");
      await importConversations(store, [folder]);
      const { id } = (await (await store.get(`claude-code:${SESSION}`))?.info()) ?? { id: "" };
      const roots = { home, data: join(home, "data"), environment: {} };
      const { files } = await resumeConversation(store, id, roots, home);
      const file = files.find(({ path }) => path.includes(SESSION));
      expect(file).toMatchObject({ state: "restored", notes: [] });
      expect(readFileSync(String(file?.path))).toEqual(whole);
    },
  );

  it("are put back with all other lines of the file if one of the sub-agents is continued", async () => {
    const folder = join(tempFolder(), "projects", "-p");
    const home = tempFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${SESSION}.jsonl`), whole);
    await using store = await openStore("ephemeral:");
    await importConversations(store, [folder]);
    const { id } = (await (await store.get(`claude-code:${SESSION}/sidechain-s1`))?.info()) ?? { id: "" };
    const roots = { home, data: join(home, "data"), environment: {} };
    const { files, command } = await resumeConversation(store, id, roots, home);
    expect(files).toMatchObject([{ state: "restored", notes: [] }]);
    expect(readFileSync(String(files[0]?.path))).toEqual(whole);
    expect(command).toEqual(["claude", "--resume", SESSION]);
  });
});

describe("a session that was in a zip", () => {
  const ID = "21000000-0000-4000-8000-000000000003";
  const THREAD = "01a1e4e9-9672-7710-a8fc-e2208048df69";
  const ROLLOUT = `rollout-2026-11-16T15-11-16-${THREAD}.jsonl`;
  const PROJECT = "a".repeat(32);
  const picture = {
    type: "base64",
    media_type: "image/png",
    data: "aGVsbG8=",
    name: `${ID}/pictures/one.png`,
  };
  const claude = {
    ...{ type: "user", uuid: "u1", parentUuid: null, sessionId: ID, cwd: "/p", timestamp: TIME },
    message: { role: "user", content: [{ type: "image", source: picture }] },
  };
  const pi = [
    { type: "session", version: 3, id: ID, timestamp: TIME, cwd: "/p" },
    { type: "message", id: "a1", parentId: null, timestamp: TIME, message: { role: "user", content: "hi" } },
  ];

  interface Case {
    readonly tool: string;
    readonly lines: readonly Json[];
    /** Names in the zip: from that of a file alone to the whole path below the home folder. */
    readonly members: readonly string[];
    /** Below the home folder. */
    readonly files: readonly string[];
  }

  const ends = (path: string, ...folders: readonly string[]): string[] =>
    folders.map((folder) => `${folder}${path}`);
  const CASES: readonly Case[] = [
    {
      ...{ tool: "Claude Code", lines: [claude] },
      members: ends(`${ID}.jsonl`, "", "-p/", "projects/-p/", ".claude/projects/-p/"),
      files: [`.claude/projects/-p/${ID}.jsonl`, `.claude/projects/-p/${ID}/pictures/one.png`],
    },
    {
      ...{ tool: "Codex", lines: codex(THREAD) },
      members: [
        ...ends(ROLLOUT, "", "archived_sessions/"),
        ...ends(`2026/11/16/${ROLLOUT}`, "", "sessions/", ".codex/sessions/"),
      ],
      files: [`.codex/sessions/2026/11/16/${ROLLOUT}`],
    },
    {
      ...{ tool: "Gemini CLI", lines: gemini(ID) },
      members: ends("garden/chats/s.jsonl", "", "tmp/", ".gemini/tmp/"),
      files: [".gemini/tmp/garden/chats/s.jsonl"],
    },
    {
      ...{ tool: "Gemini CLI", lines: gemini(ID) },
      members: ends("s.jsonl", "", "chats/"),
      files: [`.gemini/tmp/${PROJECT}/chats/s.jsonl`],
    },
    {
      ...{ tool: "pi", lines: pi },
      members: ends("s.jsonl", "", "--p--/", "sessions/--p--/", ".pi/agent/sessions/--p--/"),
      files: [".pi/agent/sessions/--p--/s.jsonl"],
    },
    {
      ...{ tool: "OpenClaw", lines: pi },
      members: ends(`agents/ada/sessions/${ID}.jsonl`, "", ".openclaw/"),
      files: [`.openclaw/agents/ada/sessions/${ID}.jsonl`],
    },
  ];

  /** Some are in folders that tools have, too. */
  const ZIPS = ["my sessions.zip", "sessions/a.zip", "projects/-x/a.zip", "tmp/a.ZIP", `${THREAD}.zip.bak`];

  const text = (lines: readonly Json[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const index = JSON.stringify({ "agent:ada:main": { sessionId: ID, updatedAt: 1 } });

  it.each(CASES.flatMap((one) => one.members.map((member) => ({ ...one, member }))))(
    "is put back into the folder of $tool, whatever folder the zip was in: $member",
    async ({ tool, lines, files, member }) => {
      for (const zip of ZIPS) {
        const [from, home] = [tempFolder(), tempFolder()];
        mkdirSync(join(from, zip, ".."), { recursive: true });
        const others =
          tool === "OpenClaw" ? [{ name: posix.join(member, "../sessions.json"), data: index }] : [];
        writeFileSync(join(from, zip), makeZip([{ name: member, data: text(lines) }, ...others]));
        await using store = await openStore("ephemeral:");
        await importConversations(store, [from]);
        const [{ id } = { id: "" }] = await Array.fromAsync(store.list());
        const again = (): Promise<Resumable> =>
          resumeConversation(store, id, { home, data: join(home, "data"), environment: {} }, home);
        const paths = files.map((file) => join(home, file));
        const [path = ""] = paths;
        expect(await again()).toMatchObject({
          tool,
          files: paths.map((one) => ({ path: one, state: "restored" })),
        });
        expect(readFileSync(path, "utf8")).toBe(text(lines));
        writeFileSync(path, "mine");
        expect((await again()).files[0]).toMatchObject({ path, state: "differs" });
        expect(readFileSync(path, "utf8")).toBe("mine");
      }
    },
  );

  it("is put back if another member has its name", async () => {
    const [from, home] = [tempFolder(), tempFolder()];
    const members = ["first", "second"].map((id) => ({ name: "chats/s.jsonl", data: text(gemini(id)) }));
    writeFileSync(join(from, "a.zip"), makeZip(members));
    await using store = await openStore("ephemeral:");
    await importConversations(store, [from]);
    const { id } = (await (await store.get("gemini:second"))?.info()) ?? { id: "" };
    const roots = { home, data: join(home, "data"), environment: {} };
    expect(await resumeConversation(store, id, roots, home)).toMatchObject({
      files: [{ path: join(home, ".gemini/tmp", PROJECT, "chats/s.jsonl"), state: "restored" }],
      command: ["gemini", "--resume", "second"],
    });
  });
});
