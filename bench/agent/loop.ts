import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AgentLoop, type ChatModel, type ModelEvent } from "../../src/agent/index.ts";
import { openStore } from "../../src/index.ts";
import { alternate, type BenchRow, sized, timed } from "../harness.ts";
import { below, ENGINES } from "../rows.ts";

const TURNS = sized(40, 1);
const OVERHEAD_MAX_MS = 5;
const PIECES = 20;
const USAGE = { inputTokens: 10, outputTokens: 60, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Answers as fast as it is read: all that takes time is ours. */
function instantModel(pieces: number): ChatModel {
  const words = Array.from({ length: pieces }, (_, index) => `piece ${index}, `);
  async function* stream(): AsyncGenerator<ModelEvent, void, undefined> {
    for (const text of words) {
      await nextTurn();
      yield { type: "text", text };
    }
    const content = [{ type: "text", text: words.join("") }];
    yield { type: "end", content, stopReason: "end", usage: USAGE, model: "bench/instant" };
  }
  return { name: "bench/instant", contextWindow: 200_000, stream };
}

/** A turn with the loop and a durable store, less the same model without them. */
export async function overhead(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const model = instantModel(PIECES);
  const request = { messages: [{ role: "user", content: "question" }] } as const;
  for (const engine of ENGINES) {
    await using store = await openStore(`${engine}:${join(folder, `loop-${engine}`)}`);
    const { ours, bare } = await alternate({
      // A conversation for each block: reading a long history is another row.
      ours: () => {
        const loop = new AgentLoop({ store, model });
        return timed(TURNS, () => loop.run("question"));
      },
      bare: () =>
        timed(TURNS, async () => {
          let text = "";
          for await (const event of model.stream(request)) if (event.type === "text") text += event.text;
          return text;
        }),
    });
    const work = `loop and store for each turn, ${engine}`;
    rows.push(below(work, (ours - bare) / 1000, OVERHEAD_MAX_MS, "ms", 2));
  }
  return rows;
}
