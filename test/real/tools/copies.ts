/** Claude Code and Codex continue copies of conversations that were never theirs. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportName } from "../../../src/formats/export/export-file.ts";
import { exportConversation } from "../../../src/formats/export/index.ts";
import { importConversations } from "../../../src/formats/import/run.ts";
import { openStore } from "../../../src/store/open.ts";
import { CLAUDE_ENVIRONMENT } from "./claude-code.ts";
import { CODEX_CONFIG } from "./codex.ts";
import { run } from "./command.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
/** One without a compaction, and one with. */
const SOURCES = ["gemini/0.61-resumed-twice.jsonl", "codex/0.166-forks", "claude-code/2.1.325-forks"];
const PROMPT = "Going on @say Gone on.";

export async function drive(_programs: string, tools: string): Promise<void> {
  mkdirSync("/home/user/.codex", { recursive: true });
  writeFileSync("/home/user/.codex/config.toml", CODEX_CONFIG);
  const claude = join(tools, "claude-code/node_modules/.bin/claude");
  const codex = join(tools, "codex/node_modules/.bin/codex");
  for (const source of SOURCES) {
    const session = await copy(source, "claude-code", "/home/user/.claude/projects/-home-user-project");
    run(claude, ["-p", "--resume", session.id, PROMPT, "--model", "claude-sonnet-4-5"], CLAUDE_ENVIRONMENT);
    tell(source, session);
    const rollout = await copy(source, "codex", "/home/user/.codex/sessions/2026/11/16");
    run(codex, ["exec", "--skip-git-repo-check", "resume", rollout.id, PROMPT]);
    tell(source, rollout);
  }
}

interface Copy {
  readonly id: string;
  readonly path: string;
  readonly text: string;
}

async function copy(source: string, to: "claude-code" | "codex", folder: string): Promise<Copy> {
  await using store = await openStore("ephemeral:");
  const { imported } = await importConversations(store, [join(FIXTURES, source)]);
  const { info } = await store.snapshot(imported[0]?.id ?? "");
  const text = (await Array.fromAsync(exportConversation(store, info.id, { to }))).join("");
  const path = join(folder, exportName(info, to));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
  return { id: /([\w-]{36})\.jsonl$/.exec(path)?.[1] ?? "", path, text };
}

/** The tool has appended to the file, and changed nothing in it. */
function tell(source: string, { path, text }: Copy): void {
  const now = readFileSync(path, "utf8");
  const isContinued = now.startsWith(text) && now.slice(text.length).includes("Gone on.");
  console.log(`${isContinued ? "continued" : "NOT CONTINUED"}: ${source} in ${path}`);
}
