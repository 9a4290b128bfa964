/**
 * Rebuilds dist/: the library as compiled modules with types, and the command as
 * a bundle in dist/command.
 *
 * A short command spends most of its time finding and reading files, so the code
 * of everyday commands is in one file. Rare code has separate files.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { rolldown } from "rolldown";

/** Every command loads it. Dependencies follow their importer into its chunk. */
const CORE = /\/src\/(cli\/(main|commands\/sessions\/list)|store\/open|engine\/sqlite\/sqlite-engine)\.ts$/;
/** Loaded when there is a config file. */
const CONFIG = /\/src\/(cli\/store\/store-settings|state\/config\/steps\/[^/]+(?<!login-shell))\.ts$/;
/** Large, and used by few commands: never part of what other commands share. */
const RARE = /\/src\/(formats|engine\/jsonl|transcript)\//;
/** Threads and processes are started by the name of their file. */
const STARTED = {
  worker: "src/store/worker/worker.ts",
  "background-thread": "src/sqlite/background-thread.ts",
  "scrub-process": "src/sqlite/scrub-process.ts",
};

rmSync("dist", { recursive: true, force: true });
compileLibrary();
await bundleCommand();

function compileLibrary() {
  const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function bundleCommand() {
  const bundle = await rolldown({
    input: { main: "src/cli/main.ts", ...STARTED },
    platform: "node",
    // Dependencies are installed beside the package, and loaded by the commands that need them.
    external: [/^[^./]/],
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: "dist/command",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        { name: "core", test: matches(CORE), priority: 3 },
        { name: "config", test: matches(CONFIG), priority: 2 },
        { name: "shared", test: isShared, minShareCount: 2, priority: 1 },
      ],
    },
  });
}

/** @param {RegExp} pattern */
function matches(pattern) {
  return (/** @type {string} */ id) => pattern.test(id.replaceAll("\\", "/"));
}

/** @param {string} id */
function isShared(id) {
  const path = id.replaceAll("\\", "/");
  return !RARE.test(path) && !Object.values(STARTED).some((file) => path.endsWith(file));
}
