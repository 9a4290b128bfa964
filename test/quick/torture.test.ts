import { describe, expect, it } from "vitest";
import { runScript } from "../support/processes/run-script.ts";

/** `npm run torture` kills writers a thousand times. */
describe("npm run torture -- --quick", () => {
  it.each(["sqlite", "jsonl"])(
    "kills writers of a %s store, and nothing acknowledged is lost",
    async (engine) => {
      const { status, output } = await runScript(
        "test/torture/run.ts",
        "--quick",
        "--engine",
        engine,
        "--seed",
        "7",
      );
      // Kills, messages acknowledged (at least one), lost, duplicated, partial, wrong.
      const row = new RegExp(`│ ${engine} +│ 15 +│ [1-9]\\d* +│ 0 +│ 0 +│ 0 +│ 0 +│`);
      expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(row) });
    },
  );

  // Eight waits for one lock, again and again, show more than eight that are started and done.
  it.each(["sqlite", "jsonl"])("lets eight processes write to one %s store at once", async (engine) => {
    const args = ["--writers", "--engine", engine, "--appends", "500"];
    const { status, output } = await runScript("test/torture/run.ts", ...args);
    // Processes, appends, messages, problems: lost, out of order, interleaved.
    const row = new RegExp(`│ ${engine} +│ 8 +│ 4\\d\\d\\d +│ \\d+ +│ 0 +│`);
    expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(row) });
  });

  it.each(["sqlite", "jsonl"])(
    "kills agents on a %s store, and every message is answered once",
    async (engine) => {
      const args = ["--agent", "--quick", "--engine", engine, "--seed", "7"];
      const { status, output } = await runScript("test/torture/run.ts", ...args);
      // Kills, answered (at least three by the last agent), tool runs, wrong.
      const row = new RegExp(`│ ${engine} +│ 5 +│ [1-9]\\d* +│ \\d+ +│ 0 +│`);
      expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(row) });
    },
  );

  it.each(["sqlite", "jsonl"])(
    "kills imports into a %s store, and the next import makes it the same as one run",
    async (engine) => {
      const args = ["--import", "--quick", "--engine", engine, "--seed", "7"];
      const { status, output } = await runScript("test/torture/run.ts", ...args);
      // Kills, stores compared, writes, hash, wrong.
      const row = new RegExp(`│ ${engine} +│ 2 +│ [1-9] +│ \\d+ +│ '[0-9a-f]+' +│ 0 +│`);
      expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(row) });
    },
  );
});
