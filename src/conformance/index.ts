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
import { appending } from "./appending.ts";
import { badInput } from "./bad-input.ts";
import { conversations } from "./conversations.ts";
import { Bench, type EngineModule, type TestFunction, type Topic } from "./kit.ts";
import { lifetime } from "./lifetime.ts";
import { model } from "./model.ts";
import { processes } from "./processes.ts";
import { reading } from "./reading.ts";

export type { EngineModule, TestFunction } from "./kit.ts";

export interface ConformanceOptions {
  readonly test: TestFunction;
  readonly engine: URL;
}

const TOPICS: Readonly<Record<string, Topic>> = {
  conversations,
  appending,
  reading,
  "bad input": badInput,
  lifetime,
  model,
  processes,
};

/** Register every test of the suite with the given runner. */
export async function conformance({ test, engine }: ConformanceOptions): Promise<void> {
  const module: EngineModule = await import(engine.href);
  for (const [topic, register] of Object.entries(TOPICS)) {
    register((name, run) => {
      test(`${topic}: ${name}`, async () => {
        await using bench = new Bench(engine, module);
        await run(bench);
      });
    });
  }
}
