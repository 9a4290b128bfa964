import { spawn } from "node:child_process";
import { join } from "node:path";
import { type BenchRow, median, sized } from "../harness.ts";
import { installCommand } from "../installed-command.ts";
import { below } from "../rows.ts";

const STARTS = sized(9, 1);
const REACH_MS = 250;
const CTRL_C = "\u0003";

/** From the start of the process to the prompt on a terminal, beyond what Node itself needs there. */
export async function chatStart(folder: string): Promise<BenchRow[]> {
  const command = installCommand(folder);
  const env = {
    ...process.env,
    SHELL: "/bin/sh",
    TERM: "xterm",
    COLLOQUY_STATE_DIR: join(folder, "chat-state"),
    NODE_COMPILE_CACHE: join(folder, "cache"),
  };
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = -1; round < STARTS; round++) {
    const times = [
      await untilShown("-e 'console.log(\"> \")'", env),
      await untilShown(`${command} chat`, env),
    ];
    // The first round fills the cache of compiled code.
    if (round < 0) continue;
    bare.push(times[0] as number);
    ours.push(times[1] as number);
  }
  const beyond = median(ours) - median(bare);
  return [below("`colloquy chat` ready for input, beyond the start of Node", beyond, REACH_MS, "ms", 0)];
}

/** Milliseconds until a prompt is shown. */
function untilShown(args: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    let shownMs: number | undefined;
    let output = "";
    const child = spawn("script", ["-qefc", `'${process.execPath}' ${args}`, "/dev/null"], { env });
    child.once("error", reject);
    // Bare Node may have ended before it is told to.
    child.stdin.on("error", () => {});
    child.stdout.on("data", (text) => {
      output += text;
      if (shownMs !== undefined || !output.includes("> ")) return;
      shownMs = performance.now() - startMs;
      child.stdin.write(CTRL_C + CTRL_C);
    });
    child.once("close", () => {
      if (shownMs === undefined) reject(new Error(`No prompt was shown: ${output}`));
      else resolve(shownMs);
    });
  });
}
