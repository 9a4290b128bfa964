import { describe, expect, it } from "vitest";
import { obstacle } from "../powercut/image.ts";
import { runScript } from "../support/processes/run-script.ts";

describe("npm run powercut -- --quick", () => {
  it("loses nothing that was acknowledged before the cut", async ({ skip }) => {
    const reason = obstacle();
    if (reason !== undefined) skip(`POWER CUTS ARE NOT TESTED HERE: ${reason}`);
    const { status, output } = await runScript("test/powercut/run.ts", "--quick", "--seed", "7");
    expect({ status, output }).toEqual({ status: 0, output: expect.any(String) });
    for (const name of ["sqlite", "sqlite, retry", "jsonl", "jsonl, retry"])
      expect(output).toMatch(new RegExp(`│ ${name} +│ 1 +│ [1-9]\\d* +│ [1-9]\\d* +│ 0 +│ 0 +│ 0 +│ 0 +│`));
    // What promises less loses more, so the cut is a real one.
    for (const name of ["sqlite, control", "jsonl, control"])
      expect(output).toMatch(new RegExp(`│ ${name} +│ \\d+ +│ \\d+ +│ \\d+ +│ [1-9]`));
  });
});
