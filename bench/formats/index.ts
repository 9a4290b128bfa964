import type { BenchRow } from "../harness.ts";
import { corpus, grown, longFile, longLines, sessions, small } from "./import.ts";

/** In the order of the targets. */
export const formatsBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  corpus,
  sessions,
  small,
  grown,
  "long-lines": longLines,
  "long-file": longFile,
};
