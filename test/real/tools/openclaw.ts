/** OpenClaw: a call, a second prompt in the main session, a reset by `/new`, and a session that is deleted. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "./command.ts";

const MODEL = { input: ["text"], contextWindow: 100_000, maxTokens: 4000, reasoning: false };
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const CONFIG = {
  agents: { defaults: { model: { primary: "local/small" }, workspace: "/home/user/project" } },
  models: {
    mode: "replace",
    providers: {
      local: {
        ...{ baseUrl: "http://127.0.0.1:8901/v1", apiKey: "none", api: "openai-completions" },
        models: [{ id: "small", name: "small", ...MODEL, cost: COST }],
      },
    },
  },
  gateway: { mode: "local", bind: "loopback", auth: { mode: "token", token: "local-test" } },
};

const MAIN = "agent:main:main";
const SCRATCH = "agent:main:scratch-1";

export async function drive(programs: string): Promise<void> {
  mkdirSync("/home/user/.openclaw", { recursive: true });
  writeFileSync("/home/user/.openclaw/openclaw.json", JSON.stringify(CONFIG));
  const openclaw = (...words: readonly string[]): string =>
    run(process.execPath, [join(programs, "openclaw"), ...words]);
  const say = (prompt: string, key: string, ...options: readonly string[]): string =>
    openclaw("agent", ...options, "--timeout", "60", "--session-key", key, "--message", prompt);
  say("Hello @say Walnut.", MAIN, "--local");
  say("Elsewhere @say Scratch.", SCRATCH, "--local");
  const gateway = spawn(process.execPath, [join(programs, "openclaw"), "gateway", "run"], {
    stdio: "ignore",
  });
  await untilReady();
  say("Second prompt @say Second answer.", MAIN);
  say("/new", MAIN);
  say("After the reset @say Fresh.", MAIN);
  openclaw("sessions", "delete", SCRATCH, "--yes", "--json");
  gateway.kill();
  await once(gateway, "exit");
}

async function untilReady(): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    const answer = await fetch("http://127.0.0.1:18789/readyz").catch(() => undefined);
    if (answer?.ok === true) return;
    await sleep(1000);
  }
}
