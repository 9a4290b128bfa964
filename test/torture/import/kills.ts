/** Kill imports, import again, and compare the store with one that was written in one run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "../../../src/index.ts";
import { LineProcess } from "../../support/processes/line-process.ts";
import {
  contentDifferences,
  contentHash,
  contentOf,
  type StoreContent,
} from "../../support/samples/store-content.ts";
import { random } from "../content.ts";
import type { ImportCommand } from "./importer.ts";
import { type Amount, writeSources } from "./sources.ts";

export interface ImportKillOptions {
  readonly engine: "sqlite" | "jsonl";
  readonly kills: number;
  readonly seed: number;
  readonly amount: Amount;
  readonly progress?: (killed: number) => void;
}

export interface ImportKillResult {
  kills: number;
  /** Imports after which a store was compared. */
  compared: number;
  /** Writes of an import that is not killed. */
  writes: number;
  readonly hash: string;
  readonly wrong: string[];
}

const IMPORTER = fileURLToPath(new URL("./importer.ts", import.meta.url));
/** An import that is killed again and again. */
const KILLS_PER_STORE_MAX = 3;

export async function killImports(options: ImportKillOptions): Promise<ImportKillResult> {
  const { engine, kills, seed, amount, progress } = options;
  const folder = mkdtempSync(join(tmpdir(), "colloquy-import-kills-"));
  const next = random(seed);
  try {
    const sources = join(folder, "sources");
    writeSources(sources, amount);
    const command = { target: `${engine}:${join(folder, "whole", "store")}`, paths: [sources] };
    const startMs = performance.now();
    const { writes } = await importAll(command);
    const wholeMs = performance.now() - startMs;
    const expected = await contentAt(command.target);
    const result: ImportKillResult = {
      kills: 0,
      compared: 0,
      writes,
      hash: contentHash(expected),
      wrong: [],
    };
    while (result.kills < kills) {
      const place = join(folder, `round-${result.kills}`);
      const target = `${engine}:${join(place, "store")}`;
      const times = Math.min(1 + Math.floor(next() * KILLS_PER_STORE_MAX), kills - result.kills);
      const moments: string[] = [];
      for (let killed = 0; killed < times; killed++) {
        // Mostly at a write, where the state of the files changes; also with the thread that the command uses.
        const isTimed = next() < 0.25;
        const killAt = 1 + Math.floor(next() * writes);
        const lifeMs = next() * wholeMs;
        moments.push(isTimed ? `after ${Math.round(lifeMs)} ms` : `at write ${killAt}`);
        await killOne(
          isTimed ? { ...command, target, worker: true } : { ...command, target, killAt },
          lifeMs,
        );
        progress?.(++result.kills);
      }
      await importAll({ ...command, target });
      const differences = contentDifferences(expected, await contentAt(target));
      result.wrong.push(...differences.map((line) => `killed ${moments.join(", ")}: ${line}`));
      result.compared++;
      rmSync(place, { recursive: true, force: true });
    }
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function importAll(command: ImportCommand): Promise<{ readonly writes: number }> {
  const child = new LineProcess(IMPORTER, [JSON.stringify(command)]);
  const { code } = await child.closed;
  if (code !== 0) throw new Error(`An import ended with exit code ${code}`);
  return JSON.parse(child.lines.at(-1) ?? "{}");
}

async function killOne(command: ImportCommand, lifeMs: number): Promise<void> {
  const child = new LineProcess(IMPORTER, [JSON.stringify(command)]);
  if (command.killAt === undefined) {
    await Promise.race([sleep(lifeMs), child.closed]);
    await child.kill();
  } else await child.closed;
}

async function contentAt(target: string): Promise<StoreContent> {
  await using store = await openStore(target, { readonly: true });
  return await contentOf(store);
}
