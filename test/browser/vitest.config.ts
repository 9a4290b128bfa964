import { defineConfig } from "vitest/config";

/** `npm run test:browser`: real gateways and Debian's Chromium. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    include: ["test/browser/*.browser.ts"],
    pool: "threads",
    reporters: ["minimal", "./test/support/runner/last-lines-reporter.ts"],
    setupFiles: ["test/support/runner/private-home.ts", "test/support/runner/clean-up.ts"],
    globalSetup: "test/browser/global-setup.ts",
    // A browser on a busy machine misses frames: what fails three times in a row is a bug.
    retry: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});

export default config;
