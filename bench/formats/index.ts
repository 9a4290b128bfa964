import type { BenchRow } from "../harness.ts";
import { corpus, longFile, longLines } from "./import.ts";

/** In the order of the targets. */
export const formatsBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  corpus,
  "long-lines": longLines,
  "long-file": longFile,
};
