/** opencode: a call, a continued session, and a fork of it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";

export const CONFIG = {
  autoupdate: false,
  share: "disabled",
  provider: {
    local: {
      npm: "@ai-sdk/openai-compatible",
      name: "local",
      options: { baseURL: "http://127.0.0.1:8901/v1", apiKey: "none" },
      models: { small: { name: "small" } },
    },
  },
};

export async function drive(programs: string): Promise<void> {
  mkdirSync("/home/user/.config/opencode", { recursive: true });
  writeFileSync("/home/user/.config/opencode/opencode.json", JSON.stringify(CONFIG));
  const say = (prompt: string, ...options: readonly string[]): string =>
    run(join(programs, "opencode"), ["run", "-m", "local/small", ...options, prompt]);
  say('Look around @tool bash {"command":"echo one","description":"one"} @next @say One line.');
  say("Second prompt @say Second answer.", "--continue");
  say("In a fork @say Forked.", "--continue", "--fork");
}
