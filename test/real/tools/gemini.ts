/** Gemini CLI: a call, and two resumes, each of which writes all messages again. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";

export const GEMINI_ENVIRONMENT = { GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:8901", GEMINI_API_KEY: "none" };

export const GEMINI_SETTINGS = {
  general: { disableAutoUpdate: true, disableUpdateNag: true },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
};

export async function drive(programs: string): Promise<void> {
  mkdirSync("/home/user/.gemini", { recursive: true });
  writeFileSync("/home/user/.gemini/settings.json", JSON.stringify(GEMINI_SETTINGS));
  writeFileSync("notes.txt", "a file\n");
  const say = (prompt: string, ...options: readonly string[]): void => {
    const args = [join(programs, "gemini"), "-m", "gemini-2.5-pro", "--yolo", ...options, "-p", prompt];
    run(process.execPath, args, GEMINI_ENVIRONMENT);
  };
  const command = '@tool run_shell_command {"command":"echo one"}';
  say(`Look around @think Thinking @say Looking. ${command} @next @say One line.`);
  say("Second prompt @say Second answer.", "--resume", "latest");
  say('Third prompt @tool read_file {"file_path":"notes.txt"} @next @say Read it.', "--resume", "latest");
}
