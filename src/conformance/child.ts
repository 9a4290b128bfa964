/**
 * One writer in a process of its own: opens the engine, appends numbered
 * messages and prints a line for each append that was acknowledged.
 */
import { writeSync } from "node:fs";
import { openStore } from "../store/open.ts";
import { LOCK_WAIT_MS } from "../util/wait.ts";
import type { ChildJob, EngineModule } from "./kit.ts";

const job: ChildJob = JSON.parse(process.argv[2] as string);
const module: EngineModule = await import(job.engine);
const engine = await module.open(job.folder, {
  readonly: false,
  durability: job.durability,
  lockWaitMs: LOCK_WAIT_MS,
  onProblem: () => {},
});
const store = await openStore(engine);
const chat = await store.open(job.key);
writeSync(1, `open ${chat.id}\n`);
for (let n = 0; n < job.count; n++) {
  const part = (index: number) => ({ role: "user" as const, content: `${job.writer} ${n} ${index}` });
  await chat.append(Array.from({ length: job.batch }, (_, index) => part(index)));
  // Straight to the pipe: what is printed here was acknowledged, even if the process dies right after.
  writeSync(1, `ack ${n}\n`);
}
await store.close();
