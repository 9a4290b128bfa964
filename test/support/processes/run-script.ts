import { spawn } from "node:child_process";
import { once } from "node:events";

export interface ScriptResult {
  readonly status: number | null;
  readonly output: string;
}

/** Start one of our own scripts as its user does, and collect all that it prints. */
export async function runScript(path: string, ...args: string[]): Promise<ScriptResult> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [status] = await once(child, "close");
  return { status, output };
}
