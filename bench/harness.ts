/**
 * Ours and the bare thing in alternating blocks of one run.
 *
 * Machines are noisy and disks drift: only neighbours in time can be compared,
 * so blocks alternate and the median of the blocks counts. Ratios travel,
 * absolute figures do not.
 */
import { fdatasyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TMPFS = 0x01021994;

/** `--quick`: every row once, at toy size. It shows that the benchmarks run; its figures mean nothing. */
export const QUICK: boolean = process.argv.includes("--quick");

/** How much of something to make: `full`, or `toy` with `--quick`. */
export function sized(full: number, toy: number): number {
  return QUICK ? toy : full;
}

/** A folder on a real disk that is removed at the end. */
export function benchFolder(): string {
  const folder = mkdtempSync(join(process.env.COLLOQUY_BENCH_DIR ?? tmpdir(), "colloquy-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (!QUICK && statfsSync(folder).type === TMPFS) {
    console.error(
      `${folder} is on tmpfs, where a sync costs nothing and every figure would lie. Set COLLOQUY_BENCH_DIR to a folder on a disk.`,
    );
    process.exit(1);
  }
  return folder;
}

/** Microseconds for each unit of work. */
export type Block = () => Promise<number> | number;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** Run the blocks in turn, the first round to warm up, and return the median of each. */
export async function alternate<Name extends string>(
  blocks: Readonly<Record<Name, Block>>,
  rounds = 7,
): Promise<Record<Name, number>> {
  const names = Object.keys(blocks) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < sized(rounds, 1); round++) {
    for (const name of names) {
      const time = await blocks[name]();
      if (round >= 0) times[name].push(time);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<Name, number>;
}

/** Microseconds for each of `times` runs of `work`. */
export async function timed(times: number, work: (index: number) => unknown): Promise<number> {
  const count = sized(times, 1);
  const start = process.hrtime.bigint();
  for (let index = 0; index < count; index++) {
    const result = work(index);
    if (result instanceof Promise) await result;
  }
  return Number(process.hrtime.bigint() - start) / 1000 / count;
}

export interface BenchRow {
  readonly work: string;
  readonly ours: string;
  readonly bare: string;
  readonly value: string;
  readonly reach: string;
  readonly ok: boolean;
}

/** Print a row at once: a long run should show its progress. */
export function report(row: BenchRow): BenchRow {
  const mark = QUICK ? "ran " : row.ok ? "ok  " : "MISS";
  console.log(
    `${mark} ${row.work.padEnd(58)} ${row.value.padStart(9)}  (target ${row.reach}; ours ${row.ours}, bare ${row.bare})`,
  );
  return row;
}

export function printTable(rows: readonly BenchRow[]): void {
  console.log("\n| Work | Ours | Bare | Measured | Target | |\n| --- | --- | --- | --- | --- | --- |");
  for (const { work, ours, bare, value, reach, ok } of rows) {
    console.log(`| ${work} | ${ours} | ${bare} | ${value} | ${reach} | ${ok ? "reached" : "missed"} |`);
  }
}

export function microseconds(value: number): string {
  return value >= 10_000 ? `${(value / 1000).toFixed(1)} ms` : `${value.toFixed(1)} µs`;
}

/** The cost of one write of a kilobyte and a sync on this disk: the floor under every durable figure. */
export async function syncCost(folder: string): Promise<number> {
  const file = openSync(join(folder, "sync"), "w", 0o600);
  const line = Buffer.alloc(1024, 0x61);
  return timed(500, () => {
    writeSync(file, line);
    fdatasyncSync(file);
  });
}
