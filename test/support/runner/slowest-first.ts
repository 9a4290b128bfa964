import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** In the order in which they start. */
const SLOW = [
  "test/conformance/worker-",
  "test/quick/",
  "test/conformance/",
  "test/package.test.ts",
  "test/sim/",
  "test/process/",
  "test/cli/",
];

/**
 * Starts with the slowest files, so that no core is idle at the end.
 *
 * A fresh clone knows no durations, and by size the suite of an engine, two lines long, would be last.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const path = relative(process.cwd(), moduleId);
  const index = SLOW.findIndex((start) => path.startsWith(start));
  return index < 0 ? SLOW.length : index;
}
