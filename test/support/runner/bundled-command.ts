/** Bundles the command once for all tests of a run, in the layout of the package. */
import { cpSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { bundleCommand } from "../../../scripts/bundle-command.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The file that starts the command. */
    readonly command: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<void> {
  // Below the checkout, where the command finds its dependencies.
  const folder = resolve(".tmp", `command-${process.pid}`);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["bin", "package.json"]) cpSync(name, join(folder, name), { recursive: true });
  await bundleCommand(join(folder, "dist", "command"));
  provide("command", join(folder, "bin", "colloquy.js"));
  // For every process that a test starts: compiling the sources again takes most of a short process's time.
  process.env.NODE_COMPILE_CACHE = join(folder, "cache");
}
