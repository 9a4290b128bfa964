#!/usr/bin/env node
import "./require-node.js";

// Not imported: the import of a module reads all of its exports, and some of them load more modules.
const { existsSync } = process.getBuiltinModule("node:fs");
// Cache compiled code between starts: a short command spends most of its time loading code.
process.getBuiltinModule("node:module").enableCompileCache?.();
// A checkout runs its sources, a package the bundle.
const source = new URL("../src/cli/main.ts", import.meta.url);
const { main } = await import(
  existsSync(source) ? source.href : new URL("../dist/command/main.js", import.meta.url).href
);
process.exitCode = await main(process.argv.slice(2));
