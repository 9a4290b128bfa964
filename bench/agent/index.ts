import type { BenchRow } from "../harness.ts";
import { chatStart } from "./chat-start.ts";
import { chunker } from "./chunker.ts";
import { firstToken } from "./first-token.ts";
import { overhead } from "./loop.ts";
import { sessions } from "./sessions.ts";

/** In the order of the targets. */
export const agentBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  "first-token": firstToken,
  overhead,
  sessions,
  chunker,
  "chat-start": chatStart,
};
