/** A file of another kind, or a hostile one, costs about as much as reading it. */
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import type { ColloquyError } from "../../errors.ts";
import { parseJson5 } from "../json5/parse.ts";
import type { Finding } from "./finding.ts";

const MANY = 150_000;
const SOME = 30_000;

/** Loading does more than parsing, but nothing that grows with the number of problems. */
const RATIO_MAX = 20;

function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

async function loading(text: string): Promise<{ findings: readonly Finding[]; ratio: number }> {
  using folder = new TrialFolder({ "colloquy.json": text });
  const bare = process.cpuUsage();
  parseJson5(text, "colloquy.json");
  const bareMs = cpuMs(bare);
  const whole = process.cpuUsage();
  const failure = await folder.load({ cacheTtlMs: 0 }).catch((error: ColloquyError) => error);
  const ratio = cpuMs(whole) / bareMs;
  const { findings } = ("details" in failure ? failure.details : { findings: failure.warnings }) as {
    findings: readonly Finding[];
  };
  return { findings, ratio };
}

function keys(prefix: string, value: string, count: number = SOME): string {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}:${value}`).join(",");
}

describe("many keys", () => {
  it.each([
    ["unknown at the top", `{${keys("k", "0", MANY)}}`, 1],
    ["unknown in a section", `{sessions:{${keys("t", "0")}}}`, 1],
    ["allowed but unknown", `{session:{${keys("d", "0")}}}`, 0],
    ["with a wrong value", `{env:{vars:{${keys("V", "0")}}}}`, 1000],
    ["with a missing variable", `{ui:{${keys("v", `'\${A}'`)}}}`, 1000],
  ])("that are %s are checked in time, with a bounded number of findings", async (_, text, count) => {
    const { findings, ratio } = await loading(text);
    expect(findings.filter(({ severity }) => severity === "error")).toHaveLength(count);
    expect(ratio).toBeLessThan(RATIO_MAX);
  });
});
