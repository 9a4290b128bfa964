import { spawnSync } from "node:child_process";

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
