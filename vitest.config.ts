import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "threads",
    setupFiles: ["test/support/private-home.ts"],
    testTimeout: 120_000,
  },
});
