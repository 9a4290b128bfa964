import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Runs a program to its end and returns what it printed. */
export function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const { stdout, stderr, status } = spawnSync(program, args, {
    env: { ...process.env, PWD: process.cwd(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status !== 0) console.error(`${program} ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}

const START_MS = 5000;
const KEY_MS = 1000;
/** Long enough for an answer of the model. */
const LINE_MS = 5000;

/** Runs a program in a terminal, types lines, and ends it with Ctrl-C. */
export async function type(
  program: string,
  args: readonly string[],
  lines: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const command = `stty cols 160 rows 50; exec ${[program, ...args].map((word) => `'${word}'`).join(" ")}`;
  const child = spawn("script", ["--quiet", "--command", command, "/dev/null"], {
    env: { ...process.env, PWD: process.cwd(), TERM: "xterm-256color", ...env },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "close");
  await sleep(START_MS);
  for (const line of lines) {
    child.stdin.write(line);
    await sleep(KEY_MS);
    child.stdin.write("\r");
    await sleep(LINE_MS);
  }
  for (let count = 0; count < 3 && child.exitCode === null; count++) {
    child.stdin.write("\x03");
    await sleep(KEY_MS / 2);
  }
  await Promise.race([ended, sleep(LINE_MS)]);
  child.kill();
}
