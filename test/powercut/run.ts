/**
 * `npm run powercut`: does what was acknowledged survive a power cut?
 *
 * A control with `durability: "process"`, which promises no such thing, must
 * lose something: otherwise the cut does not work and the zeros mean nothing.
 */
import { scriptOptions } from "../support/script-options.ts";
import { random } from "../torture/content.ts";
import type { EngineName } from "../torture/torture.ts";
import { obstacle } from "./image.ts";
import { cutAfterReplay, cutWhileWriting, type RoundResult } from "./rounds.ts";

const USAGE = `npm run powercut -- [--engine sqlite|jsonl] [--rounds N] [--seed S] [--quick]
  Cut the power of a file system while a writer acknowledges, N times per engine (default 10, with --quick 1).
  Needs Linux and root; says so and does nothing elsewhere.

Exit code 1 when something is wrong.`;

const values = scriptOptions(USAGE, {
  engine: { type: "string" },
  quick: { type: "boolean", default: false },
  rounds: { type: "string" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
});

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const KINDS = ["lost", "duplicated", "partial", "wrong"] as const;
/** With `--quick` the first loss is enough. */
const CONTROL_ROUNDS = 3;
const reason = obstacle();
if (reason !== undefined) {
  console.log(`POWERCUT CANNOT RUN HERE: ${reason}. Nothing was tested.`);
  process.exit(0);
}

const engines = (values.engine === undefined ? ["sqlite", "jsonl"] : [values.engine]) as EngineName[];
const next = random(Number(values.seed));
const rows: Record<string, Record<string, number>> = {};
let failed = false;

async function repeat(
  name: string,
  rounds: number,
  round: () => Promise<RoundResult>,
  kinds: readonly (typeof KINDS)[number][] = KINDS,
  untilLost = false,
): Promise<number> {
  const row: Record<string, number> = { rounds: 0, messages: 0, steps: 0 };
  for (const kind of kinds) row[kind] = 0;
  rows[name] = row;
  for (let done = 0; done < rounds; done++) {
    const result = await round().catch(
      (error: unknown): RoundResult => ({
        lost: [],
        duplicated: [],
        partial: [],
        wrong: [String(error)],
        messages: 0,
        steps: 0,
      }),
    );
    for (const kind of kinds) {
      row[kind] = (row[kind] ?? 0) + result[kind].length;
      for (const line of result[kind].slice(0, 3)) console.log(`  ${name}: ${kind}: ${line}`);
    }
    row.rounds = done + 1;
    row.messages = (row.messages ?? 0) + result.messages;
    row.steps = (row.steps ?? 0) + result.steps;
    console.log(
      `${name}: round ${done + 1} of ${rounds}, ${result.steps} writes acknowledged before the cut`,
    );
    if (untilLost && result.lost.length > 0) break;
  }
  return row.lost ?? 0;
}

console.log(`seed ${values.seed}`);
for (const engine of engines) {
  const cut = (durability: "full" | "process") => () =>
    cutWhileWriting({ engine, durability, seed: Math.floor(next() * 2 ** 32), delayMs: 20 + next() * 600 });
  await repeat(engine, Number(values.rounds ?? (values.quick ? 1 : 10)), cut("full"));
  await repeat(`${engine}, retry`, 1, () => cutAfterReplay(engine));
  const row = rows[engine] ?? {};
  const retry = rows[`${engine}, retry`] ?? {};
  if (KINDS.some((kind) => (row[kind] ?? 0) + (retry[kind] ?? 0) > 0)) failed = true;
  // Only losses count: that a log is shorter than its metadata says is expected of a control.
  const lost = await repeat(`${engine}, control`, CONTROL_ROUNDS, cut("process"), ["lost"], values.quick);
  if (lost === 0) {
    console.log(`${engine}: the control lost nothing, so this harness proves nothing here`);
    failed = true;
  }
}
console.table(rows);
process.exit(failed ? 1 : 0);
