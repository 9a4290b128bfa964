/** Claude Code: parallel calls, a fork, a compaction, a fork after it, and forks of the SDK. */
import { join } from "node:path";
import { run } from "./command.ts";

export const CLAUDE_ENVIRONMENT = {
  ANTHROPIC_BASE_URL: "http://127.0.0.1:8901",
  ANTHROPIC_API_KEY: "none",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  IS_SANDBOX: "1",
};

export async function drive(programs: string, tools: string): Promise<void> {
  const say = (prompt: string, ...options: readonly string[]): string => {
    const fixed = ["--output-format", "json", "--allowedTools", "Bash", "--model", "claude-sonnet-4-5"];
    const printed = run(join(programs, "claude"), ["-p", ...options, prompt, ...fixed], CLAUDE_ENVIRONMENT);
    return /"session_id":"([^"]+)"/.exec(printed)?.[1] ?? "";
  };
  const calls = '@tool Bash {"command":"echo one"} @tool Bash {"command":"echo two"}';
  const session = say(`Look around @think Where am I? @say Looking. ${calls} @next @say Two lines.`);
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
}
