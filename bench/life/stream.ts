import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/index.ts";
import { type BenchRow, sized } from "../harness.ts";
import { below, ENGINES } from "../rows.ts";

const SECONDS = sized(5, 0.1);
const DELTAS_PER_SECOND = 200;

/** Processor time of 200 deltas a second, less that of doing nothing as often. */
export async function streaming(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    await using store = await openStore(`${engine}:${join(folder, `stream-${engine}`)}`);
    const chat = await store.create();
    const turn = await chat.beginTurn();
    await turn.delta("Warming up. ");
    const idle = await processorShare(() => {});
    const busy = await processorShare(() => void turn.delta("four or five words "));
    await turn.finish();
    rows.push(
      below(
        `journalling ${DELTAS_PER_SECOND} deltas a second, ${engine}`,
        (busy - idle) * 100,
        5,
        "% of a core",
      ),
    );
  }
  return rows;
}

async function processorShare(tick: () => void): Promise<number> {
  const before = process.cpuUsage();
  const start = performance.now();
  for (let count = 0; count < SECONDS * DELTAS_PER_SECOND; count++) {
    tick();
    await sleep(Math.max(0, start + ((count + 1) * 1000) / DELTAS_PER_SECOND - performance.now()));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - start);
}
