import { describe, expect, it } from "vitest";
import { agentBench } from "../../bench/agent/index.ts";
import { formatsBench } from "../../bench/formats/index.ts";
import { lifeBench } from "../../bench/life/index.ts";
import { recallBench } from "../../bench/recall/index.ts";
import { stateBench } from "../../bench/state/index.ts";
import { storeBench } from "../../bench/store/index.ts";
import { runScript } from "../support/processes/run-script.ts";

/** A benchmark that is never run breaks unseen. Its figures are for `npm run bench` alone. */
describe.each(
  Object.entries({
    store: storeBench,
    life: lifeBench,
    formats: formatsBench,
    state: stateBench,
    recall: recallBench,
    agent: agentBench,
  }),
)("npm run bench -- %s --quick", (group, rows) => {
  it("runs every row", async () => {
    const { status, output } = await runScript("bench/run.ts", group, "--quick");
    expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/^\d+ rows ran/m) });
    expect(output.match(/^ran /gm)?.length).toBeGreaterThanOrEqual(Object.keys(rows).length);
  });
});
