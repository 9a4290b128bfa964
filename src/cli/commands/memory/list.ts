import type { Call, Result } from "../../command.ts";
import { givenNumber } from "../../input/integer.ts";
import { nextCommand } from "../../invocation.ts";
import { openedMemory } from "./open.ts";
import { chunkLines } from "./view.ts";

export async function run(call: Call): Promise<Result> {
  const { values, out } = call;
  const [source, limit, cursor] = [values.get("source"), givenNumber(call, "limit"), values.get("cursor")];
  await using opened = await openedMemory(call);
  const { items, cursor: next } = opened.memory.list({
    ...(source === undefined ? {} : { source }),
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const lines = items.flatMap((chunk) => chunkLines(out, chunk)).slice(0, -1);
  return {
    json: { chunks: items, cursor: next },
    lines: lines.length === 0 ? ["Memory is empty."] : lines,
    isLong: true,
    notes: next === null ? [] : [`More: ${nextCommand(`memory list --cursor ${next}`, values)}`],
  };
}
