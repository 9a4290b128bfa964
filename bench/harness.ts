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

/** A folder on a real disk that is removed at the end. */
export function benchFolder(): string {
  const folder = mkdtempSync(join(process.env.COLLOQUY_BENCH_DIR ?? tmpdir(), "colloquy-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (statfsSync(folder).type === TMPFS) {
    console.error(
      `${folder} is on tmpfs, where a sync costs nothing and every figure would lie. Set COLLOQUY_BENCH_DIR to a folder on a disk.`,
    );
    process.exit(1);
  }
  return folder;
}

/** Microseconds for each unit of work. */
export type Block = () => Promise<number> | number;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** Run the blocks in turn, the first round for warming up, and give the median of each. */
export async function alternate<Name extends string>(
  blocks: Readonly<Record<Name, Block>>,
  rounds = 7,
): Promise<Record<Name, number>> {
  const names = Object.keys(blocks) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const time = await blocks[name]();
      if (round >= 0) times[name].push(time);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<Name, number>;
}

/** Microseconds for each of `count` runs of `work`. */
export async function timed(count: number, work: (index: number) => unknown): Promise<number> {
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

/** Show a row at once: a long run should tell where it is. */
export function report(row: BenchRow): BenchRow {
  const mark = row.ok ? "ok  " : "MISS";
  console.log(
    `${mark} ${row.work.padEnd(58)} ${row.value.padStart(9)}  (reach ${row.reach}; ours ${row.ours}, bare ${row.bare})`,
  );
  return row;
}

export function printTable(rows: readonly BenchRow[]): void {
  console.log("\n| Work | Ours | Bare | Measured | Reach | |\n| --- | --- | --- | --- | --- | --- |");
  for (const { work, ours, bare, value, reach, ok } of rows) {
    console.log(`| ${work} | ${ours} | ${bare} | ${value} | ${reach} | ${ok ? "reached" : "missed"} |`);
  }
}

export function microseconds(value: number): string {
  return value >= 10_000 ? `${(value / 1000).toFixed(1)} ms` : `${value.toFixed(1)} µs`;
}

/** What one write of a kilobyte and a sync costs on this disk: the floor under every durable figure. */
export async function syncCost(folder: string): Promise<number> {
  const file = openSync(join(folder, "sync"), "w", 0o600);
  const line = Buffer.alloc(1024, 0x61);
  return timed(500, () => {
    writeSync(file, line);
    fdatasyncSync(file);
  });
}
