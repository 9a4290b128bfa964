import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { QUICK } from "./harness.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Pack and unpack the package, as a user has it: built, and without its sources. Returns the path of its command.
 * With `--quick` that is the command of the checkout: packing builds, and other tests may do that at the same time.
 */
export function installCommand(folder: string): string {
  if (QUICK) return join(root, "bin", "colloquy.js");
  const installed = join(folder, "installed");
  mkdirSync(installed, { recursive: true });
  // Packing builds.
  const tarball = run("npm", ["pack", "--silent", "--pack-destination", folder], {}, root).trim();
  run("tar", ["-C", installed, "--strip-components=1", "-xzf", join(folder, tarball)]);
  return join(installed, "bin", "colloquy.js");
}

/** Run Node in a separate process. Returns its output. */
export function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  return run(process.execPath, args, env);
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
