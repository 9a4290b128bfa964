import type { BenchRow } from "../harness.ts";
import { command } from "./command.ts";
import { config } from "./config.ts";
import { loading, patching } from "./session-index.ts";

/** In the order of the targets. */
export const stateBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  config,
  load: loading,
  patch: patching,
  command,
};
