import type { BenchRow } from "../harness.ts";
import { vectors } from "./vectors.ts";

/** In the order of the targets. */
export const recallBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = { vectors };
