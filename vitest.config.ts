import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "threads",
    reporters: ["minimal", "./test/support/last-lines-reporter.ts"],
    setupFiles: ["test/support/private-home.ts"],
    testTimeout: 120_000,
  },
});
