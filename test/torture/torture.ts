/** Kill writers at random moments, open the store again, compare with what they had acknowledged. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/index.ts";
import { type Command, contentOf, random, type Step, sharedKey } from "./content.ts";
import { type Findings, Oracle } from "./oracle.ts";
import { WarmWriters, type WriterProcess } from "./writer-process.ts";

export type EngineName = "sqlite" | "jsonl";

export interface TortureOptions {
  readonly engine: EngineName;
  readonly kills: number;
  readonly seed: number;
  readonly progress?: (killed: number) => void;
}

export interface TortureResult {
  kills: number;
  acknowledged: number;
  readonly lost: string[];
  readonly duplicated: string[];
  readonly partial: string[];
  readonly wrong: string[];
  recoveryMaxMs: number;
}

/** A store that grows without end makes every check slower and tests nothing more. */
const KILLS_PER_STORE = 50;
const SHARED = 4;
const LARGEST = 200_000;

export async function torture(options: TortureOptions): Promise<TortureResult> {
  const result: TortureResult = {
    kills: 0,
    acknowledged: 0,
    lost: [],
    duplicated: [],
    partial: [],
    wrong: [],
    recoveryMaxMs: 0,
  };
  const writers = new WarmWriters(3);
  try {
    for (let round = 0; result.kills < options.kills; round++) {
      const kills = Math.min(KILLS_PER_STORE, options.kills - result.kills);
      await tortureOneStore(options, kills, random(options.seed + round * 7919), writers, result);
    }
  } finally {
    await writers.close();
  }
  return result;
}

async function tortureOneStore(
  { engine, progress }: TortureOptions,
  kills: number,
  next: () => number,
  pool: WarmWriters,
  result: TortureResult,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-torture-"));
  const target = `${engine}:${join(folder, "store")}`;
  const oracle = new Oracle(LARGEST);
  const problems = result.wrong;
  try {
    for (let killed = 0; killed < kills; ) {
      const writers = [await pool.take()];
      if (killed + 2 <= kills && next() < 0.3) writers.push(await pool.take());
      writers.forEach((writer, index) => {
        // One writer takes over what the dead ones left open; two would race for the order.
        const retry = index === 0 ? oracle.unfinished().filter(canBeRetried) : [];
        start(writer, { ...commandFor(target, next), retry }, oracle, problems);
      });
      await wait(writers, next, problems);
      await Promise.all(writers.map((writer) => writer.kill()));
      killed += writers.length;
      result.kills += writers.length;
      try {
        await recover(target, oracle, `p${killed}`, result, next() < 0.3);
      } catch (error) {
        // Nothing more can be learned from a store that cannot be opened or written; the next one is new.
        problems.push(`after kill ${result.kills}: ${error}`);
        break;
      }
      progress?.(result.kills);
    }
    result.acknowledged += oracle.count().messages;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let names = 0;

function commandFor(target: string, next: () => number): Omit<Command, "retry"> {
  const seed = Math.floor(next() * 2 ** 32);
  return {
    target,
    durability: "full",
    writer: `w${names++}`,
    seed,
    largest: LARGEST,
    shared: SHARED,
    lifecycle: true,
  };
}

function canBeRetried({ kind, named }: Step): boolean {
  return kind === "append" && named !== "none";
}

export function start(writer: WriterProcess, command: Command, oracle: Oracle, problems: string[]): void {
  writer.go(command, (report) => {
    if (report.type === "began") oracle.began(report.step);
    else if (report.type === "acknowledged") oracle.acknowledged(report, BigInt(report.ns));
    else if (report.type === "failed") {
      problems.push(`writer ${command.writer} failed: ${report.code}: ${report.message}`);
    }
  });
}

/** Mostly into the middle of writing; now and then while the store is still being opened and repaired. */
async function wait(
  writers: readonly WriterProcess[],
  next: () => number,
  problems: string[],
): Promise<void> {
  if (next() < 0.15) {
    await sleep(next() * 40);
    return;
  }
  const started = await Promise.all(writers.map((writer) => writer.saw("acknowledged")));
  if (started.includes(false)) problems.push("a writer acknowledged nothing");
  await sleep(next() * 60);
}

async function recover(
  target: string,
  oracle: Oracle,
  name: string,
  result: TortureResult,
  readFirst: boolean,
): Promise<void> {
  // A reader repairs nothing, and must see everything all the same.
  if (readFirst) await readOnly(target, oracle, result);
  const openFrom = oracle.unfinished().map(({ conversation }) => conversation);
  const startMs = performance.now();
  await using store = await openStore(target, { onProblem: () => {} });
  const keys = new Set([...Array.from({ length: SHARED }, (_, index) => sharedKey(index)), ...openFrom]);
  let n = 0;
  for (const conversation of keys) {
    const step: Step = { writer: name, n, kind: "append", conversation, first: n++, count: 1, named: "none" };
    // What was being created or deleted may be there or not; only what is there needs a repair.
    if (!conversation.startsWith("cli:shared") && (await store.get(conversation)) === undefined) continue;
    oracle.began(step);
    const chat = await store.open(conversation);
    await chat.append({ role: "user", content: contentOf(name, step.first, LARGEST) });
    oracle.acknowledged(step, process.hrtime.bigint());
  }
  result.recoveryMaxMs = Math.max(result.recoveryMaxMs, performance.now() - startMs);
  collect(result, await oracle.check(store));
  const { findings } = await store.verify();
  const wrong = findings.map(({ code, source, message }) => `verify: ${code} ${source}: ${message}`);
  collect(result, { lost: [], duplicated: [], partial: [], wrong });
}

async function readOnly(target: string, oracle: Oracle, result: TortureResult): Promise<void> {
  // There is no store yet when the first writer was killed before it created one.
  if (oracle.count().steps === 0) return;
  await using store = await openStore(target, { readonly: true, onProblem: () => {} });
  collect(result, await oracle.check(store));
}

function collect(result: TortureResult, findings: Findings): void {
  for (const kind of ["lost", "duplicated", "partial", "wrong"] as const) {
    // What is lost stays lost, and every later check of the store finds it again.
    result[kind].push(...findings[kind].filter((finding) => !result[kind].includes(finding)));
  }
}
