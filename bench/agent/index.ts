import type { BenchRow } from "../harness.ts";
import { chunker } from "./chunker.ts";

/** In the order of the targets. */
export const agentBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  chunker,
};
