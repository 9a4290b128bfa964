import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLog } from "../../src/gateway/log.ts";
import { tempFolder } from "../support/temp-folder.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it("is closed to others, also if it was open to them", async () => {
  const stateDir = tempFolder();
  const path = join(stateDir, "gateway.log");
  writeFileSync(path, "before\n");
  chmodSync(path, 0o644);
  {
    await using log = openLog(stateDir);
    log.info({}, "after");
  }
  expect(modeOf(path)).toBe(0o600);
  expect(readFileSync(path, "utf8")).toMatch(/^before\n\{.*"after"\}\n$/);
});

it("is replaced when it is long, and the former file is kept", async () => {
  const stateDir = tempFolder();
  const [path, former] = [join(stateDir, "gateway.log"), join(stateDir, "gateway.log.1")];
  {
    await using log = openLog(stateDir, 2000);
    for (let n = 0; n < 100; n++) log.warn({ n }, "a stranger");
  }
  for (const file of [path, former]) {
    expect(statSync(file).size).toBeLessThanOrEqual(2000);
    expect(modeOf(file)).toBe(0o600);
  }
  const lines = `${readFileSync(former, "utf8")}${readFileSync(path, "utf8")}`.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).n).at(-1)).toBe(99);
  expect(lines.length).toBeGreaterThan(20);
});

it("has every line of a process that ends at once", () => {
  const stateDir = tempFolder();
  const module = JSON.stringify(import.meta.resolve("../../src/gateway/log.ts"));
  const script = `const { openLog } = await import(${module});
    const log = openLog(${JSON.stringify(stateDir)});
    for (let n = 0; n < 1000; n++) log.info({ n }, "request");
    process.exit(1);`;
  expect(() => execFileSync(process.execPath, ["--input-type=module", "-e", script])).toThrow();
  const lines = readFileSync(join(stateDir, "gateway.log"), "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).n)).toHaveLength(1000);
});
