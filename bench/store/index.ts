import type { BenchRow } from "../harness.ts";
import { jsonlAppend, processAppend, sqliteAppend, sqliteMany, workerAppend } from "./append.ts";
import { commandStart } from "./command.ts";
import { growth, streaming } from "./growth.ts";
import { listing } from "./listing.ts";
import { allMessages, diskUse, lastMessages } from "./read.ts";

/** In the order of the targets. */
export const storeBench: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  "sqlite-append": sqliteAppend,
  "process-append": processAppend,
  "sqlite-64": sqliteMany,
  "jsonl-append": jsonlAppend,
  last: lastMessages,
  all: allMessages,
  list: listing,
  growth,
  disk: diskUse,
  stream: streaming,
  worker: workerAppend,
  command: commandStart,
};
