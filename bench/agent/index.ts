import type { BenchRow } from "../harness.ts";
import { chunker } from "./chunker.ts";
import { overhead } from "./loop.ts";
import { sessions } from "./sessions.ts";

/** In the order of the targets. */
export const agentBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  overhead,
  sessions,
  chunker,
};
