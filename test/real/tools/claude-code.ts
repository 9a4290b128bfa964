/**
 * Claude Code: parallel calls, a fork, a compaction, a fork after it, and forks of the SDK; then, in a terminal, a
 * session with a name, a fork and a branch of it. Version 1 has no forks, but each resumed session is a new file.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run, type } from "./command.ts";

export const CLAUDE_ENVIRONMENT = {
  ANTHROPIC_BASE_URL: "http://127.0.0.1:8901",
  ANTHROPIC_API_KEY: "none",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  IS_SANDBOX: "1",
};

export async function drive(programs: string, tools: string, version: string): Promise<void> {
  const say = (prompt: string, ...options: readonly string[]): string => {
    const fixed = ["--output-format", "json", "--allowedTools", "Bash", "--model", "claude-sonnet-4-5"];
    const printed = run(join(programs, "claude"), ["-p", ...options, prompt, ...fixed], CLAUDE_ENVIRONMENT);
    return /"session_id":"([^"]+)"/.exec(printed)?.[1] ?? "";
  };
  const calls = '@tool Bash {"command":"echo one"} @tool Bash {"command":"echo two"}';
  const session = say(`Look around @think Where am I? @say Looking. ${calls} @next @say Two lines.`);
  if (version.startsWith("1.")) return drivenBefore2(join(programs, "claude"), say, session);
  say("In a fork @say Forked.", "--resume", session, "--fork-session");
  say("/compact", "--resume", session);
  say("After the compaction @say Still here.", "--resume", session);
  say("A fork after the compaction @say Forked late.", "--resume", session, "--fork-session");
  const sdk = await import(join(tools, "sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs"));
  const dir = process.cwd();
  const fork = await sdk.forkSession(session, { dir, title: "A named fork" });
  say("In the fork of the SDK @say Forked by the SDK.", "--resume", fork.sessionId);
  const second = await sdk.forkSession(fork.sessionId, { dir, title: "A fork of the fork" });
  say("In the fork of the fork @say Forked twice.", "--resume", second.sessionId);
  await drivenInTerminal(join(programs, "claude"));
}

type Say = (prompt: string, ...options: readonly string[]) => string;

async function drivenBefore2(claude: string, say: Say, session: string): Promise<void> {
  const resumed = say("Resumed @say Still here.", "--resume", session);
  say("Resumed from the beginning @say Another way.", "--resume", session);
  const task = { description: "Look", prompt: "Look around ~say Seen.", subagent_type: "general-purpose" };
  say(`Ask an agent @tool Task ${JSON.stringify(task)} @next @say Done.`);
  const typed = inTerminal(claude);
  await typed(["--resume", resumed], "/compact", "After the compaction @say Still here.");
}

type Typed = (options: readonly string[], ...lines: readonly string[]) => Promise<string>;

/** Returns the session that was written. */
function inTerminal(claude: string): Typed {
  // What a user is asked at the first start.
  const answers = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [CLAUDE_ENVIRONMENT.ANTHROPIC_API_KEY], rejected: [] },
    // Version 1 requires the list.
    projects: {
      [process.cwd()]: {
        hasTrustDialogAccepted: true,
        hasCompletedProjectOnboarding: true,
        allowedTools: [],
      },
    },
  };
  writeFileSync(join(homedir(), ".claude.json"), JSON.stringify(answers));
  return async (options, ...lines) => {
    const before = sessions();
    await type(claude, ["--model", "claude-sonnet-4-5", ...options], lines, CLAUDE_ENVIRONMENT);
    return sessions().find((name) => !before.includes(name)) ?? "";
  };
}

async function drivenInTerminal(claude: string): Promise<void> {
  const typed = inTerminal(claude);
  const session = await typed([], "First @say One.", "Second @say Two.", "/rename A name");
  await typed(["--resume", session, "--fork-session"], "In a typed fork @say Forked.");
  await typed(["--resume", session], "/branch A branch", "In the branch @say Branched.");
}

function sessions(): string[] {
  const folder = join(homedir(), ".claude", "projects", process.cwd().replaceAll("/", "-"));
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return names.map((name) => name.slice(0, -".jsonl".length));
}
