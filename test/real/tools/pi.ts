/** pi: a call with thinking, a model switch by flag, and a continued session. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";

const MODEL = { input: ["text"], contextWindow: 100_000, maxTokens: 4000, reasoning: true };
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export const MODELS: object = {
  providers: {
    local: {
      ...{ baseUrl: "http://127.0.0.1:8901/v1", apiKey: "none", api: "openai-completions" },
      models: ["small", "large"].map((id) => ({ id, name: id, ...MODEL, cost: COST })),
    },
  },
};

export async function drive(programs: string): Promise<void> {
  mkdirSync("/home/user/.pi/agent", { recursive: true });
  writeFileSync("/home/user/.pi/agent/models.json", JSON.stringify(MODELS));
  const say = (prompt: string, ...options: readonly string[]): void => {
    run(process.execPath, [join(programs, "pi"), "-p", "--provider", "local", ...options, prompt]);
  };
  say(
    'Look around @think Where am I? @tool bash {"command":"echo one"} @next @say One line.',
    "--model",
    "small",
  );
  say("Second prompt @say Second answer.", "--model", "large", "--continue");
}
