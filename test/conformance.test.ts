import { describe, test } from "vitest";
import { conformance } from "../src/conformance/index.ts";

/** `COLLOQUY_TEST_ENGINES=sqlite,jsonl` for a quick run. The last two prove the worker around the first two. */
const ENGINES = ["ephemeral", "jsonl", "sqlite", "worker-jsonl", "worker-sqlite"];
const wanted = process.env.COLLOQUY_TEST_ENGINES?.split(",") ?? ENGINES;

for (const name of ENGINES.filter((engine) => wanted.includes(engine))) {
  describe.concurrent(name, { timeout: 60_000 }, async () => {
    await conformance({ test, engine: new URL(`./engines/${name}.ts`, import.meta.url) });
  });
}
