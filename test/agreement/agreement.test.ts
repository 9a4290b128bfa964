/**
 * The same random operations on every engine: outcomes, pages, conversations,
 * feed and error codes must be equal. `COLLOQUY_AGREEMENT_RUNS=2000` searches longer.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EngineModule } from "../../src/conformance/kit.ts";
import type { Engine, EngineOptions, FeedPlace } from "../../src/engine/index.ts";
import * as ephemeral from "../engines/ephemeral.ts";
import * as jsonl from "../engines/jsonl.ts";
import * as sqlite from "../engines/sqlite.ts";
import * as workerJsonl from "../engines/worker-jsonl.ts";
import * as workerSqlite from "../engines/worker-sqlite.ts";
import { fc } from "../support/fast-check.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { committed, everything } from "./answers.ts";
import { RandomOperations } from "./random-operations.ts";

const OPTIONS: EngineOptions = {
  readonly: false,
  durability: "process",
  lockWaitMs: 5000,
  onProblem: (problem) => {
    throw problem;
  },
};

/** Each commit is a list of numbers, from which its operations are drawn. */
const COMMITS = fc.array(fc.array(fc.nat(1_000_000), { minLength: 60, maxLength: 60 }), {
  minLength: 5,
  maxLength: 40,
});

interface Opened {
  readonly name: string;
  readonly module: EngineModule;
  readonly folder: string;
  engine: Engine;
  since: FeedPlace;
}

async function openAll(modules: Readonly<Record<string, EngineModule>>): Promise<Opened[]> {
  const folder = tempFolder();
  return Promise.all(
    Object.entries(modules).map(async ([name, module]) => {
      const place = join(folder, name);
      mkdirSync(place);
      const engine = await module.open(place, OPTIONS);
      const { place: since } = await engine.changes(null, 0);
      return { name, module, folder: place, engine, since };
    }),
  );
}

async function reopen(opened: Opened): Promise<void> {
  if (opened.module.persistent === false) return;
  await opened.engine.close();
  opened.engine = await opened.module.open(opened.folder, OPTIONS);
}

async function compare(
  modules: Readonly<Record<string, EngineModule>>,
  commits: readonly (readonly number[])[],
): Promise<void> {
  const all = await openAll(modules);
  try {
    let numbers: readonly number[] = [];
    let next = 0;
    // A lease ends with the engine of its holder, so that a run either has leases or opens engines again.
    const leases = commits.length % 2 === 0;
    const draw = (below: number): number => (numbers[next++ % numbers.length] as number) % below;
    const operations = new RandomOperations(draw, leases);
    for (numbers of commits) {
      next = 0;
      const commit = operations.commit();
      const answers = await Promise.all(
        all.map(async (opened) => {
          const outcomes = await committed(opened.engine, commit);
          if (!leases && (numbers[0] as number) % 11 === 0) await reopen(opened);
          const answers = await everything(opened.engine, opened.since);
          return JSON.parse(JSON.stringify({ outcomes, ...answers }));
        }),
      );
      for (const [index, { name }] of all.entries()) {
        expect(answers[index], `${name}: ${JSON.stringify(commit, withoutBytes)}`).toEqual(answers[0]);
      }
    }
  } finally {
    for (const { engine } of all) await engine.close();
  }
}

function withoutBytes(name: string, value: unknown): unknown {
  return name === "data" && typeof value === "object" && value !== null && "data" in value ? "bytes" : value;
}

const RUNS = Number(process.env.COLLOQUY_AGREEMENT_RUNS ?? 12);

describe("engines agree about random operations", () => {
  it("ephemeral, sqlite and jsonl", async () => {
    await fc.assert(
      fc.asyncProperty(COMMITS, (commits) => compare({ ephemeral, sqlite, jsonl }, commits)),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it("the same behind a worker thread", async () => {
    await fc.assert(
      fc.asyncProperty(COMMITS, (commits) => compare({ ephemeral, workerSqlite, workerJsonl }, commits)),
      { numRuns: Math.ceil(RUNS / 6), endOnFailure: true },
    );
  });
});
