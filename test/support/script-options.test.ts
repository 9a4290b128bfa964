import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

describe.each(["torture", "powercut"])("npm run %s", (name) => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [`test/${name}/run.ts`, ...args], { encoding: "utf8", timeout: 120_000 });

  it("shows its usage", () => {
    const { status, stdout, stderr } = run("--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`npm run ${name} -- [--engine sqlite|jsonl]`);
  });

  it.each([["--nope"], ["--engine", "mongo"], ["--seed", "x"], ["word"]])("refuses %s", (...args) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`npm run ${name} --`);
    expect(stderr).not.toContain("node:internal");
  });
});
