import { join } from "node:path";
import { openStore } from "../../src/index.ts";
import { alternate, type BenchRow, sized, timed } from "../harness.ts";
import { atMost, below, ENGINES } from "../rows.ts";
import { fill } from "../store/fill.ts";

const BUDGET = { maxTokens: 200_000 };
const KEEP = 200;

/** Over 10,000 messages; and with 100,000 against 1,000 messages before the last compaction. */
export async function context(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    await using store = await openStore(`${engine}:${join(folder, `context-${engine}`)}`, {
      durability: "process",
    });
    const plain = await store.create();
    await fill(plain, sized(10_000, 500));
    const [short, long] = [await store.create(), await store.create()];
    for (const [chat, length] of [
      [short, sized(1000, 500)],
      [long, sized(100_000, 1000)],
    ] as const) {
      await fill(chat, length);
      await chat.compact({ summarize: () => "What was said before.", keepMessages: KEEP });
    }
    const times = await alternate({
      plain: () => timed(5, () => plain.context(BUDGET)),
      short: () => timed(5, () => short.context(BUDGET)),
      long: () => timed(5, () => long.context(BUDGET)),
    });
    rows.push(
      below(`context over 10,000 messages, ${engine}`, times.plain / 1000, 20, "ms"),
      atMost(
        `context with 100,000 against 1,000 messages compacted, ${engine}`,
        times.long,
        times.short,
        1.3,
      ),
    );
  }
  return rows;
}
