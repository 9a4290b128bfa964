import type { Fix } from "../../doctor/finding.ts";
import { quoted } from "../../util/visible-text.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";

const SETTINGS = {
  store: "--store or COLLOQUY_STORE",
  "state-dir": "--state-dir or COLLOQUY_STATE_DIR",
} as const;

/** What to do, with a command that can be pasted. */
export function fixText({ text, command, shell, setting }: Fix, values: Call["values"]): string {
  if (setting !== undefined) return `${text} (${SETTINGS[setting]})`;
  if (command !== undefined) return `${text}: ${nextCommand(command.map(quoted).join(" "), values)}`;
  return shell === undefined ? text : `${text}: ${shell.map(quoted).join(" ")}`;
}
