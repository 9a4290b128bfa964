/**
 * The command as a bundle. A short command spends most of its time finding and
 * reading files, so the code of everyday commands is in one file. Rare code has separate files.
 */
import { rolldown } from "rolldown";
import { EXTERNAL } from "./bundle-packages.ts";

/** Every command loads it. Dependencies follow their importer into its chunk. */
const CORE = /\/src\/(cli\/(main|commands\/sessions\/list)|store\/open|engine\/sqlite\/sqlite-engine)\.ts$/;
/** Loaded when there is a config file, and to read a setting. */
const CONFIG =
  /\/src\/(cli\/(store\/store-settings|commands\/config\/get)|state\/config\/steps\/[^/]+(?<!login-shell))\.ts$/;
/** Large, and used by few commands: never part of what other commands share. */
const RARE =
  /\/src\/(formats|engine\/jsonl|transcript|memory|agent|channel|gateway|util\/ai-sdk|cli\/commands\/(chat|channels|gateway|token))\/|\/node_modules\//;
/** Threads and processes are started by the name of their file. */
export const STARTED: Readonly<Record<string, string>> = {
  worker: "src/store/worker/worker.ts",
  "files-thread": "src/gateway/kept/files-thread.ts",
  "records-thread": "src/gateway/auth/changes/records-thread.ts",
  "copy-thread": "src/sqlite/copy-thread.ts",
  "verify-thread": "src/engine/sqlite/care/verify-thread.ts",
  "scrub-process": "src/sqlite/scrub-process.ts",
};

/** Write the command into a folder, as files that start without the sources. */
export async function bundleCommand(dir: string): Promise<void> {
  const bundle = await rolldown({
    input: { main: "src/cli/main.ts", ...STARTED },
    platform: "node",
    // Dependencies are installed beside the package, and loaded by the commands that need them.
    external: [EXTERNAL],
    checks: { ineffectiveDynamicImport: false },
    plugins: [{ name: "builtins-in-part", renderChunk: usedBuiltins }],
  });
  await bundle.write({
    dir,
    // Comments are a sixth of the text, and text in ASCII takes half the memory.
    comments: false,
    charset: "ascii",
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

/**
 * Take from the modules of Node what is used. An import reads every export once, and some of them
 * load further modules when they are read: streams and promises for `fs`, threads for `util`.
 */
function usedBuiltins(code: string): string {
  return code.replace(
    /^import (?:\* as (\w+)|(\{.*\})) from "(node:.*)";$/gm,
    (_line, whole: string | undefined, parts: string | undefined, name: string) =>
      `const ${whole ?? parts?.replaceAll(" as ", ": ")} = process.getBuiltinModule("${name}");`,
  );
}

function matches(pattern: RegExp): (id: string) => boolean {
  return (id) => pattern.test(id.replaceAll("\\", "/"));
}

function isShared(id: string): boolean {
  const path = id.replaceAll("\\", "/");
  return !RARE.test(path) && !Object.values(STARTED).some((file) => path.endsWith(file));
}
