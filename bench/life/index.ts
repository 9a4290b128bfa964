import type { BenchRow } from "../harness.ts";
import { repeated } from "./blobs.ts";
import { creating, reading } from "./branches.ts";
import { changes } from "./changes.ts";
import { context } from "./context.ts";
import { streaming } from "./stream.ts";
import { erasing, together } from "./waits.ts";

/** In the order of the targets. */
export const lifeBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  branch: creating,
  deep: reading,
  context,
  changes,
  stream: streaming,
  blobs: repeated,
  erasing,
  together,
};
