import type { BenchRow } from "../harness.ts";
import { append } from "./append.ts";
import { fanOut } from "./fan-out.ts";
import { page } from "./page.ts";
import { stalled } from "./stalled.ts";
import { view } from "./view.ts";

/** In the order of the targets. */
export const gatewayBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  page,
  append,
  "fan-out": fanOut,
  stalled,
  view,
};
