/** What is read of the rollouts that others continue. */
import { describe, expect, it } from "vitest";
import { surroundings } from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { Base } from "../../contract/format.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { codexBase } from "./base.ts";

/** Each rollout has a prompt and continues the one before, all of it. */
const PROMPT = 1;
const COUNT = 20;

const idOf = (number: number): string => `019a0000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const nameOf = (number: number): string => `./rollout-2026-10-01T10-00-00-${idOf(number)}.jsonl`;

function rollout(number: number, text: string): readonly JsonObject[] {
  const before = { thread_id: idOf(number - 1), end_ordinal_exclusive: PROMPT + 1 };
  const meta = { id: idOf(number), ...(number > 0 && { history_base: before }) };
  const said = { type: "message", role: "user", content: [{ type: "input_text", text }] };
  return [
    { type: "session_meta", ordinal: 0, payload: meta },
    { type: "response_item", ordinal: PROMPT, payload: said },
    { type: "event_msg", ordinal: PROMPT + 1, payload: { type: "user_message", message: "later" } },
  ];
}

/** The bases of these rollouts, and the prompts that were read for that. */
async function basesOf(
  rollouts: readonly (readonly JsonObject[])[],
  numbers: Iterable<number>,
  findings = new FoundBefore(),
): Promise<{ readonly bases: readonly (Base | undefined)[]; readonly prompts: readonly string[] }> {
  const textOf = (lines: readonly JsonObject[]): string =>
    lines.map((line) => JSON.stringify(line)).join("\n");
  const files = Object.fromEntries(rollouts.map((lines, number) => [nameOf(number), textOf(lines)]));
  const [bases, prompts]: [(Base | undefined)[], string[]] = [[], []];
  for (const number of numbers) {
    const around = surroundings(nameOf(number), files);
    const watched = {
      ...around,
      async *records(name: string) {
        for await (const record of around.records(name)) {
          if (record.line === PROMPT + 1) prompts.push(name);
          yield record;
        }
      },
    };
    bases.push(await codexBase(rollouts[number] ?? [], watched, findings));
  }
  return { bases, prompts };
}

describe("a chain of rollouts, each of which continues the one before", () => {
  const chain = Array.from({ length: COUNT }, (_, number) => rollout(number, `prompt ${number}`));

  it.each([
    ["oldest", [...chain.keys()]],
    ["newest", [...chain.keys()].toReversed()],
  ])("is read once, %s first", async (_, numbers) => {
    const { bases, prompts } = await basesOf(chain, numbers);
    expect(prompts).toHaveLength(COUNT - 1);
    expect(new Set(prompts).size).toBe(COUNT - 1);
    const alone = await Promise.all(numbers.map((number) => basesOf(chain, [number])));
    expect(bases).toEqual(alone.flatMap((one) => one.bases));
  });

  it("is read again where one that comes before has changed", async () => {
    const findings = new FoundBefore();
    const [last] = [...chain.keys()].slice(-1);
    const before = await basesOf(chain, [last ?? 0], findings);
    const changed = chain.with(1, rollout(1, "something else"));
    const after = await basesOf(changed, [last ?? 0], findings);
    expect(after.bases).toEqual((await basesOf(changed, [last ?? 0])).bases);
    expect(after.bases).not.toEqual(before.bases);
    expect(after.prompts).toHaveLength(COUNT - 2);
  });
});
