/**
 * Rebuilds dist/: the library as compiled modules with types, the command as a bundle in dist/command,
 * and the page of the gateway in dist/page.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { buildPage } from "./build-page.ts";
import { bundleCommand } from "./bundle-command.ts";
import { bundlePackages } from "./bundle-packages.ts";

rmSync("dist", { recursive: true, force: true });
compileLibrary();
await bundlePackages("dist");
await bundleCommand("dist/command");
await buildPage("dist/page");

function compileLibrary(): void {
  const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}
