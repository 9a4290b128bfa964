import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/index.ts";
import type { Command } from "../torture/content.ts";
import { type Findings, Oracle } from "../torture/oracle.ts";
import { type EngineName, start } from "../torture/torture.ts";
import { WriterProcess } from "../torture/writer-process.ts";
import { DiskImage } from "./image.ts";

export interface RoundOptions {
  readonly engine: EngineName;
  readonly durability: Command["durability"];
  readonly seed: number;
  /** From the first acknowledgement to the cut. */
  readonly delayMs: number;
}

export interface RoundResult extends Findings {
  readonly messages: number;
  readonly steps: number;
}

const LARGEST = 50_000;

/** A writer works, the power goes, and everything that was acknowledged before must be there. */
export async function cutWhileWriting(options: RoundOptions): Promise<RoundResult> {
  const { engine, durability, seed, delayMs } = options;
  using disk = new DiskImage();
  const target = `${engine}:${disk.mount}/folder/store`;
  const oracle = new Oracle(LARGEST);
  // After the cut every write fails, as it should.
  const afterTheCut: string[] = [];
  const writer = new WriterProcess();
  let cutNs: bigint;
  try {
    const common = { target, durability, seed, largest: LARGEST, shared: 4, lifecycle: true, retry: [] };
    start(writer, { ...common, writer: "w" }, oracle, afterTheCut);
    const cut = await disk.prepareCut();
    if (!(await writer.saw("acknowledged"))) throw new Error(`Nothing was written: ${afterTheCut.join()}`);
    await sleep(delayMs);
    cutNs = await cut();
  } finally {
    await writer.kill();
  }
  disk.remount();
  const findings = await inspect(target, oracle, cutNs);
  return { ...findings, ...oracle.count(cutNs) };
}

/** Open for writing, which repairs, and write: the store must be intact and continue. */
async function inspect(target: string, oracle: Oracle, cutNs: bigint): Promise<Findings> {
  await using store = await openStore(target, { onProblem: () => {} });
  const findings = await oracle.check(store, cutNs);
  for (const { id } of (await store.list({ limit: 10_000 })).items) {
    await (await store.get(id))?.append({ role: "user", content: "the power is back" });
  }
  const report = await store.verify();
  findings.wrong.push(...report.findings.map(({ code, message }) => `verify: ${code}: ${message}`));
  return findings;
}

/**
 * A retry is acknowledged by a process that did not write the message itself.
 *
 * The first writer leaves it in the system's cache and dies, as one killed
 * between write and sync does. The second gets the same append again, finds
 * it done and says so. From then on it must survive a cut like any other.
 */
export async function cutAfterReplay(engine: EngineName): Promise<RoundResult> {
  using disk = new DiskImage();
  const target = `${engine}:${disk.mount}/folder/store`;
  const message = { role: "user", content: "written by one, acknowledged by another" } as const;
  const options = { operationId: "op" };
  const lost: string[] = [];
  {
    await using store = await openStore(target, { durability: "full" });
    await (await store.open("cli:x")).append({ role: "user", content: "first" });
  }
  const cut = await disk.prepareCut();
  // Not closed: closing would sync.
  const first = await openStore(target, { durability: "process" });
  await (await first.open("cli:x")).append(message, options);
  const second = await openStore(target, { durability: "full" });
  await (await second.open("cli:x")).append(message, options);
  await cut();
  await Promise.allSettled([first.close(), second.close()]);
  disk.remount();
  await using store = await openStore(target, { onProblem: () => {} });
  const page = await (await store.get("cli:x"))?.messages();
  if (!page?.items.some(({ message: kept }) => kept?.content === message.content)) {
    lost.push("an append that was acknowledged as a retry");
  }
  return { lost, duplicated: [], partial: [], wrong: [], messages: 2, steps: 2 };
}
