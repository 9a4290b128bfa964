/** Bundles the threads of a store once for all tests of a run: every check of the worker engines starts several. */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { STARTED } from "../../../scripts/bundle-command.ts";

export default async function setup(): Promise<void> {
  const folder = resolve(".tmp", `worker-${process.pid}`);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const bundle = await rolldown({ input: STARTED, platform: "node", external: [/node_modules/] });
  await bundle.write({ dir: folder, entryFileNames: "[name].js" });
  process.env.COLLOQUY_TEST_WORKER = join(folder, "worker.js");
}
