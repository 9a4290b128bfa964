import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./test/support/runner/slowest-first.ts";

export default defineConfig({
  test: {
    pool: "threads",
    reporters: ["minimal", "./test/support/runner/last-lines-reporter.ts"],
    setupFiles: ["private-home", "match-patterns", "clean-up"].map(
      (name) => `test/support/runner/${name}.ts`,
    ),
    sequence: { sequencer: SlowestFirst },
    // Generous: a slow machine is not a bug, and only a test that hangs takes so long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two on two cores: by default one core is left idle.
    maxWorkers: "100%",
    projects: [
      // Loading the sources again for each file would take as long as the tests of a unit.
      {
        extends: true,
        test: { name: "units", include: ["src/**/*.test.ts", "web/**/*.test.ts"], isolate: false },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/**/*.test.ts"],
          globalSetup: ["bundled-command", "bundled-worker"].map((name) => `test/support/runner/${name}.ts`),
        },
      },
    ],
  },
});
