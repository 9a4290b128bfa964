import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentLoop, type ChatModel, type ModelEvent } from "../../src/agent/index.ts";
import { openStore } from "../../src/index.ts";
import { textOf } from "../../src/message/text.ts";
import { type BenchRow, report, sized } from "../harness.ts";
import { ENGINES } from "../rows.ts";

const SESSIONS = sized(200, 3);
const PIECES = sized(100, 5);
/** As fast as a model writes. */
const PIECE_MS = 20;

/** 200 sessions stream at once: every delta must arrive, in order, on screen and in the store. */
export async function sessions(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    await using store = await openStore(`${engine}:${join(folder, `sessions-${engine}`)}`);
    const start = performance.now();
    const lost = await Promise.all(
      Array.from({ length: SESSIONS }, async (_, number) => {
        const loop = new AgentLoop({ store, key: `cli:session-${number}`, model: pacedModel(number) });
        let shown = "";
        await loop.run("question", { onDelta: (text) => (shown += text) });
        const stored = (await (await loop.conversation()).messages({ last: 1 })).items[0];
        const wanted = piecesOf(number).join("");
        return Number(shown !== wanted || stored === undefined || textOf(stored.message) !== wanted);
      }),
    );
    const dropped = lost.reduce((sum, one) => sum + one, 0);
    const seconds = (performance.now() - start) / 1000;
    rows.push(
      report({
        work: `${SESSIONS} sessions streaming at once, ${engine}`,
        ours: `${seconds.toFixed(1)} s`,
        bare: `${((PIECES * PIECE_MS) / 1000).toFixed(1)} s`,
        value: `${dropped} incomplete`,
        reach: "0 incomplete",
        ok: dropped === 0,
      }),
    );
  }
  return rows;
}

function piecesOf(session: number): string[] {
  return Array.from({ length: PIECES }, (_, index) => `${session}.${index} `);
}

function pacedModel(session: number): ChatModel {
  const pieces = piecesOf(session);
  async function* stream(): AsyncGenerator<ModelEvent, void, undefined> {
    const start = performance.now();
    for (const [index, text] of pieces.entries()) {
      await sleep(Math.max(0, start + index * PIECE_MS - performance.now()));
      yield { type: "text", text };
    }
    const usage = { inputTokens: 1, outputTokens: PIECES, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const content = [{ type: "text", text: pieces.join("") }];
    yield { type: "end", content, stopReason: "end", usage, model: "bench/paced" };
  }
  return { name: "bench/paced", contextWindow: 200_000, stream };
}
