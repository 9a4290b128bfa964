import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/index.ts";
import { type BenchRow, median, sized } from "../harness.ts";
import { below, ENGINES } from "../rows.ts";

const COUNT = sized(100, 4);
const PATIENCE_MS = 10_000;

/** How long it takes until another process hears of an append. */
export async function changes(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    const target = `${engine}:${join(folder, `changes-${engine}`)}`;
    await using store = await openStore(target);
    const chat = await store.create();
    const child = fork(join(import.meta.dirname, "changes-child.ts"), [target]);
    await once(child, "message");
    const delays: number[] = [];
    child.on("message", (delay: number) => delays.push(delay));
    for (let index = 0; index < COUNT; index++) {
      await chat.append({ role: "user", content: String(performance.timeOrigin + performance.now()) });
      await sleep(5 + Math.random() * 40);
    }
    for (let waitedMs = 0; delays.length < COUNT && waitedMs < PATIENCE_MS; waitedMs += 10) await sleep(10);
    child.kill();
    if (delays.length !== COUNT) throw new Error(`${delays.length} of ${COUNT} changes arrived`);
    const work = `a change reaches another process (median of ${COUNT}), ${engine}`;
    rows.push(below(work, median(delays), 50, "ms"));
  }
  return rows;
}
