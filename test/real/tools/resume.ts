/** Each tool writes a session, Colloquy imports it, the files are deleted, and the tool continues what was restored. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ImportReport } from "../../../src/formats/import/report.ts";
import type { Resumable } from "../../../src/formats/resume/resume.ts";
import { CLAUDE_ENVIRONMENT } from "./claude-code.ts";
import { CODEX_CONFIG } from "./codex.ts";
import { run } from "./command.ts";
import { GEMINI_ENVIRONMENT, GEMINI_SETTINGS } from "./gemini.ts";
import { CONFIG as OPENCODE_CONFIG } from "./opencode.ts";
import { MODELS as PI_MODELS } from "./pi.ts";

const HOME = "/home/user";
const COLLOQUY = join(import.meta.dirname, "../../../bin/colloquy.js");

interface Tool {
  readonly name: string;
  /** What has to be there, by path below the home folder. */
  readonly settings: Readonly<Record<string, string>>;
  /** The folder that is deleted, below the home folder. */
  readonly sessions: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it is told first, if that is more than a greeting. */
  readonly first?: string;
  /** The words that say something, in a new session or in one that is resumed. */
  say(prompt: string, session: string | undefined): readonly string[];
}

const AGENT = {
  description: "Look",
  prompt: "In the sub-agent ~say Looked.",
  subagent_type: "general-purpose",
};

const TOOLS: readonly Tool[] = [
  {
    name: "claude-code",
    settings: {},
    sessions: ".claude/projects",
    program: "claude-code/node_modules/.bin/claude",
    env: CLAUDE_ENVIRONMENT,
    first: `Hello @tool Agent ${JSON.stringify(AGENT)} @next @say Walnut.`,
    say: (prompt, session) => ["-p", ...(session === undefined ? [] : ["--resume", session]), prompt],
  },
  {
    name: "codex",
    settings: { ".codex/config.toml": CODEX_CONFIG },
    sessions: ".codex/sessions",
    program: "codex/node_modules/.bin/codex",
    env: {},
    say: (prompt, session) => [
      "exec",
      "--skip-git-repo-check",
      ...(session === undefined ? [] : ["resume", session]),
      prompt,
    ],
  },
  {
    name: "gemini",
    settings: { ".gemini/settings.json": JSON.stringify(GEMINI_SETTINGS) },
    sessions: ".gemini/tmp",
    program: "gemini/node_modules/.bin/gemini",
    env: GEMINI_ENVIRONMENT,
    say: (prompt, session) => [
      "-m",
      "gemini-2.5-pro",
      "--yolo",
      ...(session === undefined ? [] : ["--resume", session]),
      "-p",
      prompt,
    ],
  },
  {
    name: "opencode",
    settings: { ".config/opencode/opencode.json": JSON.stringify(OPENCODE_CONFIG) },
    sessions: ".local/share/opencode",
    program: "opencode/node_modules/.bin/opencode",
    env: {},
    say: (prompt, session) => [
      ...["run", "-m", "local/small"],
      ...(session === undefined ? [] : ["--session", session]),
      prompt,
    ],
  },
  {
    name: "pi",
    settings: { ".pi/agent/models.json": JSON.stringify(PI_MODELS) },
    sessions: ".pi/agent/sessions",
    program: "pi/node_modules/.bin/pi",
    env: {},
    say: (prompt, session) => [
      ...["-p", "--provider", "local", "--model", "small"],
      ...(session === undefined ? [] : ["--session", session]),
      prompt,
    ],
  },
];

export async function drive(_: string, tools: string): Promise<void> {
  for (const tool of TOOLS) {
    const program = join(tools, tool.program);
    if (existsSync(program)) console.log(`${tool.name}: ${continues(tool, program)}`);
  }
}

function continues({ name, settings, sessions, env, first, say }: Tool, program: string): string {
  for (const [path, text] of Object.entries(settings)) {
    mkdirSync(dirname(join(HOME, path)), { recursive: true });
    writeFileSync(join(HOME, path), text);
  }
  const folder = join(HOME, sessions);
  const colloquy = (...words: readonly string[]): string =>
    run(process.execPath, [COLLOQUY, ...words, "--state-dir", join(HOME, "state", name)]);
  run(program, say(first ?? "Hello @say Walnut.", undefined), env);
  const before = hashes(folder);
  const report = JSON.parse(colloquy("import", folder, "--json")) as ImportReport;
  const { id } = report.imported.find(({ sourceId }) => !sourceId.includes("/")) ?? { id: "" };
  rmSync(folder, { recursive: true });
  const { before: commands, command } = JSON.parse(colloquy("resume", id, "--json")) as Resumable;
  for (const [, ...words] of commands) run(program, words, env);
  if (hashes(folder) !== before) return `FAILED: the files are not the same\n${before}\n${hashes(folder)}`;
  const answer = run(program, say("Again @say Still here.", command.at(-1)), env);
  const restored = `${before === "" ? 0 : before.split("\n").length} files`;
  return answer.includes("Still here.")
    ? `continued by ${command.join(" ")} (${restored})`
    : `FAILED: ${answer}`;
}

function hashes(folder: string): string {
  const files = globSync("**/*.{jsonl,meta.json,txt}", { cwd: folder }).sort();
  return files.map((file) => `${file} ${hashOf(join(folder, file))}`).join("\n");
}

function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
