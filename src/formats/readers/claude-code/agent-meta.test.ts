import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeAgent } from "./agent-meta.ts";

const SESSION = "21000000-0000-4000-8000-000000000003";
const FOLDER = `test/fixtures/claude-code/2.1-session/${SESSION}/subagents`;
const START = { sourceId: `${SESSION}/agent-a90nd0000001`, parent: { sourceId: SESSION } };

describe("the file beside a sub-agent's", () => {
  it("says who the sub-agent is and which call started it", () => {
    const describeStart = describeAgent(readFileSync(`${FOLDER}/agent-a90nd0000001.meta.json`, "utf8"));
    expect(describeStart(START)).toEqual({
      sourceId: START.sourceId,
      parent: { sourceId: SESSION, toolUse: "toolu_pond", agent: "Explore" },
    });
  });

  it("names the sub-agent above a nested one", () => {
    const describeStart = describeAgent('{"agentType":"Explore","parentAgentId":"outer"}');
    expect(describeStart(START).parent).toEqual({ sourceId: `${SESSION}/agent-outer`, agent: "Explore" });
  });

  it("changes nothing when it is empty, or when there is no sub-agent", () => {
    for (const text of ["", "[]", "{", '{"toolUseId":7}']) expect(describeAgent(text)(START)).toEqual(START);
    expect(describeAgent('{"toolUseId":"t"}')({ sourceId: SESSION })).toEqual({ sourceId: SESSION });
  });
});
