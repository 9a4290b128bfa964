/** Several processes append to one store at the same time, and none is killed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/index.ts";
import { Oracle } from "./oracle.ts";
import { type EngineName, start } from "./torture.ts";
import { WriterProcess } from "./writer-process.ts";

export interface ManyWritersOptions {
  readonly engine: EngineName;
  readonly processes: number;
  /** For each process. */
  readonly appends: number;
  readonly durability: "full" | "process";
}

export interface ManyWritersResult {
  readonly appends: number;
  readonly messages: number;
  readonly ms: number;
  readonly problems: string[];
}

const LARGEST = 20_000;
const PATIENCE_MS = 600_000;

export async function manyWriters(options: ManyWritersOptions): Promise<ManyWritersResult> {
  const { engine, processes, appends, durability } = options;
  const folder = mkdtempSync(join(tmpdir(), "colloquy-writers-"));
  const target = `${engine}:${join(folder, "store")}`;
  const writers = Array.from({ length: processes }, () => new WriterProcess());
  const oracle = new Oracle(LARGEST);
  const problems: string[] = [];
  try {
    await Promise.all(writers.map((writer) => writer.saw("ready")));
    const startMs = performance.now();
    const common = { target, durability, largest: LARGEST, shared: 3, lifecycle: false, retry: [], appends };
    writers.forEach((writer, index) => {
      start(writer, { ...common, writer: `w${index}`, seed: index + 1 }, oracle, problems);
    });
    const done = await Promise.all(writers.map((writer) => finished(writer)));
    if (done.includes(false)) problems.push("a writer did not finish");
    const ms = performance.now() - startMs;
    await using store = await openStore(target, { readonly: true });
    const { lost, duplicated, partial, wrong } = await oracle.check(store);
    const { findings } = await store.verify();
    problems.push(...lost, ...duplicated, ...partial, ...wrong, ...findings.map(({ message }) => message));
    const { messages, steps } = oracle.count();
    return { appends: steps, messages, ms, problems };
  } finally {
    await Promise.all(writers.map((writer) => writer.kill()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A failure ends a writer too. */
async function finished(writer: WriterProcess): Promise<boolean> {
  return Promise.race([
    writer.saw("done", PATIENCE_MS),
    writer.saw("failed", PATIENCE_MS).then((failed) => !failed),
  ]);
}
