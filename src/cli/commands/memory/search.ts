import { invalid } from "../../../errors.ts";
import type { FoundChunk, SearchMode } from "../../../memory/index.ts";
import type { Call, Result } from "../../command.ts";
import { givenNumber } from "../../input/integer.ts";
import { givenTime } from "../../input/time.ts";
import { openedMemory } from "./open.ts";
import { chunkLines } from "./view.ts";

const MODES: readonly string[] = ["keyword", "semantic", "hybrid"];

export async function run(call: Call): Promise<Result> {
  const { args, values, flags, out } = call;
  const mode = values.get("mode");
  if (mode !== undefined && !MODES.includes(mode)) {
    throw invalid(`--mode must be keyword, semantic or hybrid, not "${mode}"`, "mode");
  }
  const [limit, source] = [givenNumber(call, "limit"), values.get("source")];
  const [after, before] = [givenTime(call, "after"), givenTime(call, "before")];
  await using opened = await openedMemory(call);
  const found = await opened.memory.search(args[0] ?? "", {
    ...(mode === undefined ? {} : { mode: mode as SearchMode }),
    ...(limit === undefined ? {} : { limit }),
    ...(source === undefined ? {} : { source }),
    ...(after === undefined ? {} : { after: Date.parse(after) }),
    ...(before === undefined ? {} : { before: Date.parse(before) }),
  });
  const isExplained = flags.has("explain");
  const chunks = isExplained ? found.chunks : found.chunks.map(({ explain: _, ...chunk }) => chunk);
  const lines = found.chunks.flatMap((chunk) => {
    const shown = chunkLines(out, chunk, `  ${chunk.score.toFixed(3)}`);
    return isExplained ? [...shown.slice(0, -1), `  ${explanation(chunk)}`, ""] : shown;
  });
  return {
    json: { chunks, mode: found.mode, notice: found.notice },
    lines: lines.length === 0 ? ["Nothing found."] : lines.slice(0, -1),
    isLong: true,
    notes: found.notice === null ? [] : [found.notice],
  };
}

function explanation({ explain }: FoundChunk): string {
  return Object.entries(explain)
    .map(([part, value]) => `${part} ${value === null ? "–" : (value as number).toFixed(3)}`)
    .join(" · ");
}
