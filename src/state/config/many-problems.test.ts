/** A file of another kind, or a hostile one, costs about as much as reading it. */
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import type { ColloquyError } from "../../errors.ts";
import type { Finding } from "./finding.ts";

/** As many as a file may hold: work for each pair of them would take minutes, not the half second of one pass. */
const MANY = 65_000;
const TIMEOUT = { timeout: 30_000 };

async function findingsOf(text: string): Promise<readonly Finding[]> {
  using folder = new TrialFolder({ "colloquy.json": text });
  const loaded = await folder.load({ cacheTtlMs: 0 }).catch((error: ColloquyError) => error);
  return "warnings" in loaded ? loaded.warnings : (loaded.details?.findings as readonly Finding[]);
}

function keys(prefix: string, value: string): string {
  return Array.from({ length: MANY }, (_, index) => `${prefix}${index}:${value}`).join(",");
}

describe("many keys", () => {
  it.each([
    ["unknown at the top", `{${keys("k", "0")}}`, 1],
    ["unknown in a section", `{sessions:{${keys("t", "0")}}}`, 1],
    ["allowed but unknown", `{session:{${keys("d", "0")}}}`, 0],
    ["with a wrong value", `{env:{vars:{${keys("V", "0")}}}}`, 1000],
    ["with a missing variable", `{ui:{${keys("v", `'\${A}'`)}}}`, 1000],
  ])(
    "that are %s are checked in one pass, with a bounded number of findings",
    TIMEOUT,
    async (_, text, count) => {
      const findings = await findingsOf(text);
      expect(findings.filter(({ severity }) => severity === "error")).toHaveLength(count);
    },
  );
});
