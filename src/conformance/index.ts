/**
 * The suite that proves an engine.
 *
 * ```ts
 * import { test } from "node:test";
 * import { conformance } from "colloquy/conformance";
 *
 * await conformance({ test, engine: new URL("./my-engine.js", import.meta.url) });
 * ```
 *
 * The module exports `open(folder, options)`. It is given as an address
 * because the crash and two-writer tests open it in processes of their own.
 */

import { invalid } from "../errors.ts";
import { checkObject } from "../util/checked-arguments.ts";
import { Bench, type Check, type EngineModule, type TestFunction, type Topic } from "./kit.ts";
import { model } from "./model.ts";
import { appending } from "./topics/appending.ts";
import { backup } from "./topics/backup.ts";
import { badInput } from "./topics/bad-input.ts";
import { blobs } from "./topics/blobs.ts";
import { capabilities } from "./topics/capabilities.ts";
import { changes } from "./topics/changes.ts";
import { compaction } from "./topics/compaction.ts";
import { contextState } from "./topics/context/state.ts";
import { conversations } from "./topics/conversations/conversations.ts";
import { listing } from "./topics/conversations/listing.ts";
import { sessionKeys } from "./topics/conversations/session-keys.ts";
import { crashes } from "./topics/crashes.ts";
import { agreement } from "./topics/engine/agreement.ts";
import { pageText } from "./topics/engine/page-text.ts";
import { contract } from "./topics/engine-contract.ts";
import { erasure } from "./topics/erasure.ts";
import { jobs } from "./topics/jobs.ts";
import { lifetime } from "./topics/lifetime.ts";
import { processes } from "./topics/processes.ts";
import { races } from "./topics/races.ts";
import { reading } from "./topics/reading.ts";
import { names } from "./topics/redaction/names.ts";
import { clock } from "./topics/redaction/retention.ts";
import { search } from "./topics/search.ts";
import { tree } from "./topics/tree.ts";
import { treeLimits } from "./topics/tree-limits.ts";
import { following } from "./topics/turns/following.ts";
import { leases } from "./topics/turns/leases.ts";
import { longTurns } from "./topics/turns/long-turns.ts";
import { notes } from "./topics/turns/notes.ts";
import { turns } from "./topics/turns/turns.ts";
import { treeModel } from "./tree-model.ts";

export type { EngineModule, TestFunction } from "./kit.ts";

export interface ConformanceOptions {
  readonly test: TestFunction;
  readonly engine: URL;
}

const TOPICS: Readonly<Record<string, Topic>> = {
  conversations,
  listing,
  "session keys": sessionKeys,
  appending,
  reading,
  "bad input": badInput,
  lifetime,
  model,
  processes,
  tree,
  "tree limits": treeLimits,
  "tree model": treeModel,
  leases,
  turns,
  "long turns": longTurns,
  "notes and records": notes,
  following,
  compaction,
  "context state": contextState,
  blobs,
  jobs,
  erasure,
  names,
  clock,
  changes,
  search,
  backup,
  contract,
  agreement,
  "pages as text": pageText,
  capabilities,
  races,
  crashes,
};

/** Register every test of the suite with the given runner. */
export async function conformance(options: ConformanceOptions): Promise<void> {
  checkObject(options, "options");
  const { test, engine } = options;
  if (typeof test !== "function") throw invalid("test must be the function of a test runner", "test");
  if (!(engine instanceof URL)) throw invalid("engine must be the URL of a module", "engine");
  const module: EngineModule = await import(engine.href);
  if (typeof module.open !== "function") throw invalid(`${engine.href} does not export open`, "engine");
  const leftOut: string[] = [];
  for (const [topic, register] of Object.entries(TOPICS)) {
    const check = (name: string, run: (bench: Bench) => Promise<void>): void => {
      test(`${topic}: ${name}`, async () => {
        await using bench = new Bench(engine, module);
        await run(bench);
      });
    };
    const persistent: Check["persistent"] = (name, run) => {
      if (module.persistent === false) leftOut.push(`${topic}: ${name}`);
      else check(name, run);
    };
    register(Object.assign(check, { persistent }));
  }
  if (leftOut.length > 0) {
    test(`the engine is not persistent, so these do not apply: ${leftOut.join("; ")}`, async () => {
      await using bench = new Bench(engine, module);
      await (await bench.open()).create();
      const { items } = await (await bench.open()).list();
      if (items.length > 0) throw new Error("The engine is persistent: export persistent = true");
    });
  }
}
