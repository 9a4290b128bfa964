import { describe, test } from "vitest";
import { conformance } from "../../src/conformance/index.ts";

/** The suite that every engine passes, for one of `test/engines/`. A file for each, so that they share the cores. */
export function proveEngine(name: string): void {
  describe.concurrent(name, async () => {
    await conformance({ test, engine: new URL(`../engines/${name}.ts`, import.meta.url) });
  });
}
