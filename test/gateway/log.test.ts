import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLog } from "../../src/gateway/log.ts";
import { tempFolder } from "../support/temp-folder.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it("is closed to others, also if it was open to them", () => {
  const stateDir = tempFolder();
  const path = join(stateDir, "gateway.log");
  writeFileSync(path, "before\n");
  chmodSync(path, 0o644);
  openLog(stateDir).info({}, "after");
  expect(modeOf(path)).toBe(0o600);
  expect(readFileSync(path, "utf8")).toMatch(/^before\n\{.*"after"\}\n$/);
});

it("is replaced when it is long, and the former file is kept", () => {
  const stateDir = tempFolder();
  const [path, former] = [join(stateDir, "gateway.log"), join(stateDir, "gateway.log.1")];
  const log = openLog(stateDir, 2000);
  for (let n = 0; n < 100; n++) log.warn({ n }, "a stranger");
  for (const file of [path, former]) {
    expect(statSync(file).size).toBeLessThanOrEqual(2000);
    expect(modeOf(file)).toBe(0o600);
  }
  const lines = `${readFileSync(former, "utf8")}${readFileSync(path, "utf8")}`.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).n).at(-1)).toBe(99);
  expect(lines.length).toBeGreaterThan(20);
});
