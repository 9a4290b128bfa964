import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const SKIPPED_MAX = 20;

/** The last lines of a log say what happened: every test that was skipped or failed, and how many there were. */
export default class LastLinesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly { message: string }[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const skipped: string[] = [];
    const failed = errors.map(({ message }) => `FAILED outside of tests: ${message}`);
    for (const module of modules) {
      const path = relative(process.cwd(), module.moduleId);
      // A file that cannot be loaded has no tests that could fail.
      if (module.errors().length > 0) failed.push(`FAILED ${path}`);
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "pending") continue;
        counts[result.state]++;
        if (result.state === "failed") failed.push(`FAILED ${path}: ${test.fullName}`);
        if (result.state === "skipped")
          skipped.push(`SKIPPED ${path}: ${test.fullName}${result.note ? `: ${result.note}` : ""}`);
      }
    }
    // A run of tests by name skips all others.
    const notable = skipped.length <= SKIPPED_MAX ? skipped : [];
    for (const line of [...notable, ...failed]) console.log(line);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
