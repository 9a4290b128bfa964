import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "threads",
    reporters: ["minimal", "./test/support/last-lines-reporter.ts"],
    globalSetup: "test/support/bundled-command.ts",
    setupFiles: ["test/support/private-home.ts", "test/support/match-patterns.ts"],
    // Generous: a slow machine is not a bug, and only a test that hangs takes so long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two on two cores: by default one core is left idle.
    maxWorkers: "100%",
  },
});
