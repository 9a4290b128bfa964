#!/usr/bin/env node
import "./require-node.js";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";

// Compiled code is kept between starts: most of the time of a short command is spent loading it.
nodeModule.enableCompileCache?.();
// A checkout runs its sources, a package what was built from them.
const source = new URL("../src/cli/main.ts", import.meta.url);
const { main } = await import(
  existsSync(source) ? source.href : new URL("../dist/command/main.js", import.meta.url).href
);
process.exitCode = await main(process.argv.slice(2));
