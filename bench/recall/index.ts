import type { BenchRow } from "../harness.ts";
import { catchingUp, queries, searchedAppend } from "./keyword.ts";
import { quality } from "./quality.ts";
import { vectors } from "./vectors.ts";

/** In the order of the targets. */
export const recallBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  append: searchedAppend,
  queries,
  "catch-up": catchingUp,
  vectors,
  quality,
};
