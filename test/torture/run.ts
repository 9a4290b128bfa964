/** `npm run torture`: kill writers and count what was lost, or let eight of them write at once. */
import { killAgents } from "../agent/kills.ts";
import { scriptOptions } from "../support/script-options.ts";
import { killImports } from "./import/kills.ts";
import { ALL_FORMATS } from "./import/sources.ts";
import { manyWriters } from "./many-writers.ts";
import { type EngineName, torture } from "./torture.ts";

const USAGE = `npm run torture -- [--engine sqlite|jsonl] [--kills N] [--seed S] [--quick]
  Kill writers N times per engine (default 1000, with --quick 15) and count what was lost.
  Without --quick it also fails when a store needs longer than 2 s to recover.

npm run torture -- --writers [--engine sqlite|jsonl] [--appends N] [--durability full|process] [--quick]
  Eight processes append N times each (default 5000, with --quick 50) to one store at once.

npm run torture -- --agent [--engine sqlite|jsonl] [--kills N] [--seed S] [--quick]
  Kill agents N times per engine (default 500, with --quick 5) while they answer with tools, and continue their runs.

npm run torture -- --import [--engine sqlite|jsonl] [--kills N] [--seed S] [--quick]
  Kill imports N times per engine (default 100, with --quick 2), import again, and compare with a store of one run.

Exit code 1 when something is wrong.`;

const RECOVERY_MAX_MS = 2000;

const values = scriptOptions(USAGE, {
  engine: { type: "string" },
  quick: { type: "boolean", default: false },
  kills: { type: "string" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  writers: { type: "boolean", default: false },
  agent: { type: "boolean", default: false },
  import: { type: "boolean", default: false },
  appends: { type: "string" },
  durability: { type: "string", default: "full" },
});

const engines = (values.engine === undefined ? ["sqlite", "jsonl"] : [values.engine]) as EngineName[];
let failed = false;

function show(kind: string, found: readonly string[]): void {
  for (const line of found.slice(0, 20)) console.log(`  ${kind}: ${line}`);
  if (found.length > 0) failed = true;
}

async function killing(): Promise<void> {
  const kills = Number(values.kills ?? (values.quick ? 15 : 1000));
  const rows: Record<string, Record<string, number>> = {};
  for (const engine of engines) {
    const startMs = performance.now();
    const progress = announced(engine, kills);
    const result = await torture({ engine, kills, seed: Number(values.seed), progress });
    for (const kind of ["lost", "duplicated", "partial", "wrong"] as const) show(kind, result[kind]);
    // How long a recovery takes says nothing on a machine that is busy with other tests.
    if (!values.quick && result.recoveryMaxMs > RECOVERY_MAX_MS)
      show("slow", [`a store recovered in ${Math.round(result.recoveryMaxMs)} ms`]);
    rows[engine] = {
      kills: result.kills,
      acknowledged: result.acknowledged,
      lost: result.lost.length,
      duplicated: result.duplicated.length,
      "partial batches": result.partial.length,
      "otherwise wrong": result.wrong.length,
      "max recovery ms": Math.round(result.recoveryMaxMs),
      seconds: Math.round((performance.now() - startMs) / 1000),
    };
  }
  console.table(rows);
}

/** Says how far it is, every few seconds. */
function announced(engine: string, kills: number): (killed: number) => void {
  let shownMs = performance.now();
  console.log(`${engine}: ${kills} kills, seed ${values.seed}`);
  return (killed) => {
    if (performance.now() - shownMs < 5000) return;
    shownMs = performance.now();
    console.log(`${engine}: ${killed} of ${kills} kills`);
  };
}

async function answering(): Promise<void> {
  const kills = Number(values.kills ?? (values.quick ? 5 : 500));
  const rows: Record<string, Record<string, number>> = {};
  for (const engine of engines) {
    const progress = announced(engine, kills);
    const result = await killAgents({ engine, kills, seed: Number(values.seed), progress });
    show("wrong", result.wrong);
    const { answered, toolRuns } = result;
    rows[engine] = { kills: result.kills, answered, "tool runs": toolRuns, wrong: result.wrong.length };
  }
  console.table(rows);
}

async function importing(): Promise<void> {
  const kills = Number(values.kills ?? (values.quick ? 2 : 100));
  const amount = values.quick
    ? { formats: [], longBytes: 300_000 }
    : { formats: ALL_FORMATS, longBytes: 6_000_000 };
  const rows: Record<string, Record<string, number | string>> = {};
  for (const engine of engines) {
    const progress = announced(engine, kills);
    const result = await killImports({ engine, kills, seed: Number(values.seed), amount, progress });
    show("wrong", result.wrong);
    const { compared, writes, hash, wrong } = result;
    rows[engine] = { kills: result.kills, compared, writes, hash: hash.slice(0, 12), wrong: wrong.length };
  }
  console.table(rows);
}

async function writing(): Promise<void> {
  const rows: Record<string, Record<string, number>> = {};
  const durability = values.durability === "process" ? "process" : "full";
  const appends = Number(values.appends ?? (values.quick ? 50 : 5000));
  for (const engine of engines) {
    const result = await manyWriters({ engine, processes: 8, appends, durability });
    show("wrong", result.problems);
    rows[engine] = {
      processes: 8,
      appends: result.appends,
      messages: result.messages,
      problems: result.problems.length,
      seconds: Math.round(result.ms / 100) / 10,
    };
  }
  console.table(rows);
}

if (values.agent) await answering();
else if (values.import) await importing();
else await (values.writers ? writing() : killing());
process.exit(failed ? 1 : 0);
